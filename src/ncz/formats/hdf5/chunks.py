"""The chunks of HDF5 datasets: their places, and their bytes.

`Hdf5Chunks` is the `EncodedSource` of a chunked dataset whose filters all have a Zarr codec. As in
Zarr, chunks at the edge are stored whole.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

from ncz.codec import ArraySpec, bounds, chain
from ncz.codec.probe import probe_for
from ncz.errors import CodecError, quantity
from ncz.formats.hdf5.errors import DAMAGED, format_error
from ncz.formats.hdf5.metadata.blocks import MetadataSource
from ncz.formats.hdf5.metadata.dataspace import Dataspace
from ncz.formats.hdf5.metadata.faults import UnreadableError
from ncz.formats.hdf5.metadata.few_chunks import StoredChunk, read_few_chunks
from ncz.formats.hdf5.metadata.file import Hdf5Metadata
from ncz.formats.hdf5.metadata.storage import Layout
from ncz.late import numpy as np
from ncz.model.checked_chunks import CheckedChunks
from ncz.model.chunks import ChunkLayout
from ncz.model.encoded_arrays import ListedSource, PlacedChunks
from ncz.model.grid import Grid, Index
from ncz.model.types import NcType, Value
from ncz.model.user_types import from_elements, numpy_dtype
from ncz.record import record, replace
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.range_file import RangeFile

if TYPE_CHECKING:
    from ncz.formats.hdf5.metadata.chunk_index import ChunkColumns
    from ncz.model.data import Values


class OpenFile:
    """An open HDF5 file, whose chunk indexes are read when chunks are needed.

    Attributes
    ----------
    bytes
        The file.
    metadata
        Its metadata.
    """

    def __init__(self, file: RangeFile, metadata: Hdf5Metadata) -> None:
        self.bytes = file
        self.metadata = metadata
        self._indexes: list[ChunkIndex] = []
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return OpenFile, (self.bytes, self.metadata)

    def add(self, index: ChunkIndex) -> int:
        """Note an index, and return its number."""
        self._indexes.append(index)
        return len(self._indexes) - 1

    def read(self, index: ChunkIndex, number: int) -> None:
        """Read an index; of a file on a server also small ones that follow it."""
        with self._lock:
            if index.is_read:
                return
            source = self.metadata.source()
            if self.bytes.path is None:
                self._read_ahead(source, number)
            if not index.is_read:
                try:  # without a context, as a file may have thousands of indexes
                    index.fetch(source)
                except UnreadableError as error:
                    raise format_error(error, index.location) from error

    def _read_ahead(self, source: MetadataSource, number: int) -> None:
        """Read several indexes at the same time; one that is damaged is left to its own reader."""
        following = [each for each in self._indexes[number:][:_TOGETHER] if not each.is_read]
        few = [each for each in following if each.most_chunks <= _MOST_READ_WITH_OTHERS]

        def attempt(index: ChunkIndex) -> None:
            try:
                index.fetch(source)
            except UnreadableError:
                return

        source.together([partial(attempt, index) for index in few])


_TOGETHER = 256
"""Number of indexes that are read at the same time."""

_MOST_READ_WITH_OTHERS = 10_000
"""Number of chunks of an index that is read with others."""


class ChunkIndex:
    """The places of the chunks of one dataset in the file, read when a chunk is needed.

    The dataset has `inner` further axes within its elements, which are arrays: a chunk has all of
    their items.
    """

    def __init__(
        self, file: OpenFile, layout: Layout, space: Dataspace, filters: int, item_size: int,
        inner: int, location: str,
    ) -> None:  # fmt: skip
        self.location = location
        self._file = file
        self._layout = layout
        self._space = space
        self._filters = filters
        self._item_size = item_size
        self._inner = inner
        self._few: Mapping[Index, StoredChunk] | None = None
        self._columns: ChunkColumns | None = None
        self._rows: dict[Index, int] | None = None
        self._number = file.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChunkIndex, (
            self._file, self._layout, self._space, self._filters, self._item_size, self._inner,
            self.location,
        )  # fmt: skip

    @property
    def is_read(self) -> bool:
        """Whether the places of the chunks are known."""
        return self._few is not None or self._columns is not None

    @property
    def most_chunks(self) -> int:
        """The number of chunks that the dataset may have."""
        return prod(self._counts)

    def find(self, index: Index) -> StoredChunk | None:
        """Return the place of a chunk; None if it is not stored."""
        self._read()
        if self._few is not None:
            return self._few.get(index)
        columns, rows = self.columns(), self._rows
        if rows is None:
            indices = map(tuple, columns.indices.tolist())
            rows = self._rows = {index: row for row, index in enumerate(indices)}
        row = rows.get(index)
        if row is None:
            return None
        return StoredChunk(
            int(columns.offsets[row]), int(columns.sizes[row]), int(columns.skipped[row])
        )

    def present(self) -> Iterator[Index]:
        """Yield the indices of the chunks that are stored within the dataset."""
        self._read()
        if self._few is not None:
            yield from self._few
        else:
            yield from map(tuple, self.columns().indices.tolist())

    def columns(self) -> ChunkColumns:
        """Return the chunks that are stored within the dataset, as columns."""
        self._read()
        if self._columns is None:
            self._columns = self._as_columns(self._few or {})
        return self._columns

    def fetch(self, source: MetadataSource) -> None:
        """Read the places of the chunks. Raises `UnreadableError` if the index is damaged."""
        sizes, layout, shape = self._file.metadata.superblock.sizes, self._layout, self._space.shape
        size = 0 if self._filters else prod(layout.chunks[:-1]) * self._item_size
        few = None
        if len(layout.chunks) == len(shape) + 1:
            few = read_few_chunks(source, sizes, layout, chunk_size=size)
        if few is None:
            self._columns = self._all_columns(source)
            return
        counts = self._counts
        zeros = (0,) * self._inner
        self._few = {
            (*index, *zeros): stored
            for index, stored in few.items()
            if all(n < count for n, count in zip(index, counts, strict=True))
        }

    def _all_columns(self, source: MetadataSource) -> ChunkColumns:
        from ncz.formats.hdf5.metadata.chunk_index import read_chunk_index

        superblock = self._file.metadata.superblock
        columns = read_chunk_index(
            source, superblock.sizes, self._layout, self._space,
            is_filtered=self._filters > 0, item_size=self._item_size,
        )  # fmt: skip
        if superblock.base:
            columns = replace(columns, offsets=columns.offsets + superblock.base)
        found = columns.where(np.all(columns.indices < self._counts, axis=1))
        return replace(found, indices=np.pad(found.indices, ((0, 0), (0, self._inner))))

    def _as_columns(self, chunks: Mapping[Index, StoredChunk]) -> ChunkColumns:
        from ncz.formats.hdf5.metadata.chunk_index import ChunkColumns

        places = [(each.offset, each.size, each.skipped) for each in chunks.values()]
        rank = len(self._space.shape) + self._inner
        indices = np.array([*chunks], "i8").reshape(-1, rank)
        return ChunkColumns(indices, *np.array(places, "i8").reshape(-1, 3).T)

    @property
    def _counts(self) -> list[int]:
        """The number of chunks along each axis."""
        pairs = zip(self._space.shape, self._layout.chunks, strict=False)
        return [-(-length // max(1, chunk)) for length, chunk in pairs]

    def _read(self) -> None:
        if not self.is_read:
            self._file.read(self, self._number)


@record
class ChunkBytes:
    """The bytes of the chunks of a dataset, compared with their limit.

    `most` is the number of bytes that an encoded chunk may have.
    """

    file: OpenFile
    index: ChunkIndex
    most: int
    where: str

    def locate(self, index: Index) -> str:
        """Return the file, the dataset, and the chunk."""
        return f"{self.where} chunk {'.'.join(map(str, index))}"

    def read(self, stored: StoredChunk, index: Index) -> bytes:
        """Return the bytes of a chunk."""
        if stored.size > self.most:
            raise CodecError(
                f"the chunk has {quantity(stored.size, 'byte')},"
                f" and at most {self.most} are possible",
                self.locate(index),
                DAMAGED,
            )
        return self.file.bytes.read(stored.offset, stored.size)


@record(kw_only=True)
class Hdf5Chunks(ListedSource):
    """An `EncodedSource` over the chunks of a dataset. `where` names the dataset in messages."""

    file: OpenFile
    index: ChunkIndex
    layout: ChunkLayout
    type: NcType
    stored_dtype: Any
    item_size: int
    fill: Value
    where: str

    @property
    def grid(self) -> Grid:
        """The shape, and the chunks."""
        return self.layout.grid

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks, clipped to the array; None for each that is not stored."""
        chunks = zip(indices, self.elements(indices), strict=True)
        return [
            None if elements is None else self.values(self.grid.box(index).clip(elements), index)
            for index, elements in chunks
        ]

    def locate(self, index: Index) -> str:
        """Return the file, the dataset, and the chunk."""
        return self._bytes.locate(index)

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that are stored, as the index of chunks does."""
        return True

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks that are within the array."""
        yield from self.index.present()

    def stored_size(self, index: Index) -> int | None:
        """Return the bytes of a chunk in the file; None if it is not stored."""
        stored = self.index.find(index)
        return None if stored is None else stored.size

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return chunks as stored; chunks that skipped filters are encoded again."""
        return [self._stored_bytes(index) for index in indices]

    def _stored_bytes(self, index: Index) -> bytes | None:
        stored = self.index.find(index)
        if stored is None:
            return None
        data = self._bytes.read(stored, index)
        if not self._skipped_filters(stored):
            return data
        return chain.encode(
            self._codecs(),
            self._decode(data, stored, index).reshape(-1),
            item_size=self.item_size,
            location=self.locate(index),
        )

    def place(self, index: Index) -> ByteRange | None:
        """Return the place of a chunk in the file; None if some filters were not applied to it."""
        stored = self.index.find(index)
        if stored is None or self._skipped_filters(stored):
            return None
        return ByteRange(self.file.bytes.address, stored.offset, stored.size)

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return the places of all chunks in the file that have all filters applied."""
        columns = self.index.columns()
        is_whole = columns.skipped & self._all_filters == 0
        found = columns.where(is_whole)
        table = PlacedChunks(self.file.bytes.address, found.indices, found.offsets, found.sizes)
        return [table], [tuple(index) for index in columns.indices[~is_whole].tolist()]

    def with_checks(self, *, decodes: bool) -> CheckedChunks:
        """Return the encoded chunks; damaged ones are errors. See `EncodedSource.with_checks`."""
        probe = probe_for(self._codecs(), ArraySpec(self.layout.chunks, self.item_size))
        return CheckedChunks(
            self, lambda _: probe, lambda _, index: self.chunk_elements(index), decodes=decodes
        )

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return all elements of chunks, in their stored dtype; None for each not stored."""
        return [self._elements(index) for index in indices]

    def _elements(self, index: Index) -> Values | None:
        stored = self.index.find(index)
        if stored is None:
            return None
        return self._decode(self._bytes.read(stored, index), stored, index)

    def values(self, elements: Values, index: Index) -> Values:
        """Return elements in native byte order."""
        return from_elements(elements, self.type)

    @property
    def _bytes(self) -> ChunkBytes:
        array = ArraySpec(self.layout.chunks, self.item_size)
        most = bounds.max_stored_size(self._codecs(), array)
        return ChunkBytes(self.file, self.index, most, self.where)

    def _decode(self, data: bytes, stored: StoredChunk, index: Index) -> Values:
        decoded = chain.decode(
            self._codecs(stored.skipped),
            data,
            count=self.layout.chunk_size,
            item_size=self.item_size,
            location=self.locate(index),
        )
        return np.frombuffer(decoded, numpy_dtype(self.stored_dtype)).reshape(self.layout.chunks)

    def _skipped_filters(self, stored: StoredChunk) -> int:
        """Return the mask of the skipped filters."""
        return stored.skipped & self._all_filters

    @property
    def _all_filters(self) -> int:
        """The mask of all filters."""
        return (1 << len(self.layout.codecs)) - 1

    def _codecs(self, skipped: int = 0) -> list[dict[str, Any]]:
        codecs = self.layout.codecs
        return [codec.to_json() for n, codec in enumerate(codecs) if not skipped >> n & 1]
