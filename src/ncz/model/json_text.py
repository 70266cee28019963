"""Values of JSON as text, in the layout of netcdf-c."""

from __future__ import annotations

import math
import re
from typing import Any


class Real(float):
    """A JSON number that is not a plain integer, with its spelling."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Real:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __repr__(self) -> str:
        return self.text

    @property
    def is_too_large(self) -> bool:
        """True if the number is finite, but no double can hold it (``1e999``)."""
        return math.isinf(self) and self.text[-1].isdigit()


_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL = '[\x00-\x1f"\\\\\ud800-\udfff]'


def _quoted(text: str) -> str:
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'

    def escape(match: re.Match[str]) -> str:
        return _SHORT.get(match.group()) or f"\\u{ord(match.group()):04x}"

    return f'"{re.sub(_SPECIAL, escape, text)}"'


def print_json(value: Any) -> str:
    """One line, as netcdf-c lays it out: ``{"a": 1, "b": [1,2.5]}``, UTF-8 as it is."""
    # It is not a generator, as a store may have many documents.
    if isinstance(value, str):
        return _quoted(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Real):
        return value.text
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, dict):
        members = [f"{_quoted(str(key))}: {print_json(member)}" for key, member in value.items()]
        return f"{{{', '.join(members)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(print_json, value))}]"
    raise TypeError(f"no JSON for {type(value).__name__}")


def _float(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return repr(number)


def is_strict(value: Any) -> bool:
    """Return whether strict JSON can hold every number of a value."""
    if isinstance(value, list | dict):
        return all(is_strict(v) for v in (value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)
