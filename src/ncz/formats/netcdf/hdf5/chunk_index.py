"""Where the chunks of an HDF5 dataset are in the file."""

from __future__ import annotations

import threading
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ncz.formats.netcdf.hdf5.file import Hdf5Access, hdf5_errors
from ncz.model.chunk.layout import ChunkLayout
from ncz.model.grid import Index
from ncz.record import record

if TYPE_CHECKING:
    from h5py.h5d import DatasetID, StoreInfo

    from ncz.model.data import Values


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
        import numpy as np

        columns = self._read()
        return columns.where(np.all(columns.indices < self._layout.grid.counts, axis=1))

    def _read(self) -> Columns:
        with self._lock:
            if self._columns is None:
                self._columns = self._file.call(
                    _read_columns, self._dataset, self._layout.chunks, self._location
                )
            return self._columns


def _read_columns(dataset: DatasetID, chunks: tuple[int, ...], location: str) -> Columns:
    """Return all chunks that are stored."""
    import numpy as np

    infos: list[StoreInfo] = []
    with hdf5_errors(location):
        dataset.chunk_iter(infos.append)
        count, rank = len(infos), len(chunks)
        offsets, skipped, starts, sizes = (map(itemgetter(n), infos) for n in range(4))
        starting = np.fromiter(chain.from_iterable(offsets), np.int64, count * rank)
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
