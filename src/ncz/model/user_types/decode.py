"""Decode single JSON values to values of a netCDF type. Source: docs/json.md, "Values"."""

from __future__ import annotations

import math
import re
from typing import Any

from ncz.errors import shorten
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Value, Vlen
from ncz.model.user_types.encode import NONFINITE

_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")


class WrongValueError(ValueError):
    """A JSON value does not have the type; the message becomes that of a CdlError."""


def decode_value(given: Any, nc_type: NcType) -> Value:
    """Decode one value of type `nc_type`. Raise WrongValueError if it does not fit."""
    match nc_type:
        case Atomic.CHAR:
            chars = decode_chars(given)
            if len(chars) > 1:
                raise WrongValueError(f"{show(given)} is more than one char")
            return (chars or b"\0").decode("latin-1")
        case Atomic.STRING:
            if given is None or isinstance(given, str):
                return given
            raise WrongValueError(f"{show(given)} is not text, and the type is string")
        case Atomic() if nc_type.is_floating:
            return _decode_float(given, nc_type)
        case Atomic():
            return _decode_integer(given, nc_type)
        case Enumeration(base=base):
            return _decode_integer(given, base)
        case Opaque(size=size):
            if isinstance(given, str) and _HEX.fullmatch(given) and len(given) == 2 * size:
                return bytes.fromhex(given)
            raise WrongValueError(f"{show(given)} is not {size} bytes in hexadecimal digits")
        case Vlen(base=Atomic.CHAR):
            return tuple(decode_chars(given).decode("latin-1"))
        case Vlen(base=base):
            return tuple(decode_value(v, base) for v in _check_list(given, None, nc_type.name))
        case Compound(fields=fields):
            values = _check_list(given, len(fields), nc_type.name)
            return tuple(_decode_field(v, f) for v, f in zip(values, fields, strict=True))


def decode_chars(given: Any) -> bytes:
    """Encode a text to chars. Raise WrongValueError if it is not text."""
    if not isinstance(given, str):
        raise WrongValueError(f"{show(given)} is not text, and the type is char")
    try:
        return given.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return given.encode("utf-8", "surrogatepass")


def _decode_field(given: Any, part: Field) -> Value:
    if not part.shape:
        return decode_value(given, part.type)
    size = math.prod(part.shape)
    if part.type is Atomic.CHAR:
        chars = decode_chars(given)
        if len(chars) > size:
            raise WrongValueError(f"{show(given)} is longer than {size} bytes")
        return tuple(chars.ljust(size, b"\0").decode("latin-1"))
    return tuple(decode_value(v, part.type) for v in _check_list(given, size, part.name))


def _check_list(given: Any, size: int | None, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise WrongValueError(f"{show(given)} is not a list of the values of {what}")
    if size is not None and len(given) != size:
        raise WrongValueError(f"{what} has {size} values, not {len(given)}")
    return given


def _decode_integer(given: Any, atomic: Atomic) -> int:
    if type(given) is not int:
        raise WrongValueError(f"{show(given)} is not a whole number, and the type is {atomic.word}")
    low, high = atomic.limits
    if not low <= given <= high:
        raise WrongValueError(f"{show(given)} does not fit {atomic.word} ({low} to {high})")
    return given


def _decode_float(given: Any, atomic: Atomic) -> float:
    import numpy as np

    if isinstance(given, str) and given in NONFINITE:
        return NONFINITE[given]
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise WrongValueError(f"{show(given)} is not a number, and the type is {atomic.word}")
    try:
        with np.errstate(over="ignore"):
            value = float(np.float32(given)) if atomic is Atomic.FLOAT else float(given)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        raise WrongValueError(f"{show(given)} is too large for {atomic.word}")
    return value


def show(given: Any) -> str:
    """Return a short form of a value for messages."""
    return shorten(repr(given))
