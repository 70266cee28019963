"""Documents that ncz and zarr-python 3.4 judge differently, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_INTEGERS = "the specification wants a list of integers; zarr-python converts other values"
_REQUIRED = "the specification requires the member; zarr-python has a default for it"
_OBJECT = "the specification wants an object; zarr-python accepts any argument of dict()"
_NAME = "a name may replace an object without a configuration (Zarr 3.1, Extension definition)"
_RECTILINEAR = "the extension rectilinear, which zarr-python reads since 3.2 if it is asked to"
_FILL = "the value is not one of the data type; zarr-python converts, cuts or rounds it"
_NULL = "early versions of zarr-python 3 and netCDF-C write null or no member for zero"
_LIST = "the specification spells bytes as a list of numbers; zarr-python wants base64"
_LATER = "ncz shows the array; only reading a chunk needs the codec, and is an error"
_ZERO = "zarr-python 2 reads 0, which it wrote for any data type"
_LITERAL = "a text that is not base64 is literal, as netCDF-C writes it; zarr-python reads ''"
_NODE = "the specification requires both members; zarr-python takes the document for a group"
_INDEX = "the specification wants an index of a fixed size, encoded to bytes"
_EMPTY = "no chunk of length 0 holds an element; zarr-python reads the fill value"
_IGNORED = "consolidated metadata is optional; ncz reads the documents of the nodes instead"

LAXER: Mapping[str, str] = MappingProxyType(
    {
        "v3: zarr_format 3.0": "JSON has one kind of number; zarr-python wants an int of Python",
        "v3: endian missing": "early versions of zarr-python 3 read it; elements are little-endian",
        "v3: keys as name": _NAME,
        "v3: keys as name v2": _NAME,
        "v3: type as object": _NAME,
        "v3: type with empty configuration": _NAME,
        "v3: codecs as names": _NAME,
        "v3: r16": "a core data type, which zarr-python does not have",
        "v3: bfloat16": "a data type of zarr-extensions, which zarr-python does not have",
        "v3: raw bytes of a list": _LIST,
        "v3: bytes of a list": _LIST,
        "v3: rectilinear": _RECTILINEAR,
        "v3: rectilinear runs": _RECTILINEAR,
        "v3: rectilinear number": _RECTILINEAR,
        "v3: rectilinear longer": _RECTILINEAR,
        "v3: numcodecs unknown": _LATER,
        "v2: compressor unknown": _LATER,
        "v2: filters unknown": _LATER,
        "v2: compressor of an unknown parameter": "decoding zlib needs no parameter",
        "v2: scalar with a chunk": "netCDF-C 4.8 writes a scalar so",
        "v2: dtype structure of 0": "0 means zero bytes, as for every other dtype",
        "v2: fill complex number": "0 means zero bytes, as for every other dtype",
        "v2: dtype text of 0": _ZERO,
        "v2: dtype unicode of 0": _ZERO,
        "v2: dtype structure with an array": "Zarr V2 has them; zarr-python 3 has not",
        "v2: separator null": "zarr-python 2 takes null for the default",
        "v3-group: consolidated of another kind": _IGNORED,
        "v3-group: consolidated without metadata": _IGNORED,
        "v3: float of null": _NULL,
        "v3: complex of null": _NULL,
        "v3: string of null": _NULL,
        "v3: bytes of null": _NULL,
        "v3: utf32 of null": _NULL,
        "v3: ascii of null": _NULL,
        "v3: datetime of null": _NULL,
        "v3: struct of null": _NULL,
        "v3: fill_value missing": _NULL,
        "v3: fill_value is null": _NULL,
        "v2: fill_value missing": _NULL,
    }
)
"""Documents that ncz reads and zarr-python refuses."""

STRICTER: Mapping[str, str] = MappingProxyType(
    {
        "v3: chunk_shape 0": _EMPTY,
        "v2: chunks 0": _EMPTY,
        "v3: chunk_shape and more": "an unknown parameter may change the meaning of chunks",
        "v3: shape of booleans": _INTEGERS,
        "v3: shape is true": _INTEGERS,
        "v3: shape is number": _INTEGERS,
        "v3: chunk_shape of booleans": _INTEGERS,
        "v3: transpose of a boolean": _INTEGERS,
        "v3: shard of booleans": _INTEGERS,
        "v2: shape of booleans": _INTEGERS,
        "v2: shape is true": _INTEGERS,
        "v2: shape is number": _INTEGERS,
        "v2: chunks of booleans": _INTEGERS,
        "v2: chunks is true": _INTEGERS,
        "v2: chunks is number": _INTEGERS,
        "v3: bool of a text": _FILL,
        "v3: raw bytes of another length": _FILL,
        "v3: raw bytes that are no base64": _FILL,
        "v3: string of a number": _FILL,
        "v3: utf32 too long": _FILL,
        "v2: dtype raw of another length": _FILL,
        "v3: utf32 of length 6": "a character has four bytes",
        "v3: blosc level 10": "Blosc has the levels 0 to 9",
        "v3: shard without codecs": _REQUIRED,
        "v3: shard without index_codecs": _REQUIRED,
        "v3: shard with empty index_codecs": _INDEX,
        "v3: names as text": "the specification wants a list; zarr-python takes letters for names",
        "v3: names as object": "the specification wants a list; zarr-python takes the keys",
        "v3: attributes is list": _OBJECT,
        "v2: filters is object": "the specification wants a list; zarr-python takes none for null",
        "v3-group: zarr_format 2": "zarr.json is of Zarr V3; zarr-python does not look at it",
        "v3-group: node_type missing": _NODE,
        "v3-group: node_type is null": _NODE,
    }
)
"""Documents that ncz refuses and zarr-python reads."""

OTHERWISE: Mapping[str, str] = MappingProxyType(
    {
        "v3: bytes that are no base64": _LITERAL,
        "v3: ascii that is no base64": _LITERAL,
        "v2: dtype text that is no base64": _LITERAL,
        "v3: ascii too long": _LITERAL,
        "v3: timedelta": "ncz counts in days, zarr-python in multiples of seven days",
    }
)
"""Documents whose fill value both read, but not as the same."""
