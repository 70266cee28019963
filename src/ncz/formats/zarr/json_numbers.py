"""Numbers as JSON contains them, and as values of a numeric netCDF type."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from ncz.formats.zarr.json import Json
from ncz.model.json_text import Real
from ncz.model.types import Atomic, Value

NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""The texts of floats that are not numbers in JSON."""


def convert(value: Json, nc_type: Atomic) -> tuple[Value, ...] | None:
    """Convert the numbers of a JSON value to a numeric type.

    Parameters
    ----------
    value
        A number, or a list of numbers.
    nc_type
        The numeric type.

    Returns
    -------
    tuple or None
        The values; None if one of them is not a value of the type.
    """
    elements = value if isinstance(value, list) else [value]
    number = _float_decoder(nc_type) if nc_type.is_floating else _integer(nc_type)
    try:
        return tuple(number(element) for element in elements)
    except (TypeError, ValueError, OverflowError):
        return None


def _integer(nc_type: Atomic) -> Callable[[Json], int]:
    low, high = nc_type.limits

    def number(element: Json) -> int:
        if isinstance(element, str) or int(element) != element:
            raise ValueError
        if not low <= element <= high:
            raise OverflowError
        return int(element)

    return number


def _float_decoder(nc_type: Atomic) -> Callable[[Json], float]:
    def number(element: Json) -> float:
        real = NOT_FINITE[element] if element in NOT_FINITE else float(_not_text(element))
        return real if nc_type is Atomic.DOUBLE else to_single(real)

    return number


def _not_text(element: Json) -> int | float:
    if not isinstance(element, int | float):
        raise TypeError
    if isinstance(element, Real) and element.is_too_large:
        raise OverflowError
    return element


def to_single(number: float) -> float:
    """Round to single precision. Raises OverflowError if the number is too large for it."""
    rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return rounded
