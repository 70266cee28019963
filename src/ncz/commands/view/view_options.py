"""The options of the view command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ncz.commands.option_error import OptionError
from ncz.commands.sources import Source
from ncz.commands.view.cost import MOST_READ
from ncz.errors import option as named
from ncz.record import record
from ncz.text.decimal_comma import with_decimal_points

if TYPE_CHECKING:
    from ncz.model.selection import Selection
    from ncz.views.colormaps import ColormapName

_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_RANGE = re.compile(f"{_NUMBER}?:{_NUMBER}?")


@record(kw_only=True)
class ViewOptions:
    """The dataset to show, and the options.

    `source` is a location, or a stream. Without `variable`, the
    one with the most dimensions is shown. `minus` is a dataset that is subtracted.
    """

    source: Source
    minus: Source | None = None
    variable: str | None = None
    subset: Selection | None = None
    axes: tuple[str, ...] = ()
    colormap: ColormapName | None = None
    reverse: bool = False
    log: bool = False
    range: str = "whole"
    stride: int | None = None
    size: tuple[int, int] | None = None
    plain: bool = False
    title: str | None = None
    memory: int = MOST_READ
    keep_going: bool = False

    @property
    def colors(self) -> ColormapName:
        """The colour map that is given, or else the one for values or for differences."""
        return self.colormap or ("dusk" if self.minus is None else "polar")


def given_range(options: ViewOptions) -> tuple[float | None, float | None]:
    """Return the values of the first and the last colour that the user gave; None for others.

    Raises
    ------
    OptionError
        If the option is not valid.
    """
    if options.range in ("whole", "robust"):
        return None, None
    text = options.range.strip()
    match = _RANGE.fullmatch(text)
    if match is None:
        point = with_decimal_points(text)
        example = point if _RANGE.fullmatch(point) else "LOW:HIGH, whole or robust"
        raise OptionError(f"{named('range')} {options.range!r} is not valid; write {example}")
    low, high = (None if text is None else float(text) for text in match.groups())
    return low, high
