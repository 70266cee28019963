"""Features of Zarr that other programs read.

`READERS` is the only table of this: the choice of a form for ``--for``, the error if none fits,
and the notices of `ncz.formats.zarr.writing.reader_notices` come from it. Tests read stores with
the programs, with GDAL 3.12 through rasterio.

The features of a store are pairs of a subject and a form, such as ("char", ">S1").
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from ncz.record import record

TextForm = Literal["fixed", "vlen"]
"""The storage of strings of Zarr V2: elements of a fixed length, or objects (vlen-utf8)."""

ChunkForm = Literal[
    "big-endian elements",
    "the axis order F",
    "zstd with a checksum",
    "shuffle of a part of an element",
    "packbits of numbers",
    "bitround of signed integers",
    "zstd of a level below zero",
    "the codec scale_offset",
    "other codecs of zarr-extensions",
    "shards that divide a chunk only after its transpose",
    "numbers that numpy does not have",
]
"""Features of chunks next to their codecs."""

Feature = tuple[str, str]
"""A subject, and the form that it has in a store."""

_V2, _V3 = ("nczarr-v2", "zarr-v2"), ("nczarr-v3", "zarr-v3")


def _formats(*names: str) -> frozenset[Feature]:
    return frozenset(("format", name) for name in names)


@record(kw_only=True)
class Reader:
    """A program that reads Zarr: the features that it does not read rightly.

    `version` is the one that was tested; others may read more or less.
    `unopened` are the ones that prevent opening a store or an array.
    `unavoidable` are features that no form of a store avoids and that it shows otherwise: a store
    for it has them, with a notice. `codecs_v2`
    and `codecs_v3` are the ids of the codecs that it decodes; None is all of numcodecs.
    `refused` are `ChunkForm`s that it does not decode, though it knows the codecs; `refused_v2` and
    `refused_v3` the ones that it does not decode in one version of Zarr.
    `expects_consolidated` is true if it warns, and reads slowly, without consolidated metadata.
    """

    name: str
    version: str
    unread: frozenset[Feature]
    unopened: frozenset[Feature] = frozenset()
    unavoidable: frozenset[Feature] = frozenset({("enum", "number")})
    codecs_v2: frozenset[str] | None = None
    codecs_v3: frozenset[str] | None = None
    refused: frozenset[ChunkForm] = frozenset()
    refused_v2: frozenset[ChunkForm] = frozenset()
    refused_v3: frozenset[ChunkForm] = frozenset()
    expects_consolidated: bool = False

    @property
    def title(self) -> str:
        """The name, and the version that the table is about."""
        return f"{self.name} {self.version}"


_SHAPE = ("scalar", "[1]")  # is read with a dimension of length 1
_NUMBERS = ("char", "uint8")  # is read as numbers
_TEXT = ("number", "text")  # is read as text
_BARE_V2, _BARE_V3 = ("number", "bare-v2"), ("number", "bare-v3")
_UNOPENED = frozenset({("char", ">S1"), ("zip", "folder"), ("vlen", "array")})
_VLEN = frozenset({("vlen", "array"), ("vlen", "text")})
_VOID = frozenset({("void", "structure")})
_BASE64 = frozenset({("filled", "text")})  # is decoded as base64, which fails for most text
_ZARR_PYTHON_UNOPENED = _UNOPENED | _BASE64
_ZARR_PYTHON = _ZARR_PYTHON_UNOPENED | {_NUMBERS, _SHAPE, _TEXT}
_MASKED = frozenset({("masked", "string"), ("masked", "bytes")})
_ZARRITA_UNOPENED = _UNOPENED | _VOID | {("char", "bytes"), ("bytes", "v3"), _BARE_V2, _BARE_V3}
_LENGTHS = frozenset({("lengths", "nczarr"), ("lengths", "zarr")})
_ENUM = frozenset({("enum", "number")})
_UNNAMED = frozenset({("names", "none")})
_AS_TEXT = _ENUM | {("vlen", "text")}  # user-defined types
_SPECIFIED = frozenset({"blosc", "gzip", "zstd", "crc32c"})
_ZARRITA = frozenset({"blosc", "zlib", "gzip", "zstd", "lz4", "shuffle", "delta", "bitround"})
_BY_NUMCODECS: frozenset[ChunkForm] = frozenset({"shuffle of a part of an element"})
_BY_BITROUND: frozenset[ChunkForm] = frozenset({"bitround of signed integers"})
# zarr-python decodes cast_value as well if the package cast-value-rs is installed.
_NOT_OF_ZARR_PYTHON: frozenset[ChunkForm] = frozenset(
    {"other codecs of zarr-extensions", "shards that divide a chunk only after its transpose"}
)
_EXTENDED: frozenset[ChunkForm] = frozenset(
    {"other codecs of zarr-extensions", "the codec scale_offset"}
)
_TYPED: frozenset[ChunkForm] = _NOT_OF_ZARR_PYTHON | {"packbits of numbers"}
_NARROW: frozenset[ChunkForm] = frozenset({"numbers that numpy does not have"})
_HDF5 = frozenset({"zlib", "shuffle", "fletcher32", "bz2", "zstd", "blosc", "szip"})

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        reader.name: reader
        for reader in (
            Reader(
                name="xarray",
                version="2026.9",
                # Strings of a fixed length are read as bytes.
                unread=_ZARR_PYTHON
                | {("string", "fixed"), ("fill", "masked")}
                | _MASKED
                | _LENGTHS
                | _UNNAMED,
                unopened=_ZARR_PYTHON_UNOPENED | _MASKED | _LENGTHS | _UNNAMED,
                # open_datatree refuses a hidden dimension; open_dataset and open_groups do not.
                unavoidable=_AS_TEXT | {("hidden", "dimension")},
                expects_consolidated=True,
                refused=_BY_NUMCODECS | _NARROW,
                refused_v3=_TYPED | _BY_BITROUND,
            ),
            Reader(
                name="netcdf-c",
                version="4.10.1",
                refused=_NARROW,
                # A char of |S1 is read as string. An array of shape [] is not shown, or nothing is.
                unread=_formats(*_V3)
                | {("char", "|S1"), ("scalar", "[]"), ("string", "vlen"), ("zip", "root")}
                | {("bytes", "unicode"), ("lengths", "zarr")}
                | _VOID
                | _VLEN,
                unopened=frozenset({("scalar", "[]"), ("zip", "root"), ("lengths", "zarr")})
                | {("string", "vlen")}
                | _VOID
                | _VLEN,
                codecs_v2=_HDF5,
                # It takes the level for an unsigned number of 32 bits.
                refused_v2=frozenset({"zstd of a level below zero"}),
            ),
            Reader(
                name="zarr-python",
                version="3.4",
                unread=_ZARR_PYTHON,
                unopened=_ZARR_PYTHON_UNOPENED,
                unavoidable=_AS_TEXT,
                refused=_BY_NUMCODECS | _NARROW,
                refused_v3=_TYPED | _BY_BITROUND,
            ),
            Reader(
                name="zarr-python-2",
                version="2.18",
                unavoidable=_AS_TEXT,
                unread=_formats(*_V3) | {_SHAPE, ("zip", "folder")},
                refused=_BY_NUMCODECS | _NARROW,
            ),
            Reader(
                name="tensorstore",
                version="0.1.86",
                unread=frozenset(
                    {_NUMBERS, _SHAPE, ("char", "bytes"), _BARE_V3}
                    | {("string", "vlen"), ("string", "string"), ("zip", "folder")}
                    | {("bytes", "unicode"), ("bytes", "v3")}
                    | _BASE64
                    | _VLEN
                ),
                unopened=frozenset(
                    {("char", "bytes"), ("string", "vlen"), ("string", "string"), _BARE_V3}
                    | {("bytes", "unicode"), ("bytes", "v3"), ("zip", "folder")}
                    | _BASE64
                    | _VLEN
                ),
                codecs_v2=frozenset({"blosc", "zlib", "gzip", "bz2", "zstd"}),
                codecs_v3=_SPECIFIED,
                refused_v3=_EXTENDED,
                refused_v2=frozenset({"zstd with a checksum"}),
            ),
            # zarrs leaves the codecs that it does not know to zarr-python.
            Reader(
                name="zarrs",
                version="0.2.3",
                unavoidable=_AS_TEXT,
                unread=_ZARR_PYTHON,
                unopened=_ZARR_PYTHON_UNOPENED,
                refused_v2=frozenset({"big-endian elements", "the axis order F"}),
                refused_v3=_TYPED,
                refused=_BY_NUMCODECS | _NARROW,
            ),
            Reader(
                name="zarrita",
                version="0.7",
                refused=_NARROW,
                unavoidable=_AS_TEXT,
                unread=_ZARRITA_UNOPENED | {_NUMBERS, _SHAPE},
                unopened=_ZARRITA_UNOPENED,
                codecs_v2=_ZARRITA,
                codecs_v3=_ZARRITA | {"crc32c"},
                refused_v3=_EXTENDED,
            ),
            Reader(
                # Strings of Zarr V2, which rasterio does not show, are from GDAL 3.6. Some builds
                # decode lz4 in Zarr V2, too.
                name="gdal",
                version="3.12",
                refused=_NARROW,
                unread=frozenset(
                    {_NUMBERS, _SHAPE, _TEXT, ("zip", "folder"), ("char", ">S1")}
                    | {("char", "bytes"), ("string", "string"), ("bytes", "v3")}
                    | _VLEN
                    | _VOID
                ),
                unopened=frozenset(
                    {("char", ">S1"), ("char", "bytes"), ("string", "string"), ("bytes", "v3")}
                ),
                codecs_v2=frozenset({"blosc", "zlib", "gzip", "lzma", "zstd", "delta", "shuffle"}),
                codecs_v3=frozenset({"blosc", "gzip", "zstd"}),
                refused_v3=_EXTENDED,
            ),
        )
    }
)
"""Name, as ``--for`` has it -> the reader."""

WIDESPREAD = ("xarray", "zarr-python", "netcdf-c")
"""Readers that a notice names if a store is not for them."""
