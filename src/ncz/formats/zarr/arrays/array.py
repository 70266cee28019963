"""The chunks of an array in a Zarr store: bytes to values and back.

`ZarrArray` is the `ncz.model.encoded_arrays.EncodedSource` over a store.
`ncz.codec.chain` is imported when a chunk is decoded or encoded: a header needs no codecs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from operator import floordiv, lt
from typing import TYPE_CHECKING, Any

from ncz.errors import CodecError, FormatError, NczError
from ncz.formats.zarr.types.dtypes import BOOLEAN, Encoding
from ncz.late import numpy as np
from ncz.model.chunks import ChunkLayout
from ncz.model.encoded_arrays import ListedSource
from ncz.model.grid import Box, Grid, Index
from ncz.model.types import NcType, Value
from ncz.record import field, record, replace
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.key import ChunkKeys, display

if TYPE_CHECKING:
    from ncz.codec import ArraySpec
    from ncz.codec.probe import Probe
    from ncz.model.checked_chunks import Check, CheckedChunks
    from ncz.model.data import Values
    from ncz.model.encoded_arrays import EncodedSource
    from ncz.zmap.byte_range import ByteRange

MOST_ASKED_FOR = 16
"""For more chunks than this, listing all is faster than requesting each."""

_FEW_ZEROED = 10_000
"""Number of chunks of zeros that are made without counting existing ones."""

_MOST_ZEROED = 100
"""Largest number of chunks of zeros that are made for each that exists."""


@record
class ZarrArray(ListedSource):
    """An array in a store. `key` is its prefix; `fill` is the value of missing chunks."""

    zmap: Zmap
    key: str
    layout: ChunkLayout
    encoding: Encoding
    fill: Value
    keys: ChunkKeys = ChunkKeys()
    has_fill: bool = field(default=True, compare=False, repr=False)
    """Whether the document gives a fill value. Where it gives none, times have NaT."""
    kept: str | None = field(default=None, compare=False, repr=False)
    """The sums of the values that the store keeps."""

    _asked: list[Index] = field(default_factory=list, compare=False, repr=False)
    """The missing chunk that was looked for under other keys, if one was."""

    @property
    def grid(self) -> Grid:
        """The shape, and the smallest chunks that can be read alone."""
        return self.layout.reading_grid

    @property
    def type(self) -> NcType:
        """The netCDF type of the values."""
        return self.encoding.type

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements."""
        return self.encoding.stored_dtype

    @property
    def item_size(self) -> int:
        """Bytes of a stored element; 0 for objects."""
        return self.encoding.item_size

    def kept_sums(self) -> str | None:
        """Return the sums of the values that the store keeps; None if it keeps none."""
        return self.kept

    @property
    def stored_size_limit(self) -> int:
        """The most bytes that a stored chunk may have."""
        return stored_size_limit(self.layout, self.encoding.item_size)

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks, clipped to the array; None for each that is missing."""
        if self.is_sharded or not self._reads_together(indices):
            return [self._values(index) for index in indices]
        full = tuple(map(floordiv, self.layout.shape, self.layout.chunks))
        return [
            values
            if values is None or all(map(lt, index, full))
            else self.grid.box(index).clip(values)
            for index, values in zip(indices, self._together(indices, self.values), strict=True)
        ]

    def _values(self, index: Index) -> Values | None:
        elements = self._inner(index) if self.is_sharded else self.chunk_elements(index)
        if elements is None:
            return None
        return self.values(self.grid.box(index).clip(elements), index)

    @property
    def is_sharded(self) -> bool:
        """Whether a chunk is part of an object, and can be read without the rest of it."""
        return self.layout.shard is not None and self.layout.is_partial

    def key_of(self, index: Index) -> str:
        """Return the key of the object that contains chunk `index` of `grid`."""
        if self.is_sharded:
            index, _ = self.layout.object_of(index)
        return self.keys.key(self.key, index)

    def locate(self, index: Index) -> str:
        """Return the store's URL and the key of stored chunk `index`."""
        return self.zmap.where(self.keys.key(self.key, index))

    @property
    def is_listed(self) -> bool:
        """Whether `present` lists the keys of the store."""
        return self.layout.grid.size > MOST_ASKED_FOR and self.zmap.can_list

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks, in an order that is the same each time.

        The keys of a large array are listed, so that a sparse array costs no more than the chunks
        it has. Every index is given, whether the chunk exists or not, if the array is small or the
        store cannot list its keys.
        """
        grid = self.layout.grid
        if not self.is_listed:
            return grid.indices()
        if self.zmap.holds_files:  # a folder has no order, and its names can be too many for memory
            from ncz.model.presence import sorted_indices

            return sorted_indices(grid, self._indices_of(self.zmap.walk_unsorted(self.key)))
        return self._indices_of(self.zmap.walk(self.key))

    def _indices_of(self, keys: Iterable[str]) -> Iterator[Index]:
        """Yield the indices of those keys that are chunks of this array."""
        counts = self.layout.grid.counts
        start = len(self.key) + 1 if self.key else 0
        for key in keys:
            name = key[start:]
            index = self.keys.index(name, len(counts))
            if index is None and "/" in name:  # a folder in the place of a chunk is an error
                index = self.keys.index(name.rpartition("/")[0], len(counts))
            if index is not None and all(map(lt, index, counts)):
                yield index

    def stored_size(self, index: Index) -> int | None:
        """Return the bytes of stored chunk `index` in the store; None if it is missing."""
        return self.zmap.size(self.keys.key(self.key, index))

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return stored chunks without decoding them; None for each that is missing."""
        chunks = self._stored_bytes(indices)
        return [
            self.missing(index) if data is None else data
            for index, data in zip(indices, chunks, strict=True)
        ]

    def _stored_bytes(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return the bytes of stored chunks; None for each that the store does not have."""
        if len(indices) == 1:
            return [self.zmap.get(self.keys.key(self.key, indices[0]), self.stored_size_limit)]
        return self.zmap.get_many(self.keys.keys(self.key, indices), self.stored_size_limit)

    def encoded_part(self, index: Index, start: int, count: int) -> bytes | None:
        """Return bytes of a stored chunk, without reading the rest of it."""
        return self.zmap.get_range(self.keys.key(self.key, index), start, count)

    def missing(self, index: Index) -> bytes | None:
        """Return the encoded form of a chunk that is not in the store; None for the fill value.

        Raises `CodecError` if a folder is in its place, or it has another key.
        """
        self.refuse_absence(index)
        return None

    def unshard(self) -> EncodedSource:
        """Return the same values with the chunks within shards as stored chunks, or itself."""
        from ncz.model.inner_chunks import unshard

        return unshard(self)

    def place(self, index: Index) -> ByteRange | None:
        """Return the place of stored chunk `index`; see `EncodedSource.place`."""
        return self.zmap.place(self.keys.key(self.key, index))

    def copy(
        self, indices: Sequence[Index], zmap: WritableZmap, keys: Sequence[str]
    ) -> Iterator[int | None]:
        """Copy stored chunks; between directories, the kernel does it."""
        limit = self.stored_size_limit
        for index, key in zip(indices, keys, strict=True):
            yield self.copy_chunk(index, zmap, key, limit)

    def copy_chunk(
        self,
        index: Index,
        zmap: WritableZmap,
        key: str,
        limit: int,
        check: Check | None = None,
    ) -> int | None:
        """Copy a stored chunk, or encode values for a missing one; see `copy`.

        Parameters
        ----------
        index
            The chunk.
        zmap, key
            The store that takes it, and its key there.
        limit
            The most bytes of a chunk.
        check
            Called with the chunk before it is copied; an exception stops the copy.
        """
        ours = self.keys.key(self.key, index)
        own_check = None if check is None else lambda data: check(data, index)
        size = zmap.put_from(key, self.zmap, ours, limit, own_check)
        if size is not None:
            return size
        data = self.missing(index)
        if data is None:
            return None
        zmap.put(key, data)
        return len(data)

    def with_checks(self, *, decodes: bool) -> CheckedChunks:
        """Return the encoded chunks; damaged ones are errors. See `EncodedSource.with_checks`."""
        from ncz.codec import ArraySpec
        from ncz.codec.probe import probe_for
        from ncz.model.checked_chunks import CheckedChunks

        layout = self.layout
        spec = ArraySpec(layout.chunks, self.item_size)
        probe = probe_for(layout.chain, spec)

        def probe_of(index: Index) -> Probe:  # all chunks of one shape have the same
            if layout.lengths is None:
                return probe
            one = layout.at(index)
            return probe_for(one.chain, ArraySpec(one.chunks, self.item_size))

        accept = None if decodes or layout.lengths is not None else probe
        return CheckedChunks(
            self,
            probe_of,
            self.decode,
            decodes=decodes,
            copy=partial(self._copy_with_checks, accept, self.stored_size_limit),
        )

    def _copy_with_checks(
        self,
        accept: Probe | None,
        limit: int,
        check: Check,
        indices: Sequence[Index],
        zmap: WritableZmap,
        keys: Sequence[str],
    ) -> Iterator[int | None]:
        """Copy chunks: the ones that `accept` takes together, and others one by one."""
        sizes: Iterable[int | None] = repeat(None, len(indices))
        if accept is not None and len(indices) > 1:
            ours = self.keys.keys(self.key, indices)
            sizes = zmap.put_many_from(keys, self.zmap, ours, accept)
        for index, key, size in zip(indices, keys, sizes, strict=True):
            if size is None:
                size = self.copy_chunk(index, zmap, key, limit, check)
            yield size

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return all elements of stored chunks, also those beyond the array's edge."""
        if self._reads_together(indices):
            return self._together(indices, lambda elements, _: elements)
        return [self._elements(index) for index in indices]

    def _elements(self, index: Index) -> Values | None:
        data = self.zmap.get(self.keys.key(self.key, index), self.stored_size_limit)
        if data is None:
            self.refuse_absence(index)
            return None
        return self.decode(data, index)

    def _reads_together(self, indices: Sequence[Index]) -> bool:
        """Return whether the elements of chunks fit into one array.

        They have one shape, a fixed size, and no subclass that reads them differently.
        """
        if len(indices) < 2:
            return False
        layout = self.layout
        is_plain = layout.shard is None and layout.lengths is None and self.encoding.item_size > 0
        is_plain = is_plain and layout.is_of_bytes
        is_own = type(self).elements is not ZarrArray.elements
        return is_plain and len(layout.chunks) > 0 and not is_own

    def _together(
        self, indices: Sequence[Index], use: Callable[[Values, Index], Values]
    ) -> list[Values | None]:
        """Call `use` with the elements of chunks, which are decoded together."""
        chunks = self.encoded_chunks(indices)
        there = [
            (index, data) for index, data in zip(indices, chunks, strict=True) if data is not None
        ]
        try:
            elements = decode_together([data for _, data in there], self.layout, self.encoding)
            results = iter(use(elements, indices[0]))
        except CodecError:  # decode one by one to find the damaged chunk
            results = iter([use(self.decode(data, index), index) for index, data in there])
        return [None if data is None else next(results) for data in chunks]

    def decode(self, data: bytes, index: Index) -> Values:
        """Decode all elements of stored chunk `index`."""
        layout = self.layout.at(index)
        return decode_elements(data, layout, self.encoding, self.locate(index), self.fill)

    def refuse_absence(self, index: Index) -> None:
        """Raise `CodecError` if a chunk that was not found is not missing.

        A folder may have its name. Or it has the key of another separator: a store that is listed
        freely shows this when it is opened, and other stores are checked for one chunk.
        """
        key = self.keys.key(self.key, index)
        if self.zmap.is_folder(key):
            raise CodecError(
                "a folder is in the place of this chunk",
                self.zmap.where(key),
                "restore the chunk, or remove the folder",
            )
        if self._asked or self.zmap.lists_freely or self.zmap.numbers_chunks:
            return
        self._asked.append(index)
        from ncz.formats.zarr.documents.misplaced_chunks import other_keys

        for keys in other_keys(self.keys, index):
            other = keys.key(self.key, index)
            if self.zmap.size(other) is not None:
                raise CodecError(
                    f"the chunk has the key {display(other)}, which does not fit the metadata",
                    self.zmap.where(key),
                    "correct the separator in the metadata of the array",
                )

    def count_parts(self, index: Index) -> int:
        """Return the number of chunks in a stored chunk; see `EncodedSource.count_parts`."""
        if not self.is_sharded:
            return 1
        from ncz.codec.sharding_indexed import ABSENT

        places = self._shard_index(index)
        if places is None:
            return 0
        shape = self.layout.grid.box(index).shape
        inside = tuple(
            slice(-(-length // chunk))
            for length, chunk in zip(shape, self.grid.chunks, strict=True)
        )
        return int((places[inside][..., 0] != ABSENT).sum())

    def _shard_index(self, index: Index) -> Values | None:
        """Return the index of a shard: see `Sharding.read_index`. None if the shard is missing."""
        layout = self.layout.at(index)
        assert layout.shard is not None
        key = self.keys.key(self.key, index)
        sharding = layout.shard.sharding
        size = sharding.index_size(layout.chunks)
        data = self.zmap.get_range(key, -size if layout.shard.at_end else 0, size)
        if data is None:
            self.refuse_absence(index)
            return None
        location = self.zmap.where(key)
        try:
            return sharding.read_index(data, layout.chunks, location)
        except CodecError:
            raise
        except _UNREADABLE as error:
            raise _unreadable(error, location) from error

    def _inner(self, index: Index) -> Values | None:
        """Return the elements of a chunk within a shard, reading only the index and the chunk."""
        from ncz.codec.chain import decode_array
        from ncz.codec.sharding_indexed import chunk_bytes

        outer, place = self.layout.object_of(index)
        layout = self.layout.at(outer)
        shard = layout.shard
        assert shard is not None
        key = self.keys.key(self.key, outer)
        location = self.zmap.where(key)
        sharding = shard.sharding
        places = self._shard_index(outer)
        if places is None:
            return None
        try:
            entry = places[place]
            data = chunk_bytes(
                entry, lambda start, count: self.zmap.get_range(key, start, count), location
            )
            if data is None:
                return None
            part = sharding.part(_array_of(layout, self.encoding, self.fill))
            return decode_array(sharding.codecs, data, part, location=location)
        except CodecError:
            raise
        except _UNREADABLE as error:
            raise _unreadable(error, location) from error

    def values(self, elements: Values, index: Index) -> Values:
        """Convert stored elements to values; `index` is used in error messages."""
        return values_of(elements, self.encoding, self.locate(index))


class ZeroedArray(ZarrArray):
    """An array of Zarr V2 whose missing chunks are zero, though its variable has another fill.

    Its ``fill_value`` is null, and none of its chunks was missing when its fill was annotated.
    Other programs have since left out chunks that are zero, as zarr-python does.
    """

    @property
    def is_listed(self) -> bool:
        """False: every chunk has values."""
        return False

    def with_zeros_missing(self) -> ZarrArray:
        """Return the same values as an array whose fill value is zero."""
        return ZarrArray(self.zmap, self.key, self.layout, self.encoding, None, self.keys)

    def present(self) -> Iterator[Index]:
        """Yield all indices. Raise `FormatError` if most of very many chunks are missing."""
        self._check_missing(self.layout.grid.size)
        yield from self.layout.grid.indices()

    def indices_in(self, box: Box) -> Iterator[Index]:
        """Yield the indices of the chunks that touch `box`, with the check of `present`."""
        self._check_missing(math.prod(map(len, self.grid.ranges(box))))
        return self.grid.indices(box)

    def _check_missing(self, wanted: int) -> None:
        """Refuse to make more chunks of zeros than a program would have left out."""
        if wanted <= _FEW_ZEROED or not self.zmap.can_list:
            return
        there = sum(1 for _ in self.with_zeros_missing().present())
        if wanted > _MOST_ZEROED * (there + 1):
            raise FormatError(
                f"{there:,} of {self.layout.grid.size:,} chunks exist, and fill_value is null",
                location=self.zmap.where(self.key),
                hint="give the array a fill_value",
            )

    def missing(self, index: Index) -> bytes | None:
        """Return zeros, encoded."""
        ZarrArray.missing(self, index)
        return encode_elements(self._zeros(), self.layout, self.encoding, self.locate(index))

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return all elements of stored chunks, also those beyond the array's edge."""
        chunks = ZarrArray.elements(self, indices)
        return [self._zeros() if elements is None else elements for elements in chunks]

    def _zeros(self) -> Values:
        from ncz.formats.zarr.types.elements import disk_dtype

        return np.zeros(self.layout.chunks, disk_dtype(self.stored_dtype))


def decode_elements(
    data: bytes, layout: ChunkLayout, encoding: Encoding, location: str, fill: Value = None
) -> Values:
    """Decode a stored chunk.

    Parameters
    ----------
    data
        The chunk as stored.
    layout, encoding
        The encoding of the chunk, and the type of its elements.
    location
        The chunk's URL and key, for messages.
    fill
        The value of chunks that are missing in a shard.

    Returns
    -------
    ndarray
        All elements, of shape ``layout.chunks`` and dtype ``encoding.stored_dtype``.

    Raises
    ------
    CodecError
        If the chunk is too large, or its bytes cannot be decoded.
    """
    from ncz.codec.chain import decode_array

    layout.check_size(encoding.item_size, location)
    row = layout.shape[-1] if layout.shape else 0
    try:
        array = _array_of(layout, encoding, fill)
        return decode_array(layout.chain, data, array, location=location, row=row)
    except CodecError as error:
        if error.location:
            raise
        raise type(error)(error.message, location, error.hint) from error
    except NczError as error:
        raise CodecError(error.message, location) from error
    except _UNREADABLE as error:
        raise _unreadable(error, location) from error


def _array_of(layout: ChunkLayout, encoding: Encoding, fill: Value) -> ArraySpec:
    """Return the specification of a stored chunk, with the fill value if shards need it."""
    stored, is_boolean = encoding.stored_dtype, encoding.dtype == BOOLEAN
    if layout.shard is None and isinstance(stored, str) and not encoding.is_narrow:
        return _array_of_numbers(layout.chunks, encoding.item_size, stored, is_boolean)
    from ncz.formats.zarr.types.elements import fill_element

    element = None if layout.shard is None else fill_element(fill, encoding)
    return _make_array(layout.chunks, encoding.item_size, stored, is_boolean, element)


@functools.lru_cache(64)  # most chunks of an array are alike
def _array_of_numbers(
    chunks: tuple[int, ...], item_size: int, stored_dtype: str, is_boolean: bool
) -> ArraySpec:
    return _make_array(chunks, item_size, stored_dtype, is_boolean, None)


def _make_array(
    chunks: tuple[int, ...], item_size: int, stored_dtype: Any, is_boolean: bool, fill: Any
) -> ArraySpec:
    from ncz.codec import ArraySpec
    from ncz.formats.zarr.types.elements import disk_dtype

    order = ">" if str(stored_dtype).startswith(">") else "<"
    return ArraySpec(chunks, item_size, disk_dtype(stored_dtype), fill, order, is_boolean)


def decode_together(chunks: Sequence[bytes], layout: ChunkLayout, encoding: Encoding) -> Values:
    """Decode stored chunks of one shape, of elements of a fixed size; see `decode_elements`.

    The first axis of the result counts the chunks. An error does not name the damaged one.
    """
    from ncz.codec import chain

    layout.check_size(encoding.item_size, "")
    array, order = _array_of(layout, encoding, None), layout.order
    codecs = [codec.to_json() for codec in layout.codecs]
    decoded = chain.decode_many(codecs, chunks, array, row=layout.shape[-1])
    try:
        joined = np.frombuffer(b"".join(decoded), array.dtype)
        ordered = joined.reshape(len(chunks), *(layout.chunks[axis] for axis in order))
        places = sorted(range(len(order)), key=order.__getitem__)
        return ordered.transpose(0, *(1 + place for place in places))
    except _UNREADABLE as error:
        raise _unreadable(error, "") from error


def stored_size_limit(layout: ChunkLayout, item_size: int) -> int:
    """Return the most bytes that a stored chunk may have."""
    from ncz.codec import ArraySpec, bounds

    return bounds.max_stored_size(layout.chain, ArraySpec(layout.chunks, item_size))


def values_of(elements: Values, encoding: Encoding, location: str) -> Values:
    """Convert stored elements to values of the netCDF type. Raises `CodecError`."""
    from ncz.formats.zarr.types.elements import to_values

    try:
        return to_values(elements, encoding)
    except FormatError as error:
        raise CodecError(error.message, location) from error
    except _UNREADABLE as error:
        raise _unreadable(error, location) from error


def encode_elements(
    elements: Values, layout: ChunkLayout, encoding: Encoding, location: str, fill: Value = None
) -> bytes | None:
    """Encode a chunk.

    Parameters
    ----------
    elements
        All elements of the chunk, of dtype ``encoding.stored_dtype``.
    layout, encoding
        How to encode the chunk.
    location
        The chunk's URL and key, for messages.
    fill
        Chunks within a shard that contain only this value are left out.

    Returns
    -------
    bytes or None
        The chunk as stored; None for a shard with only `fill`, which is not stored.
    """
    from ncz.codec import chain

    # A chunk may be shorter than the longest one, whose shape the layout has.
    array = _array_of(replace(layout, chunks=elements.shape), encoding, fill)
    return chain.encode_array(layout.chain, elements, array, location=location)


_UNREADABLE = (ValueError, TypeError, OverflowError, MemoryError)


def _unreadable(error: Exception, location: str) -> CodecError:
    return CodecError(f"cannot read the elements of the chunk: {error}", location)
