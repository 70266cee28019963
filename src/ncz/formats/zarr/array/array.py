"""A variable's chunks behind keys, codecs and fill: where bytes become values.

`ZarrArray` is the `ncz.model.data.ChunkSource` over a store. Elements in the dtype that is stored
and values in the model's form are kept apart, so that what changes no value need not make any.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.codec import chain
from ncz.errors import CodecError, FormatError, NczError, ignore_notice
from ncz.formats.zarr.array.layout import ChunkLayout
from ncz.formats.zarr.document.json import parse_document
from ncz.formats.zarr.document.v2 import ARRAY, ArrayDocument, read_array
from ncz.formats.zarr.element.conversion import fill_element, from_disk, to_disk, to_values
from ncz.formats.zarr.element.encoding import Encoding
from ncz.model.data import ChunkSource, fill_array, read_present
from ncz.model.grid import ChunkGrid, Index
from ncz.model.types import NcType, Value
from ncz.record import record
from ncz.zmap import WritableZmap, Zmap, location_of
from ncz.zmap.key import display, join_key

if TYPE_CHECKING:
    from ncz.formats.zarr.document.v3 import ArrayDocumentV3
    from ncz.model.data import Values


_ENCODED_AT_ONCE = 64 << 20
"""Bytes of chunks that are being encoded, at most, if there is more than one of them."""


_MOST_THREADS = 8


@record
class ZarrArray:
    """An array in a store. `key` is its prefix; `fill` what a missing chunk holds."""

    zmap: Zmap
    key: str
    layout: ChunkLayout
    encoding: Encoding
    fill: Value

    @property
    def grid(self) -> ChunkGrid:
        """Shape and the smallest chunks that can be read."""
        return self.layout.reading_grid

    @property
    def type(self) -> NcType:
        """The netCDF type of the values."""
        return self.encoding.type

    def chunk(self, index: Index) -> Values | None:
        """Values of chunk `index`, clipped to the array; None if the store has no such object."""
        elements = self._inner(index) if self.is_sharded else self.elements(index)
        if elements is None:
            return None
        values = self.values(elements, index)
        if not index:
            return values  # a scalar: not indexed, that would take it out of its array
        return values[tuple(slice(0, n) for n in self.grid.box(index).shape)]

    @property
    def is_sharded(self) -> bool:
        """Whether a chunk is a part of an object that can be read alone."""
        return self.layout.shard is not None and not self.layout.codecs

    def key_of(self, index: Index) -> str:
        """The key of the object in which chunk `index` is."""
        if self.is_sharded:
            from ncz.formats.zarr.array.shards import shard_of

            index, _ = shard_of(self.grid, self.layout.chunks, index)
        return self.layout.keys.key(self.key, index)

    def elements(self, index: Index) -> Values | None:
        """All elements of the stored chunk `index`, those beyond the array's edge too."""
        key = self.layout.keys.key(self.key, index)
        data = self.zmap.get(key)
        if data is None:
            return None
        location = location_of(self.zmap, key)
        return decode_elements(data, self.layout, self.encoding, location, self.fill)

    def _inner(self, index: Index) -> Values | None:
        """The elements of a chunk within a shard, of which no more is read than that."""
        from ncz.formats.zarr.array import shards

        layout, shard = self.layout, self.layout.shard
        assert shard is not None
        outer, place = shards.shard_of(self.grid, layout.chunks, index)
        key = layout.keys.key(self.key, outer)
        location = location_of(self.zmap, key)
        size = shards.index_size(shard, layout.chunks)
        said = self.zmap.get_range(key, -size if shard.at_end else 0, size)
        if said is None:
            return None
        try:
            entry = shards.read_index(said, shard, layout.chunks, location)[place]
            data = shards.inner_bytes(
                entry, lambda start, count: self.zmap.get_range(key, start, count), location
            )
            if data is None:
                return None
            fill = fill_element(self.fill, self.encoding)
            return shards.decode_inner(data, shard, self.encoding, fill, location)
        except _UNREADABLE as error:
            raise _unreadable(error, location) from error

    def values(self, elements: Values, index: Index) -> Values:
        """Stored elements as values; `index` says for which chunk, where they are none."""
        location = location_of(self.zmap, self.layout.keys.key(self.key, index))
        return values_of(elements, self.encoding, location)


def decode_elements(
    data: bytes, layout: ChunkLayout, encoding: Encoding, location: str, fill: Value = None
) -> Values:
    """All elements of a stored chunk in the dtype that is stored, of shape `layout.chunks`.

    `fill` is what chunks that a shard has not hold.
    """
    check_size(layout, encoding, location)
    if layout.shard is not None:
        return _decode_shard(data, layout, encoding, location, fill)
    decoded = chain.decode(
        [codec.to_json() for codec in layout.codecs],
        data,
        count=layout.chunk_size,
        item_size=encoding.item_size,
        location=location,
    )
    try:
        return from_disk(decoded, layout.chunks, encoding, layout.order)
    except NczError as error:
        raise CodecError(error.message, location) from error
    except _UNREADABLE as error:
        raise _unreadable(error, location) from error


def _decode_shard(
    data: bytes, layout: ChunkLayout, encoding: Encoding, location: str, fill: Value
) -> Values:
    from ncz.formats.zarr.array import shards

    assert layout.shard is not None
    configurations = [codec.to_json() for codec in layout.codecs]
    try:
        if configurations:  # of unknown length, so not bounded by it
            decoded = chain.decode(configurations, data, count=0, item_size=0, location=location)
            data = bytes(decoded)
        element = fill_element(fill, encoding)
        return shards.decode_shard(data, layout.shard, layout.chunks, encoding, element, location)
    except CodecError:
        raise
    except NczError as error:
        raise CodecError(error.message, location) from error
    except _UNREADABLE as error:
        raise _unreadable(error, location) from error


def values_of(elements: Values, encoding: Encoding, location: str) -> Values:
    """Stored elements as values of the netCDF type."""
    try:
        return to_values(elements, encoding.type)
    except _UNREADABLE as error:
        raise _unreadable(error, location) from error


def encode_elements(
    elements: Values, layout: ChunkLayout, encoding: Encoding, location: str, fill: Value = None
) -> bytes:
    """A chunk as it is stored, from all its elements in the stored dtype.

    Chunks within a shard that hold nothing but `fill` are left out.
    """
    if layout.shard is not None:
        import numpy as np

        from ncz.formats.zarr.array import shards

        element = fill_element(fill, encoding)
        data = shards.encode_shard(elements, layout.shard, encoding, element, location)
        configurations = [codec.to_json() for codec in layout.codecs]
        return chain.encode(
            configurations, np.frombuffer(data, "u1"), item_size=1, location=location
        )
    return chain.encode(
        [codec.to_json() for codec in layout.codecs],
        elements.transpose(layout.order).reshape(-1),
        item_size=encoding.item_size,
        location=location,
    )


_UNREADABLE = (ValueError, TypeError, OverflowError, MemoryError)


def _unreadable(error: Exception, location: str) -> CodecError:
    return CodecError(f"the chunk's elements cannot be read: {error}", location)


def write_chunks(
    zmap: WritableZmap,
    key: str,
    source: ChunkSource,
    layout: ChunkLayout,
    encoding: Encoding,
    fill: Value,
) -> None:
    """Write every chunk of which `source` has a value; what it has none of stays missing.

    A chunk at the edge is padded with `fill`. Where there are codecs, threads encode chunks while
    those after them are read; else one chunk is in memory at a time.
    """
    from ncz.parallel.cores import cores
    from ncz.parallel.threads import ThreadPool

    grid = layout.grid
    name = display(key)
    check_size(layout, encoding, name)

    def present() -> Iterator[tuple[Index, Values]]:
        for index in grid.indices():
            values = read_present(source, grid.box(index))
            if values is not None:
                yield index, values

    def encoded(chunk: tuple[Index, Values]) -> tuple[str, bytes]:
        index, values = chunk
        elements = to_disk(padded(values, layout, encoding.type, fill), encoding, name)
        target = layout.keys.key(key, index)
        return target, encode_elements(elements, layout, encoding, location_of(zmap, target), fill)

    works = bool(layout.codecs) or layout.shard is not None
    cost = 3 * layout.chunk_size * max(encoding.item_size, 1)
    with ThreadPool(_ENCODED_AT_ONCE, min(_MOST_THREADS, cores()) if works else 1) as pool:
        for target, data in pool.each(encoded, present(), cost):
            zmap.put(target, data)
            del data  # or the next would be made beside it


def padded(values: Values, layout: ChunkLayout, nc_type: NcType, fill: Value) -> Values:
    """The values of a chunk at the array's edge with `fill` beyond it, in the chunk's shape."""
    if values.shape == layout.chunks:
        return values
    whole = fill_array(layout.chunks, nc_type, fill)
    whole[tuple(slice(0, n) for n in values.shape)] = values
    return whole


def decode_chunk(zmap: Zmap, key: str) -> Values:
    """The elements of the one stored chunk at `key`, found out from the array's document above it.

    Raises `FormatError` if there is no such array or object, `CodecError` if it cannot be decoded.
    """
    location = location_of(zmap, key)
    prefix = key
    while prefix:
        prefix = prefix.rpartition("/")[0]
        document = _array_above(zmap, prefix)
        if document is None:
            continue
        encoding = document.encoding(nczarr=False, alias=None, type_name="/element")
        data = zmap.get(key)
        if data is None:
            raise FormatError("there is no such object", location)
        elements = decode_elements(
            data, document.layout, encoding, location, document.fill(encoding)
        )
        return values_of(elements, encoding, location)
    raise FormatError("this is no chunk of an array", location, "leave --decode out")


def _array_above(zmap: Zmap, prefix: str) -> ArrayDocument | ArrayDocumentV3 | None:
    from ncz.formats.zarr.document.v3 import DOCUMENT, check_node
    from ncz.formats.zarr.document.v3 import read_array as read_array_v3

    described = zmap.get(join_key(prefix, ARRAY))
    if described is not None:
        at = location_of(zmap, join_key(prefix, ARRAY))
        return read_array(parse_document(described, at), at, ignore_notice)
    described = zmap.get(join_key(prefix, DOCUMENT))
    if described is None:
        return None
    at = location_of(zmap, join_key(prefix, DOCUMENT))
    document = parse_document(described, at)
    return read_array_v3(document, at) if check_node(document, at) == "array" else None


def check_size(layout: ChunkLayout, encoding: Encoding, location: str) -> None:
    """Refuse chunks that are too large to be handled at all."""
    count = layout.chunk_size
    if max(count * encoding.item_size, count) > chain.LARGEST:
        chunks = "x".join(map(str, layout.chunks))
        raise CodecError(
            f"a chunk of {chunks} elements is larger than the {chain.LARGEST} bytes ncz handles",
            location,
        )
