"""The catalogue of codecs: each entry against numcodecs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numcodecs.registry import codec_registry

from ncz.codec import Codec, Parameter
from ncz.codec.catalogue import codecs

CODECS = list(codecs())

REQUIRED: dict[str, dict[str, Any]] = {
    "delta": {"dtype": "<f4"},
    "fixedscaleoffset": {"scale": 1, "offset": 0, "dtype": "<f4", "astype": "<f4"},
    "quantize": {"digits": 3, "dtype": "<f4"},
    "bitround": {"keepbits": 23},
    "astype": {"encode_dtype": "<f8", "decode_dtype": "<f4"},
    "categorize": {"labels": ["a", "b"], "dtype": "|O"},
    "vlen-array": {"dtype": "<i4"},
    "transpose": {"order": [0]},
    "cast_value": {"data_type": "int32"},
    "reshape": {"shape": [-1]},
    "sharding_indexed": {"chunk_shape": [2]},
    "zarr.bitround": {"keepbits": 3},
    "zfp": {"mode": "reversible"},
    "n5_default": {"codecs": []},
    "conditional": {"codecs": [{"id": "zstd", "level": 1, "checksum": False}]},
}
"""Required parameters of codecs."""

OBJECTS = {
    "vlen-bytes": [b"x", b""],
    "vlen-array": [np.array([1, 2], "<i4"), np.array([], "<i4")],
}
VALUES = np.arange(-250, 250, dtype="<f4")
BOTH = [codec for codec in CODECS if codec.can_encode and codec.id in codec_registry]
BYTES = [
    codec
    for codec in BOTH
    if codec.kind in ("compressor", "bytes filter", "checksum") and not codec.needs_array
]


def named(codec: Codec) -> str:
    return codec.id


def configuration(codec: Codec, **parameters: Any) -> dict[str, Any]:
    return {"id": codec.id, **REQUIRED.get(codec.id, {}), **parameters}


def ends(parameter: Parameter) -> list[Any]:
    """Return the valid values to try: both ends of a range, or all choices."""
    if parameter.choices:
        return list(parameter.choices)
    if parameter.type == "integer":
        return [parameter.least, parameter.most]
    return [True, False] if parameter.type == "boolean" else []


def beyond(parameter: Parameter) -> list[Any]:
    """Return values that must be refused."""
    if parameter.choices:
        return ["unheard-of", 77, True]
    match parameter.type:
        case "integer":
            assert parameter.least is not None
            assert parameter.most is not None
            return [parameter.least - 1, parameter.most + 1, "1", 1.0, True]
        case "boolean":
            return [1, "true"]
        case "number":
            return ["1", True]
        case "text":
            return [1, "", True]
        case _:
            return []


def pairs() -> Iterator[Any]:
    for codec in CODECS:
        for parameter in codec.parameters:
            yield pytest.param(codec, parameter, id=f"{codec.id}-{parameter.name}")
