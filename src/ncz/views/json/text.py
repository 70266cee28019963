"""Values as JSON: exact, and the same whatever wrote them. docs/json.md, "Values".

Numbers have as few digits as read back as the same number of their type. JSON has no NaN and
no infinities, so those are text, as in Zarr's metadata. Text is UTF-8; a byte that is not
becomes a lone surrogate, U+DC80 to U+DCFF, which is written as an escape.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Value, Vlen
from ncz.text.format_values import Precision, default_format

if TYPE_CHECKING:
    from ncz.model.data import Values

SPECIALS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""The text of the numbers that JSON does not have."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(document: Any) -> str:
    """`document` on one line: any text in it, no NaN."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def floating(value: float, nc_type: Atomic) -> float | str:
    """A float or double as `to_json` takes it."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return float(_single(value)) if nc_type is Atomic.FLOAT else float(value)


def one_value(value: Value, nc_type: NcType) -> Any:
    """One value of any type as `to_json` takes it."""
    match nc_type:
        case Atomic.CHAR:
            return value.encode("latin-1").decode("utf-8", "surrogateescape")
        case Atomic():
            return floating(value, nc_type) if nc_type.is_floating else value
        case Opaque():
            return value.hex()
        case Enumeration():
            return value
        case Vlen(base=Atomic.CHAR):
            return text_of_chars("".join(value).encode("latin-1"))
        case Vlen(base=base):
            return [one_value(v, base) for v in value]
        case Compound(fields=fields):
            pairs = zip(fields, value, strict=True)
            return [_field_value(v, field) for field, v in pairs]


def _field_value(value: Value, field: Field) -> Any:
    if not field.shape:
        return one_value(value, field.type)
    if field.type is Atomic.CHAR:
        return text_of_chars("".join(value).encode("latin-1"))
    return [one_value(v, field.type) for v in value]


def text_of_chars(chars: bytes) -> str:
    """Chars as text: without the NULs at their end, which whoever knows the length puts back."""
    return chars.rstrip(b"\0").decode("utf-8", "surrogateescape")


def row_texts(values: Values, nc_type: NcType) -> Sequence[str]:
    """For each row of a 2-D array, its values joined by ``, ``. Not for char."""
    if isinstance(nc_type, Atomic) and nc_type.is_floating:
        texts = _floats(values.reshape(-1), nc_type)
        columns = values.shape[1]
        return [", ".join(texts[i : i + columns]) for i in range(0, len(texts), columns)]
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return json.dumps(values.tolist())[2:-2].split("], [")
    return [to_json([one_value(v, nc_type) for v in row])[1:-1] for row in values.tolist()]


def _single(value: float) -> str:
    """A single-precision number, not infinite, as JSON."""
    import numpy as np

    return _slowly(np.array([value], np.float32))[0]


def _floats(values: Values, nc_type: Atomic) -> list[str]:
    """A flat array of float32 or float64 as JSON.

    Most numbers that were ever written in decimals come back from the digits that CDL has of them,
    which are soon made; only the others are asked for all that they need.
    """
    import numpy as np

    from ncz.text.format_rows import format_rows
    from ncz.text.parse_floats import read_decimals

    text = format_rows(values.reshape(1, -1), nc_type, default_format(nc_type, Precision()))
    found = read_decimals(text, 0.0)
    if found is None:
        return _slowly(values)
    texts = text.decode("ascii").split(", ")
    with np.errstate(over="ignore", invalid="ignore"):
        others = np.flatnonzero(found[0].astype(values.dtype) != values)  # NaN among them
        others = np.union1d(others, np.flatnonzero(np.isinf(values)))
        whole = np.flatnonzero(np.trunc(values) == values)
    for number in whole.tolist():
        if "e" not in texts[number]:
            texts[number] += ".0"
    for number, spelt in zip(others.tolist(), _slowly(values[others]), strict=True):
        texts[number] = spelt
    return texts


def _slowly(values: Values) -> list[str]:
    """The same, with the fewest digits that give the number again when it is read as a double."""
    import numpy as np

    if values.dtype == np.float64:
        return [to_json(floating(value, Atomic.DOUBLE)) for value in values.tolist()]
    text = values.astype("U")
    # A text is read as a double first, which may lie on the border between two floats.
    again = text.astype(np.float64).astype(np.float32)
    texts: list[str] = text.tolist()
    for number in np.flatnonzero((again != values) | np.isinf(values)).tolist():  # and NaN
        value = floating(float(values[number]), Atomic.DOUBLE)
        texts[number] = to_json(value) if isinstance(value, str) else f"{value:.9g}"
    return texts
