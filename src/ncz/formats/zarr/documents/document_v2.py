"""Convert the Zarr V2 document `.zarray` to a checked record, and back.

Source: the Zarr storage specification version 2, "Arrays". NCZarr's annotations are in `nczarr`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ncz.errors import FormatError
from ncz.formats.zarr.documents.document import (
    ArrayDocument,
    axis_lengths,
    check_rank,
    check_required,
    check_version,
    chunk_lengths,
)
from ncz.formats.zarr.json import Json, show_json
from ncz.formats.zarr.types.dtypes import Encoding, read_encoding
from ncz.formats.zarr.types.fill_values import read_fill
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.types import NcType, Value
from ncz.record import record, replace
from ncz.zmap.key import ChunkKeys

if TYPE_CHECKING:
    from ncz.model.filters import Filter

ZGROUP, ZARRAY, ZATTRS, ZMETADATA = ".zgroup", ".zarray", ".zattrs", ".zmetadata"

DIMENSION_NAMES = "_ARRAY_DIMENSIONS"
"""The attribute where xarray keeps the names of an array's dimensions."""

_REQUIRED = ("shape", "chunks", "dtype", "order")


@record(kw_only=True)
class ArrayDocumentV2(ArrayDocument):
    """A checked `.zarray`. `dtype` and `fill_value` are still JSON; see `element.encoding`."""

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    """Length of a chunk along each dimension, at least 1."""
    dtype: Json
    fill_value: Json
    order: str = "C"
    filters: tuple[Filter, ...] = ()
    """In the order of their application on writing, without the compressor."""
    compressor: Filter | None = None
    separator: str = "."
    lacks_fill: bool = False
    """Whether ``fill_value`` is left out, as netcdf-c 4.8 does if no fill is set."""
    begins_with_format: bool = False
    """Whether ``zarr_format`` is the first member, as netcdf-c has it and zarr-python has not."""

    @property
    def codecs(self) -> tuple[Filter, ...]:
        """Filters and compressor, in the order of their application on writing."""
        return self.filters if self.compressor is None else (*self.filters, self.compressor)

    @property
    def data_type(self) -> Json:
        """The dtype in the document."""
        return self.dtype

    @property
    def raw_fill(self) -> Json:
        """The value of missing chunks in the document."""
        return self.fill_value

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def fill_is_mask(self) -> bool:
        """True: xarray masks the fill value of V2, and netcdf-c shows it for a scalar."""
        return True

    def encoding(self, *, nczarr: bool, alias: str | None, type_name: str) -> Encoding:
        """Return the storage of elements. Raises `FormatError` for an unsupported dtype."""
        return read_encoding(
            self.dtype, nczarr=nczarr, alias=alias, codecs=self.codecs, type_name=type_name
        )

    def fill(self, encoding: Encoding) -> Value:
        """Return the value of missing chunks, or None. Raises `FormatError`."""
        return read_fill(self.fill_value, encoding, is_literal=self.begins_with_format)

    @property
    def keys(self) -> ChunkKeys:
        """The encoding of the keys of chunks."""
        return ChunkKeys(self.separator)

    @property
    def layout(self) -> ChunkLayout:
        """The grid of stored chunks, and their encoding."""
        return ChunkLayout(
            shape=self.shape,
            chunks=self.chunks,
            order=in_order(len(self.shape), self.order),
            codecs=self.codecs,
        )

    def read_fill_attribute(self, value: Json, _: NcType) -> Json:
        """Return the value itself."""
        return value

    def as_scalar(self) -> ArrayDocumentV2:
        """Return the document of a scalar, which NCZarr stores as an array of shape [1].

        The only chunk of both has the same key and the same bytes.
        """
        return replace(self, shape=(), chunks=()) if math.prod(self.shape) == 1 else self


def read_array(document: Mapping[str, Json], location: str) -> ArrayDocumentV2:
    """Check a `.zarray`.

    Parameters
    ----------
    document
        The JSON object.
    location
        Where it is, for messages.

    Raises
    ------
    FormatError
        Names the member that is wrong.
    """
    check_version(document, 2, location)
    check_required(document, _REQUIRED, location)
    shape = axis_lengths(document.get("shape"), "shape", location)
    lengths = axis_lengths(document.get("chunks"), "chunks", location)
    if shape == () and lengths == (1,):  # as netcdf-c 4.8 writes a scalar
        lengths = ()
    check_rank(lengths, shape, location)
    chunks = chunk_lengths(shape, lengths, "chunks have", location)
    order = document["order"]
    if order not in ("C", "F"):
        raise FormatError(f'order must be "C" or "F", not {show_json(order)}', location)
    separator = document.get("dimension_separator")
    if separator is None:
        separator = "."
    if separator not in (".", "/"):
        raise FormatError(
            f'dimension_separator must be "." or "/", not {show_json(separator)}', location
        )
    compressor = document.get("compressor")
    return ArrayDocumentV2(
        shape=shape,
        chunks=chunks,
        dtype=document["dtype"],
        fill_value=_single(document.get("fill_value"), document["dtype"]),
        lacks_fill="fill_value" not in document,
        order=order,
        filters=tuple(
            _filter(f, "filters", location) for f in _list(document, "filters", location)
        ),
        compressor=None if compressor is None else _filter(compressor, "compressor", location),
        separator=separator,
        begins_with_format=next(iter(document)) == "zarr_format",
    )


def _single(fill_value: Json, dtype: Json) -> Json:
    """Return a fill value that is not a list of one, as netcdf-c 4.8 writes it."""
    is_listed = isinstance(fill_value, list) and len(fill_value) == 1 and isinstance(dtype, str)
    return fill_value[0] if is_listed else fill_value


def print_array(array: ArrayDocumentV2) -> dict[str, Json]:
    """Return the `.zarray` of an array, with its members in netcdf-c's order."""
    from ncz.codec.catalogue import for_readers_of_v2

    document: dict[str, Json] = {
        "zarr_format": 2,
        "shape": list(array.shape),
        "dtype": array.dtype,
        "chunks": list(array.chunks),
        "fill_value": array.fill_value,
        "order": array.order,
        "compressor": array.compressor and for_readers_of_v2(array.compressor.to_json()),
        "filters": [for_readers_of_v2(f.to_json()) for f in array.filters] or None,
    }
    if array.separator != ".":
        document["dimension_separator"] = array.separator
    return document


def _list(document: Mapping[str, Json], member: str, location: str) -> list[Json]:
    value = document.get(member)
    if value is None:
        return []
    if not isinstance(value, list):
        raise FormatError(f"{member} must be a list or null, not {show_json(value)}", location)
    return value


def _filter(value: Json, member: str, location: str) -> Filter:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise FormatError(
            f'{member}: a codec must be an object with an "id", not {show_json(value)}', location
        )
    from ncz.model.filters import Filter

    return Filter.from_json(value)
