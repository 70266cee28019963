"""Every form of array that the installed zarr-python registers: data types, codecs and grids.

A name that a new version registers has no example here, so that a test fails until it has one.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ncz.record import record

SHAPE = (7, 5)
CHUNKS = (4, 2)
LENGTHS = ((4, 3), (2, 3))
INNER = (2, 1)
"""The chunks of a shard; they divide all lengths of `CHUNKS`, the lengths of the shards."""


@record
class DataType:
    """An example of a data type: as a document spells it, numpy's dtype, and a fill value."""

    document: Any
    dtype: str
    fill: Any
    serializer: str = "bytes"

    def values(self) -> Any:
        """Return values, including fill values."""
        numbers = (np.arange(35) % 11).reshape(SHAPE)
        match np.dtype(self.dtype).kind if self.dtype[0] not in "[O" else self.dtype[0]:
            case "b":
                return numbers % 2 == 0
            case "c":
                return (numbers + 1j * (numbers % 3)).astype(self.dtype)
            case "U":
                return np.array(["", "a", "äö€"], self.dtype)[numbers % 3]
            case "S" | "V":
                return np.array([b"", b"a", b"\xff\x01"], "S2")[numbers % 3].astype(self.dtype)
            case "O":
                texts = ["", "a", "äö€ longer"]
                objects = [t.encode() for t in texts] if "bytes" in self.document else texts
                return np.array(objects, object)[numbers % 3]
            case "[":
                made = np.zeros(SHAPE, [("a", "<i2"), ("b", "<f4")])
                made["a"], made["b"] = numbers, numbers / 2
                return made
            case "M" | "m":
                times = (numbers * 1000).astype(self.dtype)
                times[0, 0] = "NaT"
                return times
            case _:
                return numbers.astype(self.dtype)


def _named(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


_STRUCT = {"fields": [{"name": "a", "data_type": "int16"}, {"name": "b", "data_type": "float32"}]}

DATA_TYPES: dict[str, DataType] = {
    "bool": DataType("bool", "?", False),
    **{f"int{n}": DataType(f"int{n}", f"i{n // 8}", 3) for n in (8, 16, 32, 64)},
    **{f"uint{n}": DataType(f"uint{n}", f"u{n // 8}", 3) for n in (8, 16, 32, 64)},
    **{f"float{n}": DataType(f"float{n}", f"f{n // 8}", 3.0) for n in (16, 32, 64)},
    "complex64": DataType("complex64", "c8", [0.0, 0.0]),
    "complex128": DataType("complex128", "c16", [0.0, 0.0]),
    "fixed_length_utf32": DataType(_named("fixed_length_utf32", length_bytes=12), "U3", ""),
    "string": DataType("string", "O", "", "vlen-utf8"),
    "raw_bytes": DataType(_named("raw_bytes", length_bytes=2), "V2", "AAA="),
    "null_terminated_bytes": DataType(_named("null_terminated_bytes", length_bytes=2), "S2", ""),
    "variable_length_bytes": DataType("variable_length_bytes", "O", "", "vlen-bytes"),
    "struct": DataType({"name": "struct", "configuration": _STRUCT}, "[", {"a": 1, "b": 0.5}),
    "numpy.datetime64": DataType(
        _named("numpy.datetime64", unit="s", scale_factor=1), "M8[s]", "NaT"
    ),
    "numpy.timedelta64": DataType(
        _named("numpy.timedelta64", unit="ms", scale_factor=1), "m8[ms]", "NaT"
    ),
}  # fmt: skip
"""An example of each registered data type."""


@record
class CodecExample:
    """The use of a codec: its place, and its data types; all if None."""

    place: str
    configuration: dict[str, Any] | None = None
    types: tuple[str, ...] | None = None


_NUMBERS = tuple(name for name in DATA_TYPES if name.startswith(("int", "uint", "float")))
_FLOATS = ("float32", "float64")

CODECS: dict[str, CodecExample] = {
    "blosc": CodecExample(
        "compressor",
        {"cname": "zstd", "clevel": 1, "shuffle": "noshuffle", "typesize": 2, "blocksize": 0},
    ),
    "cast_value": CodecExample(
        "filter", {"data_type": "int16", "scalar_map": {"encode": [["NaN", -1]]}}, _FLOATS
    ),
    "bytes": CodecExample("serializer", {"endian": "big"}, (*_NUMBERS, "complex64")),
    "endian": CodecExample("serializer", None, ()),  # an old name, which its codec refuses
    "crc32c": CodecExample("compressor"),
    "gzip": CodecExample("compressor", {"level": 1}),
    "scale_offset": CodecExample("filter", {"offset": 1, "scale": 2}, ("int16", *_FLOATS)),
    "sharding_indexed": CodecExample("shards"),
    "zstd": CodecExample("compressor", {"level": 1, "checksum": True}),
    "vlen-utf8": CodecExample("serializer", None, ("string",)),
    "vlen-bytes": CodecExample("serializer", None, ("variable_length_bytes",)),
    "transpose": CodecExample("filter", {"order": [1, 0]}),
    "numcodecs.bz2": CodecExample("compressor", {"level": 1}),
    "numcodecs.crc32": CodecExample("compressor"),
    "numcodecs.crc32c": CodecExample("compressor"),
    "numcodecs.lz4": CodecExample("compressor", {"acceleration": 1}),
    "numcodecs.lzma": CodecExample("compressor", {"preset": 1}),
    "numcodecs.zfpy": CodecExample("serializer", {"mode": 4, "tolerance": 0}, _FLOATS),
    "numcodecs.adler32": CodecExample("compressor"),
    "numcodecs.astype": CodecExample(
        "filter", {"encode_dtype": "<f8", "decode_dtype": "<f4"}, ("float32",)
    ),
    "numcodecs.bitround": CodecExample("filter", {"keepbits": 20}, _FLOATS),
    "numcodecs.blosc": CodecExample("compressor", {"cname": "lz4", "clevel": 1, "shuffle": 0}),
    "numcodecs.delta": CodecExample("filter", {"dtype": "<i4"}, ("int32",)),
    "numcodecs.fixedscaleoffset": CodecExample(
        "filter", {"offset": 0, "scale": 1, "dtype": "<f4", "astype": "<i2"}, ("float32",)
    ),
    "numcodecs.fletcher32": CodecExample("compressor", None, ("int16", "float64")),
    "numcodecs.gzip": CodecExample("compressor", {"level": 1}),
    "numcodecs.jenkins_lookup3": CodecExample("compressor", {"initval": 0}),
    "numcodecs.pcodec": CodecExample("serializer", {"level": 1}, ("int32", *_FLOATS)),
    "numcodecs.packbits": CodecExample("filter", None, ("bool",)),
    "numcodecs.quantize": CodecExample(
        "filter", {"digits": 3, "dtype": "<f4", "astype": "<f4"}, ("float32",)
    ),
    "numcodecs.shuffle": CodecExample("compressor", {"elementsize": 4}, ("int32", "float32")),
    "numcodecs.zlib": CodecExample("compressor", {"level": 1}),
    "numcodecs.zstd": CodecExample("compressor", {"level": 1}),
}
"""An example of each registered codec."""

GRIDS = ("regular", "rectilinear")


@record
class Form:
    """One form of array: the names of its data type, codec and grid, and whether it has shards."""

    data_type: str
    codec: str
    grid: str
    is_sharded: bool

    def __str__(self) -> str:
        shards = "-shards" if self.is_sharded else ""
        return f"{self.data_type}-{self.codec}-{self.grid}{shards}"


def forms() -> Iterator[Form]:
    """Yield forms that combine each data type, codec and structure with each of the others.

    A structure is a grid with or without shards. A codec of few data types has all structures with
    each of them.
    """
    structures = list(itertools.product(GRIDS, (False, True)))
    for place, (codec, example) in enumerate(CODECS.items()):
        names = DATA_TYPES if example.types is None else example.types
        for number, name in enumerate(names):
            turn = (place + number) % len(structures)
            for grid, is_sharded in structures if len(names) < 4 else structures[turn : turn + 1]:
                if is_sharded or example.place != "shards":
                    yield Form(name, codec, grid, is_sharded)


def chain_of(form: Form) -> list[Any]:
    """Return the list of codecs of an array."""
    data_type, example = DATA_TYPES[form.data_type], CODECS[form.codec]
    configuration = example.configuration
    codec: dict[str, Any] = {"name": form.codec}
    if configuration is not None or form.codec.startswith("numcodecs."):
        codec["configuration"] = configuration or {}
    serializer: Any = {"name": data_type.serializer}
    if data_type.serializer == "bytes":
        serializer["configuration"] = {"endian": "little"}
    chain = {
        "filter": [codec, serializer],
        "serializer": [codec],
        "compressor": [serializer, codec],
        "shards": [serializer],
    }[example.place]
    if not form.is_sharded:
        return chain
    index = [_named("bytes", endian="little"), {"name": "crc32c"}]
    return [
        _named(
            "sharding_indexed", chunk_shape=[*INNER], codecs=chain, index_codecs=index,
            index_location="end",
        )
    ]  # fmt: skip


def write(form: Form, path: Path) -> Any:
    """Write a store with one array, and return the values that zarr-python reads."""
    import zarr

    data_type = DATA_TYPES[form.data_type]
    grid = _named("regular", chunk_shape=[*CHUNKS])
    if form.grid == "rectilinear":
        lengths = LENGTHS if not form.is_sharded else ((4, 4), (2, 3))
        grid = _named("rectilinear", kind="inline", chunk_shapes=[[*n] for n in lengths])
    document = {
        "zarr_format": 3, "node_type": "array", "shape": [*SHAPE], "chunk_grid": grid,
        "data_type": data_type.document, "chunk_key_encoding": {"name": "default"},
        "fill_value": data_type.fill, "codecs": chain_of(form), "attributes": {},
        "dimension_names": ["y", "x"],
    }  # fmt: skip
    (path / "v").mkdir(parents=True)
    (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (path / "v" / "zarr.json").write_text(json.dumps(document))
    with zarr.config.set({"array.rectilinear_chunks": True}):
        array = zarr.open_array(path / "v", mode="r+")
        array[:4] = data_type.values()[:4]  # the chunks below are missing
        return array[...]
