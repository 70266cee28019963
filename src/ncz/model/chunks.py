"""The layout of the chunks of an array."""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from typing import TYPE_CHECKING, Any

from ncz.errors import CodecError
from ncz.model.grid import ChunkGrid, Grid, Index, IrregularGrid, Shape
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.codec.sharding_indexed import Sharding
    from ncz.model.filters import Filter

Json = Any
"""A value that `json.loads` returns."""

LARGEST_CHUNK = 2**34
"""Bytes of the largest chunk that is read or written; no common codec supports more."""


@record(kw_only=True)
class Shard:
    """The grid of chunks in one stored object (Zarr V3's codec sharding_indexed).

    `chunks` is the shape of an inner chunk, which divides the shape of the object. `shard`
    describes an inner chunk that is a shard itself. The index of offsets and lengths is encoded
    with `index_codecs`, and stands at the end of the object or at its start. The others are as in
    `ChunkLayout`.
    """

    chunks: tuple[int, ...]
    order: tuple[int, ...]
    codecs: tuple[Filter, ...] = ()
    shard: Shard | None = None
    index_codecs: tuple[Filter, ...] = ()
    index_order: str = "<"
    at_end: bool = True
    first_codecs: tuple[Filter, ...] = ()

    @property
    def inner_codecs(self) -> tuple[Filter, ...]:
        """The codecs of the smallest chunks, without codecs that only move elements."""
        inner = () if self.shard is None else self.shard.inner_codecs
        return (*_without_moves(self.first_codecs), *inner, *self.codecs)

    @property
    def sharding(self) -> Sharding:
        """The codec that reads chunks from a shard, and writes them to it."""
        from ncz.codec.sharding_indexed import sharding_of

        return sharding_of(self.to_json())

    def to_json(self) -> dict[str, Json]:
        """Return the configuration of the codec."""
        return {
            "id": "sharding_indexed",
            "chunk_shape": list(self.chunks),
            "codecs": _chain(self.first_codecs, self.order, self.shard, self.codecs),
            "index_codecs": [codec.to_json() for codec in self.index_codecs],
            "index_order": self.index_order,
            "index_location": "end" if self.at_end else "start",
        }


def _without_moves(codecs: tuple[Filter, ...]) -> tuple[Filter, ...]:
    if not codecs:
        return codecs
    from ncz.codec.catalogue import codec_of  # a header without codecs needs none

    return tuple(c for c in codecs if not codec_of(c.to_json()).moves_elements)


def _chain(
    first: tuple[Filter, ...],
    order: tuple[int, ...],
    shard: Shard | None,
    codecs: tuple[Filter, ...],
) -> list[dict[str, Json]]:
    """Return all codecs of a chunk in the order of their application on writing."""
    chain = [codec.to_json() for codec in first]
    if order != in_order(len(order)):
        chain.append({"id": "transpose", "order": list(order)})
    if shard is not None:
        chain.append(shard.to_json())
    chain += [codec.to_json() for codec in codecs]
    return chain


@record(kw_only=True)
class ChunkLayout:
    """The grid of an array's stored chunks, and their encoding.

    `chunks` never contains 0. If chunks have different lengths (`lengths`), it is the shape of the
    longest, and `at` gives the layout of one of them. `order` lists the axes from the slowest to
    the fastest varying within a stored chunk: (0, 1, 2) is C order, (2, 1, 0) Fortran order.
    `codecs` are listed in the order of their application on writing; with a shard, they encode all
    of it. `first_codecs` turn arrays into arrays, and come before `order`.

    Together these are one list of codecs, `chain`. Users choose the parts, and copies and other
    formats use them one by one.
    """

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    order: tuple[int, ...]
    codecs: tuple[Filter, ...] = ()
    shard: Shard | None = None
    """The division of a stored chunk into smaller ones, or None."""
    lengths: tuple[tuple[int, ...], ...] | None = None
    """The lengths of all chunks along each dimension, which together cover it; None if all chunks
    have the shape `chunks`."""
    first_codecs: tuple[Filter, ...] = ()

    @property
    def chain(self) -> list[dict[str, Json]]:
        """The configurations of all codecs, in the order of their application on writing."""
        return _chain(self.first_codecs, self.order, self.shard, self.codecs)

    @property
    def is_of_bytes(self) -> bool:
        """Whether chunks are decoded as bytes, and only the order of axes is a matter of arrays."""
        from ncz.codec.catalogue import codec_of

        others = self.first_codecs or self.shard is not None
        return not others and not any(codec_of(c.to_json()).takes_arrays for c in self.codecs)

    @property
    def is_partial(self) -> bool:
        """Whether a chunk of a shard can be read without the rest: no other codec encodes it."""
        is_plain = self.order == in_order(len(self.order)) and not self.first_codecs
        return self.shard is not None and is_plain and not self.codecs

    @property
    def inner(self) -> ChunkLayout:
        """The layout of the chunks within shards; itself without shards."""
        shard = self.shard
        if shard is None:
            return self
        return replace(
            self,
            chunks=shard.chunks,
            order=shard.order,
            codecs=shard.codecs,
            shard=shard.shard,
            lengths=None,
            first_codecs=shard.first_codecs,
        )

    @property
    def grid(self) -> Grid:
        """The stored chunks over the array."""
        if self.lengths is None:
            return _regular_grid(self.shape, self.chunks)
        return _irregular_grid(self.shape, self.lengths)

    @property
    def reading_grid(self) -> Grid:
        """The smallest chunks that can be read alone: the chunks within shards, if any."""
        if self.shard is not None and self.is_partial:
            return _regular_grid(self.shape, self.shard.chunks)
        return self.grid

    def lengths_along(self, axis: int) -> tuple[int, ...]:
        """Return the lengths of all chunks along an axis; the last may be longer than the rest."""
        if self.lengths is not None:
            return self.lengths[axis]
        return (self.chunks[axis],) * self.grid.counts[axis]

    def at(self, index: Index) -> ChunkLayout:
        """Return the layout of stored chunk `index` as the layout of an array with equal chunks."""
        if self.lengths is None:
            return self
        chunks = tuple(n[i] for n, i in zip(self.lengths, index, strict=True))
        return replace(self, chunks=chunks, lengths=None)

    def object_of(self, inner: Index) -> tuple[Index, Index]:
        """Return the index of the shard that contains chunk `inner`, and the position within it.

        `inner` is an index of `reading_grid`, and the place one within the stored chunk.
        """
        assert self.shard is not None
        places = []
        for axis, (i, chunk) in enumerate(zip(inner, self.shard.chunks, strict=True)):
            if self.lengths is None:
                places.append(divmod(i, self.chunks[axis] // chunk))
                continue
            starts = [0, *itertools.accumulate(self.lengths[axis])]
            outer = bisect.bisect_right(starts, i * chunk) - 1
            places.append((outer, i - starts[outer] // chunk))
        return tuple(outer for outer, _ in places), tuple(place for _, place in places)

    @property
    def inner_codecs(self) -> tuple[Filter, ...]:
        """The codecs of the smallest chunks, without codecs that only move elements."""
        inner = self.codecs if self.shard is None else self.shard.inner_codecs
        return (*_without_moves(self.first_codecs), *inner)

    @property
    def all_codecs(self) -> tuple[Filter, ...]:
        """All codecs except the order of axes and the codecs of shard indexes."""
        codecs, shard = (*self.first_codecs, *self.codecs), self.shard
        while shard is not None:
            codecs, shard = (*codecs, *shard.first_codecs, *shard.codecs), shard.shard
        return codecs

    @property
    def chunk_size(self) -> int:
        """Number of elements in a stored chunk; chunks at the array's edge are padded to it."""
        return math.prod(self.chunks)

    def check_size(self, item_size: int, location: str) -> None:
        """Raise `CodecError` if a chunk is larger than the codecs can decode."""
        if self.chunk_size * max(item_size, 1) > LARGEST_CHUNK:
            chunks = "x".join(map(str, self.chunks))
            raise CodecError(
                f"a chunk of {chunks} elements exceeds the limit of {LARGEST_CHUNK} bytes", location
            )

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)


@functools.lru_cache(maxsize=256)
def _regular_grid(shape: Shape, chunks: Shape) -> ChunkGrid:
    """Return a grid; a copy needs the grid of each variable ten times."""
    return ChunkGrid(shape, chunks)


_recent_grids: tuple[tuple[object, Shape, IrregularGrid], ...] = ()
"""The most recent grids of layouts with many lengths, as making one takes long."""

_RECENT = 16


def _irregular_grid(shape: Shape, lengths: tuple[tuple[int, ...], ...]) -> IrregularGrid:
    global _recent_grids
    for known, of_shape, grid in _recent_grids:
        if known is lengths and of_shape == shape:
            return grid
    grid = IrregularGrid(
        tuple(
            tuple(min(border, n) for border in (0, *itertools.accumulate(along)))
            for n, along in zip(shape, lengths, strict=True)
        )
    )
    _recent_grids = ((lengths, shape, grid), *_recent_grids[: _RECENT - 1])
    return grid


def in_order(rank: int, order: str = "C") -> tuple[int, ...]:
    """Return the axes in C order, or in Fortran order if `order` is "F"."""
    axes = tuple(range(rank))
    return axes[::-1] if order == "F" else axes
