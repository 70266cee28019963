"""What to do about differences between datasets that are joined."""

from __future__ import annotations

from typing import Literal

from ncz.commands.fields import choice, number, option, part
from ncz.record import record

AttributeRule = Literal["identical", "first", "agreeing", "none"]
"""What becomes of attributes that differ."""

OverlapRule = Literal["first", "last", "keep"]
"""Which of several values with one coordinate stay."""


@record(kw_only=True)
class JoinOptions:
    """What to do about differences between datasets that are joined."""

    attributes: AttributeRule | None = option(
        "--attributes",
        default=None,
        metavar="RULE",
        values=choice("identical", "first", "agreeing", "none"),
        section="Joining",
        help="Attributes that differ: identical (an error), first, agreeing (left out) or none"
        " (leave out all).",
        python='What becomes of attributes that differ: "identical" (an error), "first",'
        ' "agreeing" (they are left out) or "none" (all are left out). By default, those of'
        " variables must be identical, and groups have those of the first source.",
        type='Literal["identical", "first", "agreeing", "none"] | None',
    )
    unpack: bool = option(
        "--unpack",
        default=False,
        section="Joining",
        help="Unpack variables whose scale_factor or add_offset differs.",
        python="Whether to unpack variables whose scale_factor or add_offset differs.",
    )
    repack: str | None = option(
        "--repack",
        default=None,
        metavar="TYPE",
        values=choice("byte", "ubyte", "short", "ushort", "int", "uint"),
        section="Joining",
        help="Pack variables whose scale_factor or add_offset differs again, as this type.",
        python="The type to repack variables as, if their scale_factor or add_offset differs.",
    )
    tolerance: float | None = option(
        "--tolerance",
        default=None,
        metavar="T",
        values=number(0),
        section="Joining",
        help="Let values of variables without the dimension differ by up to T; the first's are"
        " kept.",
        python="By how much the values of variables without the joined dimension may differ. Those"
        " of the first source are kept.",
    )
    sort: bool = option(
        "--sort",
        default=False,
        section="Joining",
        help="Sort values by the coordinate of the dimension.",
        python="Whether to sort values by the coordinate of the joined dimension.",
    )
    overlap: OverlapRule | None = option(
        "--overlap",
        default=None,
        metavar="RULE",
        values=choice("first", "last", "keep"),
        section="Joining",
        help="Values where sources overlap: first, last or keep (default: an error).",
        python='Which values to keep where sources overlap: "first", "last", or "keep" for all.'
        " By default, an overlap is an error.",
        type='Literal["first", "last", "keep"] | None',
    )


JOIN = part(JoinOptions())

AGGREGATE = part(JoinOptions(), without=("repack", "sort"))
"""A master refers to values as they are, and sources are always sorted."""
