"""Decode single JSON values to values of a netCDF type.

Source: docs/reference/json.md, "Values".
"""

from __future__ import annotations

import math
import re
from typing import Any

from ncz.errors import quantity, shorten
from ncz.late import numpy as np
from ncz.model.json_encoding import NONFINITE
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Value, Vlen

_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")


class WrongValueError(ValueError):
    """A JSON value does not have the type; a CdlError takes over the message."""


def decode_value(value: Any, nc_type: NcType) -> Value:
    """Decode one value of type `nc_type`. Raise WrongValueError if it does not fit."""
    match nc_type:
        case Atomic.CHAR:
            chars = decode_chars(value)
            if len(chars) > 1:
                raise WrongValueError(f"{show(value)} is more than one char")
            return (chars or b"\0").decode("latin-1")
        case Atomic.STRING:
            if value is None or isinstance(value, str):
                return value
            raise WrongValueError(f"{show(value)} is not text, and the type is string")
        case Atomic() if nc_type.is_floating:
            return _decode_float(value, nc_type)
        case Atomic():
            return _decode_integer(value, nc_type)
        case Enumeration(base=base):
            return _decode_integer(value, base)
        case Opaque(size=size):
            if isinstance(value, str) and _HEX.fullmatch(value) and len(value) == 2 * size:
                return bytes.fromhex(value)
            wanted = quantity(size, "byte")
            raise WrongValueError(f"{show(value)} is not {wanted} in hexadecimal digits")
        case Vlen(base=Atomic.CHAR):
            return tuple(decode_chars(value).decode("latin-1"))
        case Vlen(base=base):
            return tuple(decode_value(v, base) for v in _check_list(value, None, nc_type.name))
        case Compound(fields=fields):
            values = _check_list(value, len(fields), nc_type.name)
            return tuple(_decode_field(v, f) for v, f in zip(values, fields, strict=True))


def decode_chars(value: Any) -> bytes:
    """Encode a text to chars. Raise WrongValueError if it is not text."""
    if not isinstance(value, str):
        raise WrongValueError(f"{show(value)} is not text, and the type is char")
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")


def _decode_field(value: Any, part: Field) -> Value:
    if not part.shape:
        return decode_value(value, part.type)
    size = math.prod(part.shape)
    if part.type is Atomic.CHAR:
        chars = decode_chars(value)
        if len(chars) > size:
            raise WrongValueError(f"{show(value)} is longer than {quantity(size, 'byte')}")
        return tuple(chars.ljust(size, b"\0").decode("latin-1"))
    return tuple(decode_value(v, part.type) for v in _check_list(value, size, part.name))


def _check_list(value: Any, size: int | None, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise WrongValueError(f"{show(value)} is not a list of the values of {what}")
    if size is not None and len(value) != size:
        raise WrongValueError(f"{what} has {quantity(size, 'value')}, not {len(value)}")
    return value


def _decode_integer(value: Any, atomic: Atomic) -> int:
    if type(value) is not int:
        raise WrongValueError(f"{show(value)} is not a whole number, and the type is {atomic.word}")
    low, high = atomic.limits
    if not low <= value <= high:
        raise WrongValueError(f"{show(value)} does not fit {atomic.word} ({low} to {high})")
    return value


def _decode_float(element: Any, atomic: Atomic) -> float:
    if isinstance(element, str) and element in NONFINITE:
        return NONFINITE[element]
    if isinstance(element, bool) or not isinstance(element, int | float):
        raise WrongValueError(f"{show(element)} is not a number, and the type is {atomic.word}")
    try:
        with np.errstate(over="ignore"):
            value = float(np.float32(element)) if atomic is Atomic.FLOAT else float(element)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        raise WrongValueError(f"{show(element)} is too large for {atomic.word}")
    return value


def show(value: Any) -> str:
    """Return a short form of a value for messages."""
    return shorten(repr(value))
