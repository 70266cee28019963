"""Values of JSON as text, in the layout of netcdf-c."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
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
        """True if the number is finite, but no double can represent it (``1e999``)."""
        return math.isinf(self) and self.text[-1].isdigit()


_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL = '[\x00-\x1f"\\\\\ud800-\udfff]'


def _quote(text: str) -> str:
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'

    def escape(match: re.Match[str]) -> str:
        return _SHORT.get(match.group()) or f"\\u{ord(match.group()):04x}"

    return f'"{re.sub(_SPECIAL, escape, text)}"'


def print_json(value: Any) -> str:
    """One line, as netcdf-c lays it out: ``{"a": 1, "b": [1,2.5]}``, with UTF-8 unescaped."""
    # It is not a generator, as a store may have many documents.
    printer = _PRINTERS.get(type(value))
    if printer is None:  # a class derived from one of these
        printer = next((p for kind, p in _PRINTERS.items() if isinstance(value, kind)), None)
        if printer is None:
            raise TypeError(f"no JSON for {type(value).__name__}")
    return printer(value)


def _print_object(value: dict[Any, Any]) -> str:
    members = [
        f"{_name(key)}: {_quote(member) if type(member) is str else print_json(member)}"
        for key, member in value.items()
    ]
    return f"{{{', '.join(members)}}}"


@lru_cache(256, typed=True)
def _name(key: Any) -> str:
    """Return the name of a member; the documents of a store have few different ones."""
    return _quote(str(key))


def _print_array(value: list[Any] | tuple[Any, ...]) -> str:
    return f"[{','.join(map(print_json, value))}]"


def _float(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return repr(number)


_PRINTERS: dict[type, Callable[[Any], str]] = {
    str: _quote,
    int: str,
    dict: _print_object,
    list: _print_array,
    Real: lambda value: value.text,
    float: _float,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
    tuple: _print_array,
}


def is_strict(value: Any) -> bool:
    """Return whether strict JSON can represent every number of a value."""
    if isinstance(value, list | dict):
        return all(is_strict(v) for v in (value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)
