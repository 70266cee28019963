"""Where the chunks of an HDF5 dataset are in the file."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ncz.formats.netcdf.hdf5.file import hdf5_errors
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

    def __init__(self, dataset: DatasetID, layout: ChunkLayout, location: str) -> None:
        self._dataset = dataset
        self._layout = layout
        self._location = location
        self._lock = threading.Lock()
        self._infos: list[StoreInfo] | None = None
        self._by_offset: dict[tuple[int, ...], StoreInfo] | None = None

    def find(self, index: Index) -> StoredChunk | None:
        """Return where a chunk is; None if it is not stored."""
        infos = self._read()
        with self._lock:
            if self._by_offset is None:
                self._by_offset = {info.chunk_offset: info for info in infos}
        at = tuple(i * n for i, n in zip(index, self._layout.chunks, strict=True))
        info = self._by_offset.get(at)
        return info and StoredChunk(info.byte_offset, info.size, info.filter_mask)

    def columns(self) -> Columns:
        """Return the chunks that are stored within the array, as columns."""
        import numpy as np

        infos = self._read()
        count, rank = len(infos), len(self._layout.shape)
        offsets, skipped, starts, sizes = zip(*infos, strict=True) if infos else ((),) * 4
        indices = np.array(offsets, np.int64).reshape(count, rank) // self._layout.chunks
        columns = Columns(
            indices, np.array(starts, np.int64), np.array(sizes, np.int64), np.array(skipped, int)
        )
        return columns.where(np.all(indices < self._layout.grid.counts, axis=1))

    def _read(self) -> list[StoreInfo]:
        with self._lock:
            if self._infos is None:
                infos: list[StoreInfo] = []
                with hdf5_errors(self._location):
                    self._dataset.chunk_iter(infos.append)
                self._infos = infos
            return self._infos


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
