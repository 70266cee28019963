"""The chunks of an HDF5 dataset, read from the file without HDF5.

`Hdf5Chunks` is the `ncz.model.chunk.encoded.EncodedSource` of a chunked dataset whose filters all
have a Zarr codec. Like chunks of Zarr, those at the edge are stored whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ncz.codec import chain
from ncz.errors import CodecError
from ncz.formats.netcdf.hdf5.chunk_index import ChunkIndex, StoredChunk
from ncz.formats.netcdf.hdf5.file import Hdf5Access
from ncz.model.chunk.encoded import PlacedChunks, put_encoded
from ncz.model.chunk.layout import ChunkLayout
from ncz.model.grid import Grid, Index
from ncz.model.types import NcType, Value
from ncz.model.user_types.arrays import from_elements, numpy_dtype
from ncz.record import record
from ncz.zmap.byte_range import ByteRange

if TYPE_CHECKING:
    from ncz.formats.netcdf.hdf5.integrity import CheckedHdf5Chunks
    from ncz.model.data import Values
    from ncz.zmap import WritableZmap


@record(kw_only=True)
class Hdf5Chunks:
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

    def copy_encoded(self, index: Index, zmap: WritableZmap, key: str) -> int | None:
        """Write a stored chunk to `key`."""
        return put_encoded(self, index, zmap, key)

    def checked(self, *, decodes: bool) -> CheckedHdf5Chunks:
        """Return the encoded chunks, of which damaged ones are errors; see `CheckableSource`."""
        from ncz.formats.netcdf.hdf5.integrity import CheckedHdf5Chunks

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
        import numpy as np

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
