"""Encode rows of values as JSON, as `ncz.model.json_encoding` does single ones."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.json_encoding import encode_float, encode_value, to_json
from ncz.model.types import Atomic, NcType

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
        texts = _encode_floats(values.reshape(-1))
        columns = values.shape[1]
        return [", ".join(texts[i : i + columns]) for i in range(0, len(texts), columns)]
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return json.dumps(values.tolist())[2:-2].split("], [")
    return [to_json([encode_value(v, nc_type) for v in row])[1:-1] for row in values.tolist()]


def _encode_floats(values: Values) -> list[str]:
    """Encode a flat array of float32 or float64, with the fewest digits that identify a number."""
    from ncz.text.shortest_floats import shortest_floats

    is_finite = np.isfinite(values)
    if is_finite.all():
        return shortest_floats(values)
    texts = np.empty(values.size, object)
    texts[is_finite] = shortest_floats(values[is_finite])
    others = [to_json(encode_float(v, Atomic.DOUBLE)) for v in values[~is_finite].tolist()]
    texts[~is_finite] = others
    encoded: list[str] = texts.tolist()
    return encoded
