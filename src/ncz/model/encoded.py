"""Sources whose chunks are stored encoded: the protocol by which copies move them raw.

A Zarr array is one; so can be a dataset of an HDF5 file, or an array made of other arrays. Copying
and comparing know only this protocol, never a format.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ncz.model.data import ChunkSource
from ncz.model.grid import Index
from ncz.model.layout import ChunkLayout

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.zmap import WritableZmap


class EncodedChunks(Protocol):
    """Stored chunks that can be copied without decoding."""

    def encoded(self, index: Index) -> bytes | None:
        """Return stored chunk `index` without decoding it, or None if it is missing."""
        ...

    def copy_encoded(self, index: Index, zmap: WritableZmap, key: str) -> int | None:
        """Put stored chunk `index` into `zmap` under `key`, by the fastest means there is.

        Returns its size in bytes, or None, without writing, if the chunk is missing.
        """
        ...


@runtime_checkable
class EncodedSource(ChunkSource, EncodedChunks, Protocol):
    """A `ChunkSource` that also gives its chunks as they are stored.

    An index in these methods is one of `layout.grid`, the grid of stored chunks. It differs from
    `grid`, the grid of the smallest readable chunks, if the stored chunks are shards.

    Three forms of a chunk are kept apart, so that a copy makes no more of them than it needs:
    encoded bytes; elements, in the dtype that is stored; and values, in the form of
    `ncz.model.data`.
    """

    @property
    def layout(self) -> ChunkLayout:
        """The grid of stored chunks, and how each is encoded."""
        ...

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements, as ``numpy.dtype`` takes it, or as a list of fields."""
        ...

    @property
    def item_size(self) -> int:
        """Bytes of a stored element before the codecs; 0 for objects, whose size varies."""
        ...

    def locate(self, index: Index) -> str:
        """Return where stored chunk `index` is, for messages."""
        ...

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks, in any order.

        A source that cannot list its chunks yields every index; `encoded` and `elements` then
        return None for those that are missing.
        """
        ...

    def elements(self, index: Index) -> Values | None:
        """Return the decoded elements of stored chunk `index`, or None if it is missing.

        The array has shape ``layout.chunks``, also at the edge, and the stored dtype.
        """
        ...

    def values(self, elements: Values, index: Index) -> Values:
        """Convert decoded elements of chunk `index` to values; `index` is used in messages."""
        ...


@runtime_checkable
class CheckableSource(Protocol):
    """An `EncodedSource` that can check its chunks when they are copied without decoding."""

    def checked(self, *, decodes: bool) -> EncodedChunks:
        """Return the chunks, of which a damaged one raises `CodecError` before it is copied.

        Parameters
        ----------
        decodes
            Whether every chunk is decoded. Otherwise only what needs no decoding is checked:
            lengths, headers, checksums and indexes.
        """
        ...
