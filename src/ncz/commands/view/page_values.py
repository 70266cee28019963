"""Values and attributes as the page shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.commands.view.coordinates import known_values
from ncz.commands.view.flags import flags_of, name_of_value
from ncz.commands.view.value_digits import digits_of, number_text
from ncz.commands.view.variables import is_drawn
from ncz.late import numpy as np
from ncz.model.packing import packing_of
from ncz.model.tree import Variable, base_name
from ncz.model.types import Atomic, NcType, Value
from ncz.text.format_values import Precision, format_attribute, format_value, is_shortened
from ncz.views.html_text import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.model.data import Values

MOST_CELL, _MOST_TEXT, MOST_HEADER = 200, 20_000, 1 << 20


def type_name(variable: Variable) -> str:
    nc_type = variable.type
    return nc_type.word if isinstance(nc_type, Atomic) else printable(base_name(nc_type.name))


def text_of_value(variable: Variable, values: Values) -> str:
    """Return one value as text, exactly, with the name that a flag gives it."""
    if not is_drawn(variable):
        return shorten(element_text(elements_of(values)[0], variable.type), MOST_CELL)
    number = float(known_values(values, variable).reshape(-1)[0])
    if math.isnan(number):
        return "missing"
    name, digits = name_of_value(flags_of(variable), number), digits_of(variable)
    if digits.kind == "whole":  # exactly, also if a double cannot have it
        number = packing_of(variable).to_signed(values).reshape(-1)[0]
    text = number_text(number, digits)
    return f"{name} ({text})" if name else text


def element_text(value: Value, nc_type: NcType) -> str:
    """Return an element of any type as text, with the digits that give its numbers back."""
    is_long = is_shortened(value, nc_type, Precision())
    return format_value(value, nc_type, Precision(9, 17) if is_long else Precision())


def elements_of(values: Values) -> list[Any]:
    """Return the elements of an array in row-major order, each as `ncz.model.types.Value`."""
    items: list[Any] = values.reshape(-1).tolist()
    if values.dtype.kind == "S":
        return [each.decode("latin-1") for each in np.asarray(values).reshape(-1).tolist()]
    return items


def attribute_rows(attributes: Sequence[Any]) -> list[tuple[str, str]]:
    return [(printable(a.name), shorten(format_attribute(a), _MOST_TEXT)) for a in attributes]


def shorten(text: str, most: int) -> str:
    return printable(text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)")


_MOST_UNEVEN = 4
"""The largest ratio of the largest step of a scale to the smallest one."""


def is_nearly_even(steps: NDArray[np.float64]) -> bool:
    if not steps.size:
        return True
    lengths = abs(steps)
    is_monotone = bool((steps > 0).all() or (steps < 0).all())
    return is_monotone and float(lengths.max()) <= _MOST_UNEVEN * float(lengths.min())


def number_in_json(value: float) -> float | str | None:
    """Convert a value to JSON: None is missing, and infinite ones are text."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None
