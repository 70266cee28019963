"""The bytes of an HDF5 dataset, chunked or contiguous, read from the file without HDF5.

`Hdf5Chunks` is the `ncz.model.encoded.EncodedSource` of a chunked dataset whose filters all
have a Zarr codec. Like chunks of Zarr, those at the edge are stored whole.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.codec import chain
from ncz.codec.chain import probe_for
from ncz.errors import CodecError, CodecMissing, FormatError
from ncz.formats.hdf5.file import Hdf5Access, hdf5_errors
from ncz.model.chunks import ChunkLayout
from ncz.model.encoded import EncodedChunks, ListedSource, PlacedChunks
from ncz.model.grid import Grid, Index
from ncz.model.types import NcType, Value
from ncz.model.user_types import from_elements, numpy_dtype
from ncz.record import record
from ncz.zmap.byte_range import ByteRange, RangeFile

if TYPE_CHECKING:
    from h5py.h5d import DatasetID, StoreInfo

    from ncz.model.data import Values

# Where the chunks of an HDF5 dataset are in the file.


@record
class StoredChunk:
    """Where a chunk is in the file, and which filters were skipped when it was written.

    Bit N of `skipped` stands for filter N of the dataset.
    """

    offset: int
    size: int
    skipped: int = 0


class ChunkIndex:
    """Where the chunks of one dataset are in the file. It is read when a chunk is asked for."""

    def __init__(
        self, file: Hdf5Access, dataset: DatasetID, layout: ChunkLayout, location: str
    ) -> None:
        self._file = file
        self._dataset = dataset
        self._layout = layout
        self._location = location
        self._lock = threading.Lock()
        self._columns: Columns | None = None
        self._rows: dict[Index, int] | None = None
        self._number = file.ahead.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._file, self._dataset, self._layout, self._location)

    def find(self, index: Index) -> StoredChunk | None:
        """Return where a chunk is; None if it is not stored."""
        columns = self._read()
        with self._lock:
            if self._rows is None:
                indices = map(tuple, columns.indices.tolist())
                self._rows = {index: row for row, index in enumerate(indices)}
        row = self._rows.get(index)
        if row is None:
            return None
        return StoredChunk(
            int(columns.offsets[row]), int(columns.sizes[row]), int(columns.skipped[row])
        )

    def columns(self) -> Columns:
        """Return the chunks that are stored within the array, as columns."""
        columns = self._read()
        return columns.where(np.all(columns.indices < self._layout.grid.counts, axis=1))

    def _read(self) -> Columns:
        with self._lock:
            if self._columns is None:
                indices = self._few(self._file.ahead.following(self._number))
                asked = [(each._dataset, each._layout.chunks, each._location) for each in indices]
                found = self._file.call(_read_several, asked)
                for index, columns in zip(indices, found, strict=False):
                    index._columns = columns
            assert self._columns is not None
            return self._columns

    def _few(self, indices: list[ChunkIndex]) -> list[ChunkIndex]:
        """Return this index, and those that follow as long as they have few chunks together."""
        sizes = itertools.accumulate(index._layout.grid.size for index in indices)
        count = sum(size <= _MOST_CHUNKS for size in sizes)
        return indices[: max(1, count)]


_MOST_CHUNKS = 10_000
"""Number of chunks of several datasets that are looked up together."""


def _read_several(asked: list[tuple[DatasetID, tuple[int, ...], str]]) -> list[Columns]:
    """Return the chunks of a dataset, and of those that follow it up to the first damaged one."""
    first, *others = asked
    found = [_read_columns(*first)]
    with contextlib.suppress(FormatError):
        found += (_read_columns(*each) for each in others)
    return found


def _read_columns(dataset: DatasetID, chunks: tuple[int, ...], location: str) -> Columns:
    """Return all chunks that are stored."""
    infos: list[StoreInfo] = []
    with hdf5_errors(location):
        dataset.chunk_iter(infos.append)
        count, rank = len(infos), len(chunks)
        offsets, skipped, starts, sizes = (map(itemgetter(n), infos) for n in range(4))
        starting = np.fromiter(itertools.chain.from_iterable(offsets), np.int64, count * rank)
        return Columns(
            starting.reshape(count, rank) // chunks,
            np.fromiter(starts, np.int64, count),
            np.fromiter(sizes, np.int64, count),
            np.fromiter(skipped, int, count),
        )


@record
class Columns:
    """The chunks of a dataset: indices of shape (chunks, rank), and columns of `StoredChunk`."""

    indices: Values
    offsets: Values
    sizes: Values
    skipped: Values

    def where(self, mask: Values) -> Columns:
        """Return the rows for which `mask` is true."""
        return Columns(self.indices[mask], self.offsets[mask], self.sizes[mask], self.skipped[mask])


@record(kw_only=True)
class Hdf5Chunks(ListedSource):
    """An `EncodedSource` over the chunks of a dataset. `where` names the dataset in messages."""

    file: Hdf5Access
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

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk, clipped to the array; None if it is not stored."""
        elements = self.elements(index)
        if elements is None:
            return None
        clipped = elements[tuple(slice(0, n) for n in self.grid.box(index).shape)]
        return self.values(clipped, index)

    def locate(self, index: Index) -> str:
        """Return the file, the dataset, and the chunk."""
        return f"{self.where} chunk {'.'.join(map(str, index))}"

    @property
    def is_listed(self) -> bool:
        """Whether `present` yields only chunks that are stored, as the index of chunks does."""
        return True

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks that are within the array."""
        yield from map(tuple, self.index.columns().indices.tolist())

    def stored_size(self, index: Index) -> int | None:
        """Return the bytes of a chunk in the file; None if it is not stored."""
        stored = self.index.find(index)
        return None if stored is None else stored.size

    def encoded(self, index: Index) -> bytes | None:
        """Return a chunk as it is stored; one without some of the filters is encoded again."""
        stored = self.index.find(index)
        if stored is None:
            return None
        data = self._bytes(stored, index)
        if not self._skipped(stored):
            return data
        return chain.encode(
            self._codecs(),
            self._decoded(data, stored, index).reshape(-1),
            item_size=self.item_size,
            location=self.locate(index),
        )

    def place(self, index: Index) -> ByteRange | None:
        """Return where a chunk is in the file; None for one without some of the filters."""
        stored = self.index.find(index)
        if stored is None or self._skipped(stored):
            return None
        return ByteRange(self.file.bytes.address, stored.offset, stored.size)

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return where all chunks are in the file, but for those without some of the filters."""
        columns = self.index.columns()
        is_whole = columns.skipped & self._all_filters == 0
        found = columns.where(is_whole)
        table = PlacedChunks(self.file.bytes.address, found.indices, found.offsets, found.sizes)
        return [table], [tuple(index) for index in columns.indices[~is_whole].tolist()]

    def checked(self, *, decodes: bool) -> CheckedHdf5Chunks:
        """Return the encoded chunks; damaged ones are errors. See `EncodedSource.checked`."""

        return CheckedHdf5Chunks(self, decodes=decodes)

    def elements(self, index: Index) -> Values | None:
        """Return all elements of a chunk, in their stored dtype; None if it is not stored."""
        stored = self.index.find(index)
        if stored is None:
            return None
        return self._decoded(self._bytes(stored, index), stored, index)

    def values(self, elements: Values, index: Index) -> Values:
        """Return elements in native byte order."""
        return from_elements(elements, self.type)

    def _bytes(self, stored: StoredChunk, index: Index) -> bytes:
        most = chain.most_stored(self._codecs(), self.layout.chunk_size, self.item_size)
        if stored.size > most:
            raise CodecError(
                f"the chunk has {stored.size} bytes, and at most {most} are possible",
                self.locate(index),
                "the file is damaged; restore it from a copy",
            )
        return self.file.bytes.read(stored.offset, stored.size)

    def _decoded(self, data: bytes, stored: StoredChunk, index: Index) -> Values:
        decoded = chain.decode(
            self._codecs(stored.skipped),
            data,
            count=self.layout.chunk_size,
            item_size=self.item_size,
            location=self.locate(index),
        )
        return np.frombuffer(decoded, numpy_dtype(self.stored_dtype)).reshape(self.layout.chunks)

    def _skipped(self, stored: StoredChunk) -> int:
        """Return the mask of the filters that were skipped, of those that there are."""
        return stored.skipped & self._all_filters

    @property
    def _all_filters(self) -> int:
        """The mask of all filters."""
        return (1 << len(self.layout.codecs)) - 1

    def _codecs(self, skipped: int = 0) -> list[dict[str, Any]]:
        codecs = self.layout.codecs
        return [codec.to_json() for n, codec in enumerate(codecs) if not skipped >> n & 1]


# The bytes of HDF5 datasets without chunks.


@record
class ContiguousBytes:
    """The bytes of a dataset that are together in the file, from an offset."""

    file: RangeFile
    offset: int

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the dataset; see `ncz.formats.netcdf.linear.ReadBytes`."""
        return self.file.read(self.offset + start, count)

    def find(self, start: int, count: int) -> ByteRange:
        """Return where bytes are in the file; see `ncz.formats.netcdf.linear.FindBytes`."""
        return ByteRange(self.file.address, self.offset + start, count)


@record
class CompactBytes:
    """The bytes of a dataset in whose header they are stored."""

    data: bytes

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the dataset; see `ncz.formats.netcdf.linear.ReadBytes`."""
        return self.data[start : start + count]


# Chunks of HDF5 that are checked when they are copied without decoding.


class CheckedHdf5Chunks(EncodedChunks):
    """The encoded chunks of a dataset; reading a damaged one raises `CodecError`.

    Parameters
    ----------
    source
        The chunks.
    decodes
        Whether every chunk is decoded; otherwise only those whose length or header is suspicious.
    """

    def __init__(self, source: Hdf5Chunks, *, decodes: bool) -> None:
        codecs = [codec.to_json() for codec in source.layout.codecs]
        self._source = source
        self._decodes = decodes
        self._looks_whole = probe_for(codecs, source.layout.chunk_size, source.item_size)

    def encoded(self, index: Index) -> bytes | None:
        """Return a chunk as it is stored; see `EncodedSource.encoded`."""
        data = self._source.encoded(index)
        if data is not None and (self._decodes or not self._looks_whole(data)):
            try:
                self._source.elements(index)
            except CodecMissing:
                if self._decodes:
                    raise
        return data
