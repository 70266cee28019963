"""Times in CDL: dates in quotes among data, and in comments after attributes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.model.tree import Attribute
from ncz.model.types import Atomic, Value
from ncz.text.format_values import Precision, default_format, format_nonfinite, format_number

if TYPE_CHECKING:
    from ncz.text.times import Times


_COMMENT_COLUMN = 21
"""Column of the first date in a comment on a separate line: after two tabs and ``  // ``."""


def attribute_comment(
    attribute: Attribute, times: Times, line_length: int
) -> tuple[str, list[str]]:
    """Format the values of a numeric attribute as dates, in comments.

    Returns
    -------
    after : str
        The comment on the attribute's own line, for one or two dates.
    below : list of str
        The lines after it, for more dates; at most `line_length` columns where possible.
    """
    nc_type = attribute.type
    if not (isinstance(nc_type, Atomic) and nc_type.kind in "iuf" and attribute.values):
        return "", []
    tokens = [_format_date(times, value, nc_type) for value in attribute.values]
    if len(tokens) <= 2:
        return f" // {', '.join(tokens)}", []
    lines: list[str] = []
    line, column = "", _COMMENT_COLUMN
    for number, token in enumerate(tokens, 1):
        text = token if number == len(tokens) else f"{token},"
        if line and column + len(text) > line_length:
            lines.append(f"\t\t  // {line}")
            line, column = "", _COMMENT_COLUMN
        line += f" {text}" if line else text
        column += len(text) + 1
    return "", [*lines, f"\t\t  // {line}"]


def format_date(times: Times, value: float) -> str | None:
    """Format a date in quotes; None if the value has no date."""
    date = times.format(value)
    return None if date is None else f'"{date}"'


def _format_date(times: Times, value: Value, nc_type: Atomic) -> str:
    """Format a date, or else the number; NaN has no suffix, even of a float."""
    date = format_date(times, value)
    if date is not None:
        return date
    if not math.isfinite(value):
        return format_nonfinite(value, Atomic.DOUBLE)
    return format_number(value, nc_type, default_format(nc_type, Precision()))
