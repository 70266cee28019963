"""JSON values as values of a type, one by one. docs/json.md, "Values"."""

from __future__ import annotations

import math
import re
from typing import Any

from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Value, Vlen
from ncz.views.json.text import SPECIALS

_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")
_SHOWN = 40


class WrongValue(ValueError):
    """A JSON value that is not of the type; the message is for people."""


def to_value(given: Any, nc_type: NcType) -> Value:
    """One JSON value as one value of `nc_type`. Raises WrongValue."""
    match nc_type:
        case Atomic.CHAR:
            chars = to_chars(given)
            if len(chars) > 1:
                raise WrongValue(f"{shown(given)} is more than one char")
            return (chars or b"\0").decode("latin-1")
        case Atomic.STRING:
            if given is None or isinstance(given, str):
                return given
            raise WrongValue(f"{shown(given)} is not text, and this is string")
        case Atomic() if nc_type.is_floating:
            return _to_floating(given, nc_type)
        case Atomic():
            return _to_integer(given, nc_type)
        case Enumeration(base=base):
            return _to_integer(given, base)
        case Opaque(size=size):
            if isinstance(given, str) and _HEX.fullmatch(given) and len(given) == 2 * size:
                return bytes.fromhex(given)
            raise WrongValue(f"{shown(given)} is not {size} bytes in hexadecimal digits")
        case Vlen(base=Atomic.CHAR):
            return tuple(to_chars(given).decode("latin-1"))
        case Vlen(base=base):
            return tuple(to_value(v, base) for v in _list(given, None, nc_type.name))
        case Compound(fields=fields):
            values = _list(given, len(fields), nc_type.name)
            return tuple(_to_field(v, f) for v, f in zip(values, fields, strict=True))


def to_chars(given: Any) -> bytes:
    """The bytes of a text. Raises WrongValue."""
    if not isinstance(given, str):
        raise WrongValue(f"{shown(given)} is not text, and this is char")
    try:
        return given.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return given.encode("utf-8", "surrogatepass")


def _to_field(given: Any, part: Field) -> Value:
    if not part.shape:
        return to_value(given, part.type)
    size = math.prod(part.shape)
    if part.type is Atomic.CHAR:
        chars = to_chars(given)
        if len(chars) > size:
            raise WrongValue(f"{shown(given)} is longer than {size} bytes")
        return tuple(chars.ljust(size, b"\0").decode("latin-1"))
    return tuple(to_value(v, part.type) for v in _list(given, size, part.name))


def _list(given: Any, size: int | None, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise WrongValue(f"{shown(given)} is no list, which {what} needs")
    if size is not None and len(given) != size:
        raise WrongValue(f"{what} has {size} values, and these are {len(given)}")
    return given


def _to_integer(given: Any, atomic: Atomic) -> int:
    if type(given) is not int:
        raise WrongValue(f"{shown(given)} is not a whole number, and this is {atomic.word}")
    low, high = atomic.limits
    if not low <= given <= high:
        raise WrongValue(f"{shown(given)} does not fit {atomic.word} ({low} to {high})")
    return given


def _to_floating(given: Any, atomic: Atomic) -> float:
    import numpy as np

    if isinstance(given, str) and given in SPECIALS:
        return SPECIALS[given]
    if type(given) not in (int, float):
        raise WrongValue(f"{shown(given)} is not a number, and this is {atomic.word}")
    try:
        with np.errstate(over="ignore"):
            value = float(np.float32(given)) if atomic is Atomic.FLOAT else float(given)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        raise WrongValue(f"{shown(given)} is too large for {atomic.word}")
    return value


def shown(given: Any) -> str:
    return repr(given)[:_SHOWN]
