"""Arrays whose chunks are stored encoded: the interfaces for moving them raw.

An `EncodedSource` is read, an `EncodedTarget` is written. A Zarr array is one; so is a dataset of
an HDF5 file, or an array made of other arrays. Copying and comparing know only these interfaces,
never a format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from ncz.model.chunks import ChunkLayout
from ncz.model.data import ChunkSource, ListedChunks, Values
from ncz.model.grid import Box, Grid, Index
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.tree import Variable
    from ncz.zmap import WritableZmap
    from ncz.zmap.byte_range import ByteRange


class EncodedChunks(ABC):
    """Stored chunks that can be copied without decoding."""

    __slots__ = ()

    @abstractmethod
    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return stored chunks without decoding them; None for each that is missing.

        They are in memory at the same time, so that only small chunks are read together.
        """

    def encoded_chunk(self, index: Index) -> bytes | None:
        """Return one stored chunk without decoding it; None if it is missing."""
        return self.encoded_chunks((index,))[0]

    def copy(
        self, indices: Sequence[Index], zmap: WritableZmap, keys: Sequence[str]
    ) -> Iterator[int | None]:
        """Put stored chunks into `zmap` under `keys`, by the fastest means there is.

        Yields the size of each in bytes; None, without writing, if the chunk is missing.
        """
        for index, key in zip(indices, keys, strict=True):
            data = self.encoded_chunk(index)
            if data is not None:
                zmap.put(key, data)
            yield None if data is None else len(data)


@record
class PlacedChunks:
    """The places of many chunks in one file, as columns.

    Attributes
    ----------
    url
        The path or URL of the file.
    indices
        The indices of the chunks, of shape (chunks, rank).
    offsets, lengths
        The first byte and the number of bytes of each chunk, of shape (chunks,).
    """

    url: str
    indices: Values
    offsets: Values
    lengths: Values


class EncodedSource(ChunkSource, EncodedChunks):
    """A `ChunkSource` that also gives its chunks as stored.

    An index in these methods is one of `layout.grid`, the grid of stored chunks. It differs from
    `grid`, the grid of the smallest readable chunks, if the stored chunks are shards.

    Three forms of a chunk are kept apart, so that a copy makes no more of them than it needs:
    encoded bytes; elements, in the dtype that is stored; and values, in the form of
    `ncz.model.data`.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # properties of some sources, attributes of others

        @property
        @abstractmethod
        def layout(self) -> ChunkLayout:
            """The grid of stored chunks, and their encoding."""

        @property
        @abstractmethod
        def stored_dtype(self) -> Any:
            """The dtype of stored elements, as ``numpy.dtype`` takes it, or a list of fields."""

        @property
        @abstractmethod
        def item_size(self) -> int:
            """Bytes of a stored element before the codecs; 0 for objects, whose size varies."""

    @property
    def is_shared(self) -> bool:
        """True: threads read stored chunks at the same time, in any order."""
        return True

    @abstractmethod
    def locate(self, index: Index) -> str:
        """Return the place of stored chunk `index`, for messages."""

    @abstractmethod
    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks, in an order that is the same each time.

        A source that cannot list its chunks yields every index; `encoded_chunks` and `elements`
        then return None for missing ones.
        """

    @property
    def stores_all(self) -> bool:
        """Whether the bytes of all chunks are stored as `layout` says; see `is_stored`."""
        return True

    @property
    def kept_share(self) -> float:
        """The share of the values whose chunks are stored as `layout` says."""
        return 1.0

    def is_stored(self, index: Index) -> bool:
        """Return whether the bytes of a chunk are stored in `layout`.

        If not, the chunk is made of other chunks: it has values, but neither encoded bytes nor
        elements.
        """
        return True

    @abstractmethod
    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the decoded elements of stored chunks; None for each that is missing.

        Each array has shape ``layout.chunks``, also at the edge, and the stored dtype. They are in
        memory at the same time, so that only small chunks are read together.
        """

    def chunk_elements(self, index: Index) -> Values | None:
        """Return the decoded elements of one stored chunk; None if it is missing."""
        return self.elements((index,))[0]

    @abstractmethod
    def values(self, elements: Values, index: Index) -> Values:
        """Convert decoded elements of chunk `index` to values; `index` is used in messages."""

    def stored_values(self, index: Index) -> Values | None:
        """Return the values of stored chunk `index`, clipped to the array; None if it is missing.

        Elements beyond the array's edge may have any value.
        """
        elements = self.chunk_elements(index)
        if elements is None:
            return None
        return self.values(self.layout.grid.box(index).clip(elements), index)

    def encoded_part(self, index: Index, start: int, count: int) -> bytes | None:
        """Return bytes of stored chunk `index`. A negative `start` counts from its end."""
        data = self.encoded_chunk(index)
        return None if data is None else data[start:][:count]

    def stored_size(self, index: Index) -> int | None:
        """Return the number of bytes of a chunk as stored, without reading it.

        None if it is missing, or the size is not known.
        """
        return None

    def count_parts(self, index: Index) -> int:
        """Return the number of chunks of `grid` in stored chunk `index`, which may be a shard.

        The index of a shard is read. Raises `CodecError` if it is damaged.
        """
        return 1

    def place(self, index: Index) -> ByteRange | None:
        """Return the part of a file that is stored chunk `index`, for other programs.

        None means that the chunk is missing, or that its bytes are nowhere as `encoded_chunks`
        returns them.
        """
        return None

    def places(self) -> tuple[list[PlacedChunks], Iterable[Index]]:
        """Return the places of stored chunks; there may be millions.

        Returns
        -------
        tables : list of PlacedChunks
            The places, a table for each file or for a part of it; none if `place` is needed.
        others : iterable of tuple of int
            The stored chunks that are in no table; `place` may find them.
        """
        return [], self.present()

    def with_checks(self, *, decodes: bool) -> EncodedChunks:
        """Return the chunks; a damaged one raises `CodecError` before it is copied.

        A source without checks returns itself.

        Parameters
        ----------
        decodes
            Whether every chunk is decoded. Otherwise only parts that need no decoding are checked:
            lengths, headers, checksums and indexes.
        """
        return self


class ListedSource(EncodedSource, ListedChunks):
    """An `EncodedSource` that may know which of its chunks exist without reading them."""

    __slots__ = ()

    @property
    def stored_grid(self) -> Grid:
        """The grid of stored chunks."""
        return self.layout.grid


def lists_present(source: EncodedSource) -> bool:
    """Return whether `present` yields only chunks that exist."""
    return not isinstance(source, ListedSource) or source.is_listed


class TargetArray(Protocol):
    """A planned array: the storage of one variable of a new store."""

    @property
    def fqn(self) -> str:
        """The FQN of the variable."""
        ...

    @property
    def variable(self) -> Variable:
        """The variable, whose data are the values to write."""
        ...

    @property
    def layout(self) -> ChunkLayout:
        """The grid of stored chunks, and their encoding."""
        ...

    @property
    def item_size(self) -> int:
        """Bytes of a stored element before the codecs; 0 for objects, whose size varies."""
        ...

    @property
    def encoded_target(self) -> EncodedTarget | None:
        """The same array as one that takes encoded chunks; None if it takes values only."""
        ...


class EncodedTarget(TargetArray, Protocol):
    """A `TargetArray` that takes encoded chunks."""

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements, as ``numpy.dtype`` takes it, or as a list of fields."""
        ...

    @property
    def fills_missing(self) -> bool:
        """Whether chunks that the source lacks are written too."""
        ...

    def chunk_key(self, index: Index) -> str:
        """Return the key of stored chunk `index`."""
        ...

    def chunk_keys(self, indices: Sequence[Index]) -> list[str]:
        """Return the keys of stored chunks."""
        ...

    def fill_element(self) -> Values:
        """Return the value of missing chunks as one stored element, of shape ()."""
        ...

    def to_elements(self, values: Values) -> Values:
        """Convert values to elements of the stored dtype, in the same shape."""
        ...

    def encode(self, elements: Values, location: str) -> bytes | None:
        """Encode the elements of a chunk, of shape ``layout.chunks``.

        `location` is the future location of the chunk, for messages. Returns None for a chunk that
        need not be stored, such as a shard with only fill values.
        """
        ...


class ArrayStore(Protocol):
    """A target for the values of an array."""

    @property
    def url(self) -> str:
        """Its place, for messages."""
        ...


class ChunkStore(ArrayStore, Protocol):
    """A target for encoded chunks: a zmap, or an array of a file."""

    def put(self, key: str, value: bytes) -> None:
        """Write the chunk whose key is `key`."""
        ...


class ValueStore(ArrayStore, Protocol):
    """A target for values, in boxes of any shape."""

    def put_values(self, box: Box, values: Values) -> None:
        """Write the values of a box, of shape ``box.shape``."""
        ...

    def put_fill(self, box: Box) -> None:
        """Write the fill value to a box that has no values."""
        ...


def takes_chunks(store: ArrayStore) -> TypeGuard[ChunkStore]:
    """Return whether a store takes encoded chunks."""
    return hasattr(store, "put")


def takes_values(store: ArrayStore) -> TypeGuard[ValueStore]:
    """Return whether a store takes values."""
    return hasattr(store, "put_values")
