"""Values as JSON: exact, and the same whatever wrote them. docs/json.md, "Values".

Numbers have the fewest digits that read back as the same number of their type. JSON has no NaN and
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
    import numpy as np

    if nc_type is Atomic.FLOAT:
        texts = _singles(values.reshape(-1))
        columns = values.shape[1]
        return [", ".join(texts[i : i + columns]) for i in range(0, len(texts), columns)]
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        rows = values.tolist()
        if nc_type.is_floating and not np.isfinite(values).all():
            rows = [[floating(value, nc_type) for value in row] for row in rows]
        return json.dumps(rows)[2:-2].split("], [")
    return [to_json([one_value(v, nc_type) for v in row])[1:-1] for row in values.tolist()]


def _single(value: float) -> str:
    """The fewest digits of a single-precision number that give it again, read as a double."""
    import numpy as np

    return _singles(np.array([value], np.float32))[0]


def _singles(values: Values) -> list[str]:
    """`values`, of dtype float32, as JSON."""
    import numpy as np

    text = values.astype("U")
    # A text is read as a double first, which may lie on the border between two floats.
    again = text.astype(np.float64).astype(np.float32)
    texts: list[str] = text.tolist()
    for number in np.flatnonzero(again != values).tolist():  # and NaN
        value = floating(float(values[number]), Atomic.DOUBLE)
        texts[number] = f'"{value}"' if isinstance(value, str) else f"{value:.9g}"
    for number in np.flatnonzero(np.isinf(values)).tolist():
        texts[number] = '"Infinity"' if values[number] > 0 else '"-Infinity"'
    return texts
