"""Stores of Zarr V3 whose codecs change the dtype or the shape of arrays, also in shards."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

SHAPE = [4, 6]


def _named(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


_LITTLE, _BIG = _named("bytes", endian="little"), _named("bytes", endian="big")
_CAST = _named(
    "cast_value", data_type="int16", rounding="towards-zero", out_of_range="clamp",
    scalar_map={"encode": [["NaN", -1]], "decode": [[-1, "NaN"]]},
)  # fmt: skip
_SCALE = _named("scale_offset", offset=-2, scale=10)


def _shard(chunks: list[int], *codecs: Any) -> dict[str, Any]:
    return _named(
        "sharding_indexed", chunk_shape=chunks, codecs=[*codecs], index_location="start",
        index_codecs=[_LITTLE, {"name": "crc32c"}],
    )  # fmt: skip


_CHAINS: list[tuple[str, list[Any]]] = [
    ("float32", [_SCALE, _CAST, _LITTLE]),
    ("float64", [_CAST, _BIG, _named("zstd", level=1, checksum=False)]),
    ("int32", [_named("scale_offset", offset=-3, scale=2), _LITTLE, {"name": "crc32c"}]),
    ("int16", [_named("reshape", shape=[[0, 1]]), _LITTLE]),
    ("int16", [_named("reshape", shape=[3, -1]), _named("transpose", order=[1, 0]), _LITTLE]),
    ("bool", [_named("packbits", padding_encoding="first_byte")]),
    ("int32", [_named("packbits", first_bit=0, last_bit=6)]),
    ("int16", [_named("transpose", order=[1, 0]), _shard([3, 2], _LITTLE)]),
    ("float32", [_SCALE, _shard([2, 3], _CAST, _LITTLE), _named("gzip", level=1)]),
    ("float32", [_shard([4, 3], _SCALE, _shard([2, 3], _CAST, _BIG))]),
    ("int16", [_named("bitround", keepbits=4), _LITTLE]),
    ("int32", [_named("n5_default", codecs=[_named("transpose", order=[1, 0]), _BIG])]),
    (
        "float64",
        [
            _named(
                "n5_default",
                codecs=[_named("transpose", order=[1, 0]), _BIG, _named("gzip", level=1)],
            )
        ],
    ),
    (
        "float32",
        [
            _LITTLE,
            _named(
                "conditional", codecs=[_named("zstd", level=1, checksum=False), {"name": "crc32c"}]
            ),
        ],
    ),
    ("float32", [_named("zfp", mode="reversible")]),
    ("uint16", [_shard([2, 3], _named("zfp", mode="reversible"))]),
    ("int4", [{"name": "bytes"}]),
    ("uint2", [{"name": "packbits"}]),
    ("bfloat16", [_BIG]),
    ("float8_e5m2", [{"name": "bytes"}]),
    ("complex_float16", [_BIG]),
    ("complex_bfloat16", [{"name": "packbits"}]),
]


def _values(dtype: Any) -> Any:
    """Return zeros and ones; complex numbers have them as both parts."""
    import numpy as np

    plain = (np.arange(24) % 2).reshape(SHAPE)
    if dtype.names is None:
        return plain.astype(dtype)
    values = np.empty(SHAPE, dtype)
    for name in dtype.names:
        values[name] = plain
    return values


def stores() -> Iterator[dict[str, bytes]]:
    """Yield the files of stores of one array, also of the types of ml_dtypes if it is installed."""

    from ncz.codec.element_types import numpy_type
    from ncz.errors import CodecMissing
    from ncz.formats.zarr.arrays.array import encode_elements
    from ncz.formats.zarr.documents.document_v3 import read_array

    for data_type, codecs in _CHAINS:
        document = {
            "zarr_format": 3, "node_type": "array", "shape": SHAPE, "data_type": data_type,
            "chunk_grid": _named("regular", chunk_shape=SHAPE), "codecs": codecs,
            "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "attributes": {},
            "dimension_names": ["y", "x"],
        }  # fmt: skip
        with contextlib.suppress(CodecMissing):
            dtype = numpy_type("u1" if data_type == "bool" else data_type)
            values = _values(dtype)
            array = read_array(document, "a")
            encoding = array.encoding(nczarr=False, alias=None, type_name="/t")
            chunk = encode_elements(values, array.layout, encoding, "a", 0)
            assert chunk is not None
            yield {
                "zarr.json": b'{"zarr_format": 3, "node_type": "group"}',
                "values/zarr.json": json.dumps(document).encode(),
                "values/c/0/0": chunk,
            }
