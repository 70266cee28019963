"""Encode single values as JSON, exactly and in the same way on every machine.

Numbers have the fewest digits that identify them within their type. JSON has neither NaN nor
infinities, so they are text, as in Zarr's metadata. Text is UTF-8; a byte that is not valid UTF-8
becomes a lone surrogate, U+DC80 to U+DCFF, which is written as an escape.

Source: docs/reference/json.md, "Values".
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from ncz.model.single_precision import shortest_single
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Value, Vlen

NONFINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""The numbers that JSON does not have, by their text."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(document: Any) -> str:
    """Write a document on one line. It may contain any text, but no NaN."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def encode_float(value: float, nc_type: Atomic) -> float | str:
    """Convert a float or double for `to_json`."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return shortest_single(value) if nc_type is Atomic.FLOAT else float(value)


def encode_value(value: Value, nc_type: NcType) -> Any:
    """Convert one value of any type for `to_json`."""
    match nc_type:
        case Atomic.CHAR:
            return value.encode("latin-1").decode("utf-8", "surrogateescape")
        case Atomic():
            return encode_float(value, nc_type) if nc_type.is_floating else value
        case Opaque():
            return value.hex()
        case Enumeration():
            return value
        case Vlen(base=Atomic.CHAR):
            return "".join(value).encode("latin-1").decode("utf-8", "surrogateescape")
        case Vlen(base=base):
            return [encode_value(v, base) for v in value]
        case Compound(fields=fields):
            pairs = zip(fields, value, strict=True)
            return [_encode_field(v, field) for field, v in pairs]


def _encode_field(value: Value, field: Field) -> Any:
    if not field.shape:
        return encode_value(value, field.type)
    if field.type is Atomic.CHAR:
        return chars_to_text("".join(value).encode("latin-1"))
    return [encode_value(v, field.type) for v in value]


def chars_to_text(chars: bytes) -> str:
    """Convert chars to text, without trailing NULs, which a reader adds again by the length."""
    return chars.rstrip(b"\0").decode("utf-8", "surrogateescape")
