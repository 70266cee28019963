"""Encode rows of values as JSON, as `ncz.model.json_encoding` does single ones."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.json_encoding import encode_float, encode_value, to_json
from ncz.model.types import Atomic, NcType
from ncz.text.format_values import Precision, default_format

if TYPE_CHECKING:
    from ncz.model.data import Values


def finite(value: Any) -> Any:
    """Convert JSON of a store for `to_json`: a number like 1e999 becomes text."""
    if isinstance(value, float) and not math.isfinite(value):
        return encode_float(value, Atomic.DOUBLE)
    if isinstance(value, dict):
        return {key: finite(member) for key, member in value.items()}
    return [finite(member) for member in value] if isinstance(value, list) else value


def encode_rows(values: Values, nc_type: NcType) -> Sequence[str]:
    """Encode each row of a 2-D array of any type but char: its values joined by ``, ``."""
    if isinstance(nc_type, Atomic) and nc_type.is_floating:
        texts = _encode_floats(values.reshape(-1), nc_type)
        columns = values.shape[1]
        return [", ".join(texts[i : i + columns]) for i in range(0, len(texts), columns)]
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return json.dumps(values.tolist())[2:-2].split("], [")
    return [to_json([encode_value(v, nc_type) for v in row])[1:-1] for row in values.tolist()]


def _encode_floats(values: Values, nc_type: Atomic) -> list[str]:
    """Encode a flat array of float32 or float64.

    Most decimal numbers are identified by the digits that CDL prints, which are fast to format.
    Only the others are formatted with the shortest representation.
    """
    from ncz.text.number_rows import format_rows
    from ncz.text.parse_numbers import parse_floats

    text = format_rows(values.reshape(1, -1), nc_type, default_format(nc_type, Precision()))
    parsed = parse_floats(text, 0.0)
    if parsed is None:
        return _encode_shortest(values)
    texts = text.decode("ascii").split(", ")
    with np.errstate(over="ignore", invalid="ignore"):
        others = np.flatnonzero(parsed[0].astype(values.dtype) != values)  # includes NaN
        others = np.union1d(others, np.flatnonzero(np.isinf(values)))
        whole = np.flatnonzero(np.trunc(values) == values)
    for number in whole.tolist():
        if "e" not in texts[number]:
            texts[number] += ".0"
    for number, shortest in zip(others.tolist(), _encode_shortest(values[others]), strict=True):
        texts[number] = shortest
    return texts


def _encode_shortest(values: Values) -> list[str]:
    """Encode with the fewest digits that identify a number when parsed as a double."""
    if values.dtype == np.float64:
        return [to_json(encode_float(value, Atomic.DOUBLE)) for value in values.tolist()]
    text = values.astype("U")
    # A text is parsed as a double first, which may be the midpoint of two floats.
    again = text.astype(np.float64).astype(np.float32)
    texts: list[str] = text.tolist()
    for number in np.flatnonzero((again != values) | np.isinf(values)).tolist():  # includes NaN
        value = encode_float(float(values[number]), Atomic.DOUBLE)
        texts[number] = to_json(value) if isinstance(value, str) else f"{value:.9g}"
    return texts
