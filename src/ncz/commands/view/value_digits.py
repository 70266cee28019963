"""The digits of values on the page: the fewest that identify the value in its type."""

from __future__ import annotations

import math
from typing import Literal

from ncz.late import numpy as np
from ncz.model.json_encoding import encode_float
from ncz.model.packing import packing_of
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.record import record

_BEYOND_STEP = 3
"""Decimals beyond the first one of the step between packed values, which offsets may need."""


@record
class Digits:
    """The digits of values.

    Attributes
    ----------
    kind
        "whole" for integers, "single" and "double" for the digits of float and double, and
        "unpacked" for double that was unpacked: it has 15 at most, as the product of a stored
        number and a factor is rounded at the 16th.
    decimals
        The digits after the point that distinguish packed integers; None for all digits.
    """

    kind: Literal["whole", "single", "double", "unpacked"]
    decimals: int | None = None


def digits_of(variable: Variable) -> Digits:
    """Return the digits of the unpacked values of a variable."""
    packing, nc_type = packing_of(variable), variable.type
    if not isinstance(nc_type, Atomic) or not variable.has_numbers:
        return Digits("whole")
    if packing.is_packed:
        if packing.unpacked_dtype(np.dtype(nc_type.dtype)) == "f4":
            return Digits("single")
        return Digits("unpacked", None if nc_type.is_floating else _decimals(packing.scale))
    if not nc_type.is_floating:
        return Digits("whole")
    return Digits("single" if nc_type is Atomic.FLOAT else "double")


def _decimals(scale: float | None) -> int | None:
    size = abs(1.0 if scale is None else scale)
    if not 1e-12 < size < math.inf:
        return None
    return max(0, _BEYOND_STEP - math.floor(math.log10(size)))


_LONGEST_END = 11
"""Characters of the ends of a scale."""


def end_text(value: float, digits: Digits) -> str:
    """Return an end of a scale as text, rounded if it has too many digits."""
    text = number_text(value, Digits("double") if digits.kind == "whole" else digits)
    return text if len(text) <= _LONGEST_END else f"{value:.6g}"


def number_text(value: float, digits: Digits) -> str:
    """Return a number as text, as the script of the page writes it."""
    if not math.isfinite(value):
        return "missing" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if digits.kind == "whole":
        return str(int(value))
    if digits.kind == "unpacked":
        number = float(f"{value:.15g}")
        number = number if digits.decimals is None else round(number, digits.decimals)
    else:
        is_single = digits.kind == "single"
        number = float(encode_float(value, Atomic.FLOAT if is_single else Atomic.DOUBLE))
    if not number or 1e-6 <= abs(number) < 1e21:
        return np.format_float_positional(number + 0.0, trim="-")
    mantissa, _, exponent = repr(number).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
