"""The options of aggregate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ncz.commands import fields
from ncz.commands.creation_options import OVERWRITE, allow_loss_option
from ncz.commands.fields import choice
from ncz.commands.joining.options import AGGREGATE, JoinOptions
from ncz.formats.masters import MasterKind
from ncz.formats.opening import masters
from ncz.record import record
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.model.netcdf_kinds import NetcdfKind


@record(kw_only=True)
class AggregateOptions:
    """What to aggregate; `how` says what to do about differences between the files."""

    target: Location
    sources: tuple[Location, ...]
    axis: str | None = fields.option(
        "--axis",
        default=None,
        metavar="DIM",
        section="Selection",
        common=True,
        help="Dimension along which the files follow each other.",
        python="The dimension along which the files follow each other.",
    )
    mode: Literal["cfa", "cfa0.5", "cfa0.4", "cf"] = fields.option(
        "--mode",
        default="cfa",
        metavar="FORM",
        values=choice("cfa", "cfa0.5", "cfa0.4", "cf"),
        section="Output",
        common=True,
        help="Form of OUT: cfa (CFA 0.5, the default), cfa0.4 or cf (CF 1.13).",
        python='The form of the master: "cfa" for CFA 0.5, "cfa0.4", or "cf" for CF 1.13.',
    )
    rebuild: bool = fields.option(
        "--rebuild",
        default=False,
        section="Selection",
        common=True,
        help="Make OUT again from its pieces FILES, or the folders of these.",
        python="Whether to make a lost master again; the sources are its pieces, or the folders of"
        " these.",
    )
    how: JoinOptions = AGGREGATE
    overwrite: bool = OVERWRITE
    allow_loss: bool = allow_loss_option(help="Write OUT even if it cannot hold everything.")
    kind: NetcdfKind | None = None

    @property
    def form(self) -> MasterKind:
        """The form of the master."""
        return masters().kinds[self.mode]
