"""Metadata documents, most of them not valid, and where ncz judges otherwise than zarr-python.

A document is that of an array of four int32 in two chunks, or of a group, with one change. A member
that is changed to `DROP` is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ncz.record import record

DROP = object()
"""Stands for a member that a document does not have."""

Change = Mapping[str, Any]


@record(kw_only=True)
class Document:
    """A document of a node. `base` is a key of `BASES`; `attributes` is the text of `.zattrs`."""

    name: str
    base: str
    change: Change
    attributes: str | None = None

    def json(self) -> dict[str, Any]:
        """Return the members, without those that are dropped."""
        members = {**BASES[self.base], **self.change}
        return {name: value for name, value in members.items() if value is not DROP}


V3: Mapping[str, Any] = MappingProxyType(
    {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 7,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
    }
)
V2: Mapping[str, Any] = MappingProxyType(
    {
        "zarr_format": 2,
        "shape": [4],
        "chunks": [2],
        "dtype": "<i4",
        "compressor": None,
        "filters": None,
        "order": "C",
        "fill_value": 7,
    }
)
GROUP_V3: Mapping[str, Any] = MappingProxyType(
    {"zarr_format": 3, "node_type": "group", "attributes": {}}
)
GROUP_V2: Mapping[str, Any] = MappingProxyType({"zarr_format": 2})
BASES = MappingProxyType({"v3": V3, "v2": V2, "v3-group": GROUP_V3, "v2-group": GROUP_V2})

KEYS = MappingProxyType(
    {"v3": "zarr.json", "v3-group": "zarr.json", "v2": ".zarray", "v2-group": ".zgroup"}
)
"""The key of the document of each base."""

WRONG: Mapping[str, Any] = MappingProxyType(
    {"null": None, "true": True, "number": 5, "text": "x", "list": [], "object": {}}
)
"""Values of every type of JSON."""

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
CRC32C = {"name": "crc32c"}


def grid(name: Any, **configuration: Any) -> dict[str, Any]:
    """Return a `chunk_grid`."""
    return {"chunk_grid": {"name": name, "configuration": configuration}}


def shard(**change: Any) -> dict[str, Any]:
    """Return `codecs` with shards of one element, with a change of their configuration."""
    configuration = {
        "chunk_shape": [1],
        "codecs": [BYTES],
        "index_codecs": [BYTES, CRC32C],
        "index_location": "end",
        **change,
    }
    configuration = {name: value for name, value in configuration.items() if value is not DROP}
    return {"codecs": [{"name": "sharding_indexed", "configuration": configuration}]}


def codec(name: str, **configuration: Any) -> dict[str, Any]:
    """Return `codecs` with one after bytes."""
    return {"codecs": [BYTES, {"name": name, "configuration": configuration}]}


def typed(data_type: Any, fill_value: Any) -> dict[str, Any]:
    """Return a change of the data type and its fill value."""
    codecs = [BYTES]
    if data_type in ("string", "variable_length_utf8"):
        codecs = [{"name": "vlen-utf8"}]
    if data_type in ("bytes", "variable_length_bytes"):
        codecs = [{"name": "vlen-bytes"}]
    return {"data_type": data_type, "fill_value": fill_value, "codecs": codecs}


def struct(*fields: Any, name: str = "structured") -> dict[str, Any]:
    """Return the data type of a structure."""
    return {"name": name, "configuration": {"fields": list(fields)}}


def raw(size: Any) -> dict[str, Any]:
    return {"name": "raw_bytes", "configuration": {"length_bytes": size}}


def time(unit: Any, factor: Any = 1, name: str = "numpy.datetime64") -> dict[str, Any]:
    return {"name": name, "configuration": {"unit": unit, "scale_factor": factor}}


def utf32(size: Any) -> dict[str, Any]:
    return {"name": "fixed_length_utf32", "configuration": {"length_bytes": size}}


def ascii_text(size: Any) -> dict[str, Any]:
    return {"name": "null_terminated_bytes", "configuration": {"length_bytes": size}}


_V3_CHANGES: Mapping[str, Change] = {
    "plain": {},
    # --- version and type of the node
    "zarr_format 2": {"zarr_format": 2},
    "zarr_format 4": {"zarr_format": 4},
    "zarr_format 3.0": {"zarr_format": 3.0},
    "node_type table": {"node_type": "table"},
    "node_type Array": {"node_type": "Array"},
    # --- shape
    "shape negative": {"shape": [-1]},
    "shape of booleans": {"shape": [True]},
    "shape of reals": {"shape": [4.0]},
    "shape of texts": {"shape": ["4"]},
    "shape of null": {"shape": [None]},
    "shape of more dimensions": {"shape": [4, 4]},
    "shape 0": {"shape": [0]},
    "shape nested": {"shape": [[4]]},
    "scalar": {"shape": [], **grid("regular", chunk_shape=[])},
    "scalar with chunks": {"shape": []},
    # --- chunk grid
    "grid as name": {"chunk_grid": "regular"},
    "grid unknown": grid("hexagonal", chunk_shape=[2]),
    "grid without configuration": {"chunk_grid": {"name": "regular"}},
    "grid with null configuration": {"chunk_grid": {"name": "regular", "configuration": None}},
    "grid with list as configuration": {"chunk_grid": {"name": "regular", "configuration": []}},
    "grid without name": {"chunk_grid": {"configuration": {"chunk_shape": [2]}}},
    "grid with more members": {"chunk_grid": {**V3["chunk_grid"], "more": 1}},
    "chunk_shape missing": grid("regular"),
    "chunk_shape null": grid("regular", chunk_shape=None),
    "chunk_shape 0": grid("regular", chunk_shape=[0]),
    "chunk_shape 0 of shape 0": {"shape": [0], **grid("regular", chunk_shape=[0])},
    "chunk_shape negative": grid("regular", chunk_shape=[-2]),
    "chunk_shape of booleans": grid("regular", chunk_shape=[True]),
    "chunk_shape of reals": grid("regular", chunk_shape=[2.0]),
    "chunk_shape of texts": grid("regular", chunk_shape=["2"]),
    "chunk_shape number": grid("regular", chunk_shape=2),
    "chunk_shape of more dimensions": grid("regular", chunk_shape=[2, 2]),
    "chunk_shape of fewer dimensions": grid("regular", chunk_shape=[]),
    "chunk_shape longer than shape": grid("regular", chunk_shape=[9]),
    "chunk_shape and more": grid("regular", chunk_shape=[2], more=1),
    "rectilinear": grid("rectilinear", kind="inline", chunk_shapes=[[1, 3]]),
    "rectilinear runs": grid("rectilinear", kind="inline", chunk_shapes=[[[1, 2], 2]]),
    "rectilinear number": grid("rectilinear", kind="inline", chunk_shapes=[3]),
    "rectilinear longer": grid("rectilinear", kind="inline", chunk_shapes=[[1, 9]]),
    "rectilinear shorter": grid("rectilinear", kind="inline", chunk_shapes=[[1, 2]]),
    "rectilinear empty": grid("rectilinear", kind="inline", chunk_shapes=[[]]),
    "rectilinear 0": grid("rectilinear", kind="inline", chunk_shapes=[[0, 4]]),
    "rectilinear of booleans": grid("rectilinear", kind="inline", chunk_shapes=[[True, 3]]),
    "rectilinear of reals": grid("rectilinear", kind="inline", chunk_shapes=[[1.0, 3.0]]),
    "rectilinear run of three": grid("rectilinear", kind="inline", chunk_shapes=[[[1, 2, 3], 1]]),
    "rectilinear without kind": grid("rectilinear", chunk_shapes=[[1, 3]]),
    "rectilinear of another kind": grid("rectilinear", kind="file", chunk_shapes=[[1, 3]]),
    "rectilinear without shapes": grid("rectilinear", kind="inline"),
    "rectilinear of more dimensions": grid("rectilinear", kind="inline", chunk_shapes=[2, 2]),
    "rectilinear and more": grid("rectilinear", kind="inline", chunk_shapes=[[1, 3]], more=1),
    # --- keys
    "keys as name": {"chunk_key_encoding": "default"},
    "keys as name v2": {"chunk_key_encoding": "v2"},
    "keys unknown": {"chunk_key_encoding": {"name": "fancy"}},
    "keys without configuration": {"chunk_key_encoding": {"name": "default"}},
    "keys with null configuration": {
        "chunk_key_encoding": {"name": "default", "configuration": None}
    },
    "keys with empty configuration": {"chunk_key_encoding": {"name": "v2", "configuration": {}}},
    "keys with list as configuration": {
        "chunk_key_encoding": {"name": "default", "configuration": []}
    },
    "separator dash": {"chunk_key_encoding": {"name": "v2", "configuration": {"separator": "-"}}},
    "separator null": {"chunk_key_encoding": {"name": "v2", "configuration": {"separator": None}}},
    "separator list": {"chunk_key_encoding": {"name": "v2", "configuration": {"separator": []}}},
    "keys and more": {
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": ".", "more": 1}}
    },
    # --- data type and fill value
    "type unknown": {"data_type": "int33"},
    "type as object": {"data_type": {"name": "int32"}},
    "type with empty configuration": {"data_type": {"name": "int32", "configuration": {}}},
    "type with configuration": {"data_type": {"name": "int32", "configuration": {"a": 1}}},
    "type as V2 dtype": {"data_type": "<i4"},
    "bool": typed("bool", True),
    "bool of a number": typed("bool", 1),
    "bool of a text": typed("bool", "true"),
    "bool of null": typed("bool", None),
    "int of a boolean": {"fill_value": True},
    "int of a real": {"fill_value": 7.0},
    "int of a fraction": {"fill_value": 7.5},
    "int of a text": {"fill_value": "7"},
    "int of hexadecimal": {"fill_value": "0x00000007"},
    "int of NaN": {"fill_value": "NaN"},
    "int too large": {"fill_value": 2**31},
    "uint8 negative": typed("uint8", -1),
    "uint8 too large": typed("uint8", 256),
    "int64 least": typed("int64", -(2**63)),
    "uint64 largest": typed("uint64", 2**64 - 1),
    "float": typed("float32", 1.5),
    "float of an integer": typed("float64", 1),
    "float of a boolean": typed("float64", True),
    "float NaN": typed("float32", "NaN"),
    "float Infinity": typed("float32", "Infinity"),
    "float -Infinity": typed("float64", "-Infinity"),
    "float nan in small letters": typed("float32", "nan"),
    "float inf": typed("float32", "inf"),
    "float +Infinity": typed("float32", "+Infinity"),
    "float of a text": typed("float64", "1.5"),
    "float of a word": typed("float64", "x"),
    "float of hexadecimal": typed("float32", "0x7fc00001"),
    "float of short hexadecimal": typed("float32", "0x7f"),
    "float of long hexadecimal": typed("float32", "0x7fc0000100"),
    "float of no hexadecimal": typed("float32", "0xzzzzzzzz"),
    "float too large": typed("float32", 1e300),
    "float bare NaN": typed("float32", float("nan")),
    "float bare Infinity": typed("float64", float("inf")),
    "float of null": typed("float32", None),
    "float of a list": typed("float32", [1.0]),
    "float16": typed("float16", 1.5),
    "float16 of hexadecimal": typed("float16", "0x3e00"),
    "bfloat16": typed("bfloat16", 1.5),
    "complex": typed("complex64", [1.0, 2.0]),
    "complex of texts": typed("complex128", ["NaN", "-Infinity"]),
    "complex of hexadecimal": typed("complex64", ["0x3fc00000", "NaN"]),
    "complex of a number": typed("complex64", 1.0),
    "complex of three": typed("complex64", [1, 2, 3]),
    "complex of one": typed("complex64", [1]),
    "complex of null": typed("complex64", None),
    "complex of texts that are no numbers": typed("complex64", ["x", "y"]),
    "r16": typed("r16", [1, 2]),
    "r12": typed("r12", [1]),
    "r0": typed("r0", []),
    "raw bytes": typed(raw(2), "AQI="),
    "raw bytes of another length": typed(raw(2), "AQID"),
    "raw bytes of a list": typed(raw(2), [1, 2]),
    "raw bytes of a longer list": typed(raw(2), [1, 2, 3]),
    "raw bytes that are no base64": typed(raw(2), "!"),
    "raw bytes of length 0": typed(raw(0), ""),
    "raw bytes of length true": typed(raw(True), "AQ=="),
    "raw bytes of length -1": typed(raw(-1), ""),
    "raw bytes without length": typed({"name": "raw_bytes", "configuration": {}}, ""),
    "string": typed("string", "x"),
    "string of null": typed("string", None),
    "string of a number": typed("string", 0),
    "string of a list": typed("string", ["x"]),
    "string without its codec": {"data_type": "string", "fill_value": ""},
    "int with the codec of strings": {"codecs": [{"name": "vlen-utf8"}]},
    "bytes": typed("variable_length_bytes", "AQI="),
    "bytes of a list": typed("bytes", [1, 2]),
    "bytes that are no base64": typed("variable_length_bytes", "!"),
    "bytes of null": typed("variable_length_bytes", None),
    "utf32": typed(utf32(8), "ab"),
    "utf32 too long": typed(utf32(8), "abc"),
    "utf32 of length 6": typed(utf32(6), "a"),
    "utf32 of length 0": typed(utf32(0), ""),
    "utf32 of null": typed(utf32(8), None),
    "utf32 of a number": typed(utf32(8), 0),
    "ascii": typed(ascii_text(2), "YWI="),
    "ascii too long": typed(ascii_text(2), "YWJj"),
    "ascii that is no base64": typed(ascii_text(2), "!"),
    "ascii of null": typed(ascii_text(2), None),
    "ascii of length 0": typed(ascii_text(0), ""),
    "datetime": typed(time("s"), 5),
    "datetime NaT": typed(time("ns", 10), "NaT"),
    "datetime nat": typed(time("ns"), "nat"),
    "datetime of a text": typed(time("s"), "2026-01-01"),
    "datetime of a real": typed(time("s"), 1.5),
    "datetime of null": typed(time("s"), None),
    "datetime generic": typed(time("generic"), 5),
    "datetime of an unknown unit": typed(time("x"), 5),
    "datetime of factor 0": typed(time("s", 0), 5),
    "datetime of factor -1": typed(time("s", -1), 5),
    "datetime of factor true": typed(time("s", True), 5),
    "datetime without unit": typed({"name": "numpy.datetime64", "configuration": {}}, 5),
    "datetime as name": typed("numpy.datetime64", 5),
    "timedelta": typed(time("D", 7, "numpy.timedelta64"), -5),
    "timedelta generic": typed(time("generic", 1, "numpy.timedelta64"), 5),
    "microseconds by their sign": typed(time("μs"), 5),
    "struct": typed(struct(["a", "int16"], ["b", "float32"]), "AQAAAAAA"),
    "struct of another length": typed(struct(["a", "int16"]), "AQID"),
    "struct of null": typed(struct(["a", "int16"]), None),
    "struct of 0": typed(struct(["a", "int16"]), 0),
    "struct of a list": typed(struct(["a", "int16"]), [1]),
    "struct without fields": typed(struct(), ""),
    "struct with the same field twice": typed(struct(["a", "int8"], ["a", "int8"]), "AAA="),
    "struct with an unknown type": typed(struct(["a", "int33"]), "AA=="),
    "struct of an object": typed(struct(["a", "string"]), "AA=="),
    "struct of objects": typed(struct({"name": "a", "data_type": "int16"}, name="struct"), "AQA="),
    "struct of objects, dict": typed(
        struct({"name": "a", "data_type": "int16"}, name="struct"), {"a": 1}
    ),
    "struct of objects without type": typed(struct({"name": "a"}, name="struct"), "AQA="),
    # --- codecs
    "codecs empty": {"codecs": []},
    "codecs as names": {"codecs": ["bytes"]},
    "codecs without serializer": {"codecs": [GZIP]},
    "codecs with two serializers": {"codecs": [BYTES, BYTES]},
    "codec unknown": {"codecs": [BYTES, {"name": "magic"}]},
    "codec without name": {"codecs": [{"configuration": {"endian": "little"}}]},
    "codec null": {"codecs": [None]},
    "codec with list as configuration": {"codecs": [{"name": "bytes", "configuration": []}]},
    "codec with more members": {"codecs": [{**BYTES, "more": 1}]},
    "codecs in the wrong order": {"codecs": [GZIP, BYTES]},
    "endian missing": {"codecs": [{"name": "bytes"}]},
    "endian missing of int8": {"codecs": [{"name": "bytes"}], "data_type": "int8"},
    "endian null": {"codecs": [{"name": "bytes", "configuration": {"endian": None}}]},
    "endian big": {"codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]},
    "endian middle": {"codecs": [{"name": "bytes", "configuration": {"endian": "middle"}}]},
    "endian number": {"codecs": [{"name": "bytes", "configuration": {"endian": 1}}]},
    "endian and more": {"codecs": [{"name": "bytes", "configuration": {"endian": "big", "a": 1}}]},
    "codec endian": {"codecs": [{"name": "endian", "configuration": {"endian": "little"}}]},
    "gzip": codec("gzip", level=1),
    "gzip without level": codec("gzip"),
    "gzip level 10": codec("gzip", level=10),
    "gzip level -1": codec("gzip", level=-1),
    "gzip level text": codec("gzip", level="5"),
    "gzip level true": codec("gzip", level=True),
    "gzip level real": codec("gzip", level=5.0),
    "gzip and more": codec("gzip", level=1, more=1),
    "zstd": codec("zstd", level=1, checksum=False),
    "zstd without checksum": codec("zstd", level=1),
    "zstd level 23": codec("zstd", level=23, checksum=False),
    "zstd checksum text": codec("zstd", level=1, checksum="no"),
    "blosc": codec("blosc", cname="lz4", clevel=1, shuffle="shuffle", typesize=4, blocksize=0),
    "blosc unknown": codec(
        "blosc", cname="x", clevel=1, shuffle="shuffle", typesize=4, blocksize=0
    ),
    "blosc shuffle 1": codec("blosc", cname="lz4", clevel=1, shuffle=1, typesize=4, blocksize=0),
    "blosc level 10": codec(
        "blosc", cname="lz4", clevel=10, shuffle="shuffle", typesize=4, blocksize=0
    ),
    "blosc typesize 0": codec(
        "blosc", cname="lz4", clevel=1, shuffle="shuffle", typesize=0, blocksize=0
    ),
    "blosc without shuffle": codec("blosc", cname="lz4", clevel=1, typesize=4, blocksize=0),
    "crc32c": codec("crc32c"),
    "crc32c and more": codec("crc32c", more=1),
    "numcodecs.zlib": codec("numcodecs.zlib", level=1),
    "numcodecs unknown": codec("numcodecs.magic"),
    "numcodecs.zlib as first": {"codecs": [{"name": "numcodecs.zlib"}, BYTES]},
    "transpose": {"codecs": [{"name": "transpose", "configuration": {"order": [0]}}, BYTES]},
    "transpose C": {"codecs": [{"name": "transpose", "configuration": {"order": "C"}}, BYTES]},
    "transpose last": {"codecs": [BYTES, {"name": "transpose", "configuration": {"order": [0]}}]},
    "transpose of more": {
        "codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}}, BYTES]
    },
    "transpose of 1": {"codecs": [{"name": "transpose", "configuration": {"order": [1]}}, BYTES]},
    "transpose of a text": {
        "codecs": [{"name": "transpose", "configuration": {"order": ["0"]}}, BYTES]
    },
    "transpose of a boolean": {
        "codecs": [{"name": "transpose", "configuration": {"order": [False]}}, BYTES]
    },
    "transpose without order": {"codecs": [{"name": "transpose"}, BYTES]},
    "codec that need not be understood": {
        "codecs": [BYTES, {"name": "magic", "must_understand": False}]
    },
    # --- shards
    "shard": shard(),
    "shard that does not divide": {**shard(chunk_shape=[3])},
    "shard of 0": shard(chunk_shape=[0]),
    "shard negative": shard(chunk_shape=[-1]),
    "shard of booleans": shard(chunk_shape=[True]),
    "shard of more dimensions": shard(chunk_shape=[1, 1]),
    "shard without chunk_shape": shard(chunk_shape=DROP),
    "shard without codecs": shard(codecs=DROP),
    "shard with empty codecs": shard(codecs=[]),
    "shard without index_codecs": shard(index_codecs=DROP),
    "shard with empty index_codecs": shard(index_codecs=[]),
    "shard with gzip in its index": shard(index_codecs=[BYTES, GZIP]),
    "shard with big index": shard(
        index_codecs=[{"name": "bytes", "configuration": {"endian": "big"}}]
    ),
    "shard without index_location": shard(index_location=DROP),
    "shard with index at start": shard(index_location="start"),
    "shard with index in the middle": shard(index_location="middle"),
    "shard with index at null": shard(index_location=None),
    "shard and more": shard(more=1),
    "shard after gzip": {"codecs": [GZIP, *shard()["codecs"]]},
    "shard before gzip": {"codecs": [*shard()["codecs"], GZIP]},
    "shard as name": {"codecs": ["sharding_indexed"]},
    # --- dimension names
    "names": {"dimension_names": ["x"]},
    "names null": {"dimension_names": None},
    "names of null": {"dimension_names": [None]},
    "names empty text": {"dimension_names": [""]},
    "names too many": {"dimension_names": ["x", "y"]},
    "names too few": {"dimension_names": []},
    "names of numbers": {"dimension_names": [1]},
    "names as text": {"dimension_names": "x"},
    "names as object": {"dimension_names": {"x": 1}},
    "names twice": {
        "shape": [4, 4],
        **grid("regular", chunk_shape=[2, 2]),
        "dimension_names": ["x", "x"],
    },
    # --- further members
    "transformers null": {"storage_transformers": None},
    "transformers empty": {"storage_transformers": []},
    "transformers": {"storage_transformers": [{"name": "x"}]},
    "more": {"tiling": 5},
    "more that is null": {"tiling": None},
    "more to understand": {"tiling": {"must_understand": True}},
    "more that need not be understood": {"tiling": {"must_understand": False}},
    "more without saying": {"tiling": {"name": "x"}},
    "more that is text of false": {"tiling": {"must_understand": "false"}},
    "more that is 0": {"tiling": {"must_understand": 0}},
    "consolidated": {"consolidated_metadata": {"must_understand": False}},
    "attributes missing": {"attributes": DROP},
}

_V2_CHANGES: Mapping[str, Change] = {
    "plain": {},
    "zarr_format 3": {"zarr_format": 3},
    "zarr_format text": {"zarr_format": "2"},
    "shape negative": {"shape": [-1]},
    "shape of booleans": {"shape": [True]},
    "shape of reals": {"shape": [4.0]},
    "shape of fractions": {"shape": [4.5]},
    "shape of texts": {"shape": ["4"]},
    "shape 0": {"shape": [0]},
    "shape of more dimensions": {"shape": [4, 4]},
    "chunks 0": {"chunks": [0]},
    "chunks 0 of shape 0": {"shape": [0], "chunks": [0]},
    "chunks negative": {"chunks": [-2]},
    "chunks of booleans": {"chunks": [True]},
    "chunks of reals": {"chunks": [2.0]},
    "chunks of more dimensions": {"chunks": [2, 2]},
    "chunks of fewer dimensions": {"chunks": []},
    "scalar": {"shape": [], "chunks": []},
    "scalar with a chunk": {"shape": [], "chunks": [1]},
    "dtype unknown": {"dtype": "<i3"},
    "dtype without order": {"dtype": "i4"},
    "dtype of no order": {"dtype": "|i4"},
    "dtype of native order": {"dtype": "=i4"},
    "dtype of V3": {"dtype": "int32"},
    "dtype big": {"dtype": ">i4"},
    "dtype i1 little": {"dtype": "<i1"},
    "dtype of objects without codec": {"dtype": "|O", "fill_value": ""},
    "dtype of objects": {"dtype": "|O", "fill_value": "", "filters": [{"id": "vlen-utf8"}]},
    "dtype of bytes": {"dtype": "|O", "fill_value": "", "filters": [{"id": "vlen-bytes"}]},
    "dtype bool": {"dtype": "|b1", "fill_value": True},
    "dtype datetime": {"dtype": "<M8[ns]", "fill_value": 5},
    "dtype datetime generic": {"dtype": "<M8", "fill_value": 5},
    "dtype datetime of an unknown unit": {"dtype": "<M8[x]", "fill_value": 5},
    "dtype structure": {"dtype": [["a", "<i2"]], "fill_value": "AQA="},
    "dtype structure without fields": {"dtype": [], "fill_value": ""},
    "dtype structure of 0": {"dtype": [["a", "<i2"]], "fill_value": 0},
    "dtype structure with an array": {"dtype": [["a", "<i2", [2]]], "fill_value": None},
    "dtype structure of one": {"dtype": [["a"]], "fill_value": None},
    "dtype structure with the same field twice": {
        "dtype": [["a", "<i2"], ["a", "<i2"]],
        "fill_value": None,
    },
    "dtype raw": {"dtype": "|V2", "fill_value": "AQI="},
    "dtype raw of another length": {"dtype": "|V2", "fill_value": "AQID"},
    "dtype raw of length 0": {"dtype": "|V0", "fill_value": None},
    "dtype text": {"dtype": "|S2", "fill_value": "YWI="},
    "dtype text that is no base64": {"dtype": "|S2", "fill_value": "!"},
    "dtype text of 0": {"dtype": "|S2", "fill_value": 0},
    "dtype unicode": {"dtype": "<U2", "fill_value": "ab"},
    "dtype unicode of 0": {"dtype": "<U2", "fill_value": 0},
    "compressor": {"compressor": {"id": "zlib", "level": 1}},
    "compressor unknown": {"compressor": {"id": "magic"}},
    "compressor as name": {"compressor": "zlib"},
    "compressor without id": {"compressor": {"level": 1}},
    "compressor of an unknown parameter": {"compressor": {"id": "zlib", "levels": 1}},
    "compressor of level 10": {"compressor": {"id": "zlib", "level": 10}},
    "compressor of level text": {"compressor": {"id": "zlib", "level": "1"}},
    "filters": {"filters": [{"id": "delta", "dtype": "<i4"}]},
    "filters empty": {"filters": []},
    "filters object": {"filters": {"id": "shuffle"}},
    "filters unknown": {"filters": [{"id": "magic"}]},
    "filters as names": {"filters": ["shuffle"]},
    "filters null": {"filters": [None]},
    "order F": {"order": "F"},
    "order small": {"order": "c"},
    "order A": {"order": "A"},
    "fill true": {"fill_value": True},
    "fill real": {"fill_value": 7.0},
    "fill fraction": {"fill_value": 7.5},
    "fill text": {"fill_value": "7"},
    "fill too large": {"fill_value": 2**31},
    "fill NaN of int": {"fill_value": "NaN"},
    "fill bare NaN of int": {"fill_value": float("nan")},
    "fill NaN": {"dtype": "<f4", "fill_value": "NaN"},
    "fill bare NaN": {"dtype": "<f4", "fill_value": float("nan")},
    "fill bare Infinity": {"dtype": "<f8", "fill_value": float("inf")},
    "fill -Infinity": {"dtype": "<f8", "fill_value": "-Infinity"},
    "fill nan": {"dtype": "<f8", "fill_value": "nan"},
    "fill float text": {"dtype": "<f8", "fill_value": "1.5"},
    "fill hexadecimal": {"dtype": "<f4", "fill_value": "0x7fc00000"},
    "fill complex": {"dtype": "<c8", "fill_value": [1.0, 2.0]},
    "fill complex texts": {"dtype": "<c16", "fill_value": ["NaN", 0]},
    "fill complex number": {"dtype": "<c8", "fill_value": 0},
    "separator": {"dimension_separator": "/"},
    "separator dash": {"dimension_separator": "-"},
    "separator null": {"dimension_separator": None},
    "more": {"more": 1},
}

_GROUP_CHANGES: Mapping[str, Mapping[str, Change]] = {
    "v3-group": {
        "plain": {},
        "zarr_format 2": {"zarr_format": 2},
        "node_type missing": {"node_type": DROP},
        "attributes missing": {"attributes": DROP},
        "more": {"tiling": 5},
        "more that need not be understood": {"tiling": {"must_understand": False}},
        "consolidated null": {"consolidated_metadata": None},
        "consolidated empty": {
            "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {}}
        },
        "consolidated of another kind": {
            "consolidated_metadata": {"kind": "other", "must_understand": False, "metadata": {}}
        },
        "consolidated without metadata": {
            "consolidated_metadata": {"kind": "inline", "must_understand": False}
        },
    },
    "v2-group": {
        "plain": {},
        "zarr_format 3": {"zarr_format": 3},
        "zarr_format missing": {"zarr_format": DROP},
        "more": {"more": 1},
    },
}

_ATTRIBUTES = {
    "list": "[]",
    "null": "null",
    "text": '"x"',
    "no JSON": "{",
    "empty": "",
    "NaN": '{"a": NaN}',
    "object": '{"a": 1}',
}


def _documents() -> Iterator[Document]:
    for base, changes in (("v3", _V3_CHANGES), ("v2", _V2_CHANGES), *_GROUP_CHANGES.items()):
        for name, change in changes.items():
            yield Document(name=f"{base}: {name}", base=base, change=change)
        for member, right in BASES[base].items():
            if base.startswith("v2-") or member == "zarr_format":
                continue
            yield Document(name=f"{base}: {member} missing", base=base, change={member: DROP})
            for kind, wrong in WRONG.items():
                if type(wrong) is not type(right):
                    change = {member: wrong}
                    yield Document(name=f"{base}: {member} is {kind}", base=base, change=change)
    for base in ("v2", "v2-group"):
        for name, text in _ATTRIBUTES.items():
            yield Document(name=f"{base}: .zattrs of {name}", base=base, change={}, attributes=text)


DOCUMENTS = {document.name: document for document in _documents()}
