"""The digits of values on the page: as few as give the value back in its type."""

from __future__ import annotations

import math
from typing import Literal

from ncz.late import numpy as np
from ncz.model.json_encoding import encode_float
from ncz.model.packing import packing_of
from ncz.model.tree import Variable
from ncz.model.types import Atomic

Digits = Literal["whole", "single", "double", "unpacked"]
"""How many digits values have: those of integers, of float, of double, or 15.

Values that were unpacked as double have 15, as the product of a stored number and a factor is
rounded at the 16th.
"""


def digits_of(variable: Variable) -> Digits:
    """Return the digits of the values of a variable, as they are after unpacking."""
    packing, nc_type = packing_of(variable), variable.type
    if not isinstance(nc_type, Atomic) or not variable.has_numbers:
        return "whole"
    if packing.is_packed:
        is_single = packing.unpacked_as(np.dtype(nc_type.dtype)) == "f4"
        return "single" if is_single else "unpacked"
    if not nc_type.is_floating:
        return "whole"
    return "single" if nc_type is Atomic.FLOAT else "double"


_LONGEST_END = 11
"""Characters of the ends of a scale."""


def end_text(value: float, digits: Digits) -> str:
    """Return an end of a scale as text, rounded if its digits have no room."""
    text = number_text(value, "double" if digits == "whole" else digits)
    return text if len(text) <= _LONGEST_END else f"{value:.6g}"


def number_text(value: float, digits: Digits) -> str:
    """Return a number as text, as the script of the page writes it."""
    if not math.isfinite(value):
        return "missing" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if digits == "whole":
        return str(int(value))
    if digits == "unpacked":
        number = float(f"{value:.15g}")
    else:
        number = float(encode_float(value, Atomic.FLOAT if digits == "single" else Atomic.DOUBLE))
    if not number or 1e-6 <= abs(number) < 1e21:
        return np.format_float_positional(number + 0.0, trim="-")
    mantissa, _, exponent = repr(number).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
