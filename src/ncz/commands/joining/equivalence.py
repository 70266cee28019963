"""Attributes with the same meaning in other words."""

from __future__ import annotations

import re
from collections.abc import Collection

from ncz.transfer.difference import Difference


def names_fewer_coordinates(difference: Difference, dimensions: Collection[str]) -> bool:
    """Return whether the first dataset names all coordinates of a variable, as xarray does.

    Coordinates of the variable's dimensions need not be named.
    """
    if difference.name != "coordinates" or difference.kind == "attribute-type":
        return False
    ours, theirs = (
        {*"".join(map(str, values)).split()} if isinstance(values, tuple) else set[str]()
        for values in (difference.expected, difference.found)
    )
    return theirs <= ours | {*dimensions}


_DEGREES = re.compile(r"degrees?_?(n|e)(?:orth|ast)?", re.IGNORECASE)


def are_same_units(difference: Difference) -> bool:
    """Return whether two texts are the same units."""
    if difference.name != "units" or difference.kind != "attribute":
        return False
    texts = [
        "".join(map(str, v)).strip() if isinstance(v, tuple) else ""
        for v in (difference.expected, difference.found)
    ]
    degrees = [_DEGREES.fullmatch(text) for text in texts]
    if degrees[0] is not None and degrees[1] is not None:
        return degrees[0][1].lower() == degrees[1][1].lower()
    from ncz.model.units import Units, UnitsError
    from ncz.model.units import converter as units_converter

    try:
        return units_converter(Units(texts[1]), Units(texts[0])) is None
    except UnitsError:
        return False
