"""Changes of the document of an array of Zarr V3, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.formats.zarr.documents.bases import DROP, V3, Change

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


V3_CHANGES: Mapping[str, Change] = {
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
