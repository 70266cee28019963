"""Stored chunks that belong to other arrays: to joined parts, to pieces, to files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from ncz.model.data import ChunkSource, Values
from ncz.model.encoded_arrays import EncodedSource, ListedSource
from ncz.model.grid import Index

if TYPE_CHECKING:
    from ncz.zmap import WritableZmap
    from ncz.zmap.byte_range import ByteRange

_T = TypeVar("_T")
Number = int | Index
"""The identity of a part."""


class CompositeChunks(ListedSource):
    """An `ncz.model.encoded_arrays.EncodedSource` whose stored chunks belong to other sources.

    Chunks that follow each other in one part are read together.
    """

    __slots__ = ()

    @abstractmethod
    def find(self, index: Index) -> tuple[Number, Index] | None:
        """Return the part that has a chunk, and the index of the chunk there; None if none has."""

    @abstractmethod
    def part(self, number: Number) -> AbstractContextManager[EncodedSource]:
        """Return a part, which can be read until the context ends."""

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return stored chunks without decoding them; None for each that is missing."""
        return self._each(indices, lambda part, inner: part.encoded_chunks(inner))

    def copy(
        self, indices: Sequence[Index], zmap: WritableZmap, keys: Sequence[str]
    ) -> Iterator[int | None]:
        """Put stored chunks into `zmap` under `keys`."""
        for index, key in zip(indices, keys, strict=True):
            found = self.find(index)
            if found is None:
                yield None
                continue
            with self.part(found[0]) as part:
                size = next(part.copy((found[1],), zmap, (key,)))
            yield size

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the decoded elements of stored chunks; None for each that is missing."""
        return self._each(indices, lambda part, inner: part.elements(inner))

    def values(self, elements: Values, index: Index) -> Values:
        """Convert decoded elements of a chunk to values."""
        found = self._one(index, lambda part, inner: part.values(elements, inner))
        assert found is not None  # elements come from a chunk that exists
        return found

    def locate(self, index: Index) -> str:
        """Return the place of a stored chunk."""
        return self._one(index, lambda part, inner: part.locate(inner)) or "undefined"

    def encoded_part(self, index: Index, start: int, count: int) -> bytes | None:
        """Return bytes of a stored chunk."""
        return self._one(index, lambda part, inner: part.encoded_part(inner, start, count))

    def stored_size(self, index: Index) -> int | None:
        """Return the number of bytes of a chunk as stored; None if no part has it."""
        return self._one(index, lambda part, inner: part.stored_size(inner))

    def unshard(self) -> ChunkSource:
        """Return the same values with the chunks within shards as stored chunks, or itself."""
        from ncz.model.inner_chunks import unshard

        return unshard(self)

    def place(self, index: Index) -> ByteRange | None:
        """Return the byte range of a stored chunk; None if no part has it."""
        return self._one(index, lambda part, inner: part.place(inner))

    def _one(self, index: Index, use: Callable[[EncodedSource, Index], _T | None]) -> _T | None:
        """Call `use` with the part that has a chunk, and with the index of the chunk in it."""
        found = self.find(index)
        if found is None:
            return None
        with self.part(found[0]) as part:
            return use(part, found[1])

    def _each(
        self,
        indices: Sequence[Index],
        use: Callable[[EncodedSource, list[Index]], Sequence[_T | None]],
    ) -> list[_T | None]:
        """Call `use` for several chunks; the chunks of one part are passed together."""
        results: list[_T | None] = []
        found = (self.find(index) or (None, index) for index in indices)
        for number, group in groupby(found, key=itemgetter(0)):
            inner = [index for _, index in group]
            if number is None:
                results += [None] * len(inner)
                continue
            with self.part(number) as part:
                results += use(part, inner)
        return results
