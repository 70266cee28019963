"""The chunks of an array: their layout, their shapes by default, and which of them exist.

A layout holds what two arrays must have in common for encoded chunks to move from one to the other
without decoding, and nothing else: no names, no keys, no fill value, no attributes.
"""

from __future__ import annotations

import bisect
import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import CodecError
from ncz.model.filters import Filter
from ncz.model.grid import Box, ChunkGrid, Grid, Index, IrregularGrid, whole
from ncz.model.tree import Dimension
from ncz.record import record, replace

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_CHUNK = 2**34
"""Bytes of the largest chunk that is read or written; no common codec supports more."""


@record(kw_only=True)
class Shard:
    """How one stored object holds a grid of chunks (Zarr V3's codec sharding_indexed).

    `chunks` is the shape of an inner chunk, which divides that of the object. `shard` describes an
    inner chunk that is a shard itself. The index of offsets and lengths is encoded with
    `index_codecs`, and stands at the end of the object or at its start.
    """

    chunks: tuple[int, ...]
    order: tuple[int, ...]
    codecs: tuple[Filter, ...] = ()
    shard: Shard | None = None
    index_codecs: tuple[Filter, ...] = ()
    index_order: str = "<"
    at_end: bool = True


@record(kw_only=True)
class ChunkLayout:
    """The grid of an array's stored chunks, and how each is encoded.

    `chunks` never holds 0. If chunks have lengths of their own (`lengths`), it is the shape of the
    longest, and `at` gives the layout of one of them. `order` lists the axes from the slowest to
    the fastest varying within a stored chunk: (0, 1, 2) is C order, (2, 1, 0) Fortran order.
    `codecs` are listed in the order in which they are applied on writing.
    """

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    order: tuple[int, ...]
    codecs: tuple[Filter, ...] = ()
    shard: Shard | None = None
    """How a stored chunk is divided into smaller ones, if it is."""
    lengths: tuple[tuple[int, ...], ...] | None = None
    """The lengths of all chunks along each dimension, which together cover it; None if all chunks
    have the shape `chunks`."""

    @property
    def grid(self) -> Grid:
        """The stored chunks over the array."""
        if self.lengths is None:
            return ChunkGrid(self.shape, self.chunks)
        return IrregularGrid(
            tuple(
                tuple(min(border, n) for border in (0, *itertools.accumulate(lengths)))
                for n, lengths in zip(self.shape, self.lengths, strict=True)
            )
        )

    @property
    def reading_grid(self) -> Grid:
        """The smallest chunks that can be read alone: those within shards, if there are any."""
        if self.shard is not None and not self.codecs:
            return ChunkGrid(self.shape, self.shard.chunks)
        return self.grid

    def at(self, index: Index) -> ChunkLayout:
        """Return the layout of stored chunk `index` as that of an array with equal chunks."""
        if self.lengths is None:
            return self
        chunks = tuple(n[i] for n, i in zip(self.lengths, index, strict=True))
        return replace(self, chunks=chunks, lengths=None)

    def object_of(self, inner: Index) -> tuple[Index, Index]:
        """Return the index of the stored chunk that holds chunk `inner` of a shard, and its place.

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
        """The codecs of the chunks within shards, if there are any; otherwise `codecs`."""
        return self.codecs if self.shard is None else self.shard.codecs

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


def in_order(rank: int, order: str = "C") -> tuple[int, ...]:
    """Return the axes in C order, or in Fortran order if `order` is "F"."""
    axes = tuple(range(rank))
    return axes[::-1] if order == "F" else axes


# Chunk shapes for variables whose author chose none.
#
# `default_chunks` follows netcdf-c 4.10.1 (measured), so that both tools choose the same chunks:
# one chunk up to 16 MiB, otherwise equal parts along all fixed dimensions. A chunk has one record
# along an unlimited dimension, 4 KiB if that is the only dimension, and is a square of 16 MiB if
# all are unlimited. Unlike netcdf-c, ncz never exceeds 16 MiB by rounding a short dimension up to
# 1.
#
# With `balanced_chunks`, a time series at one place and a map at one time need about as many
# chunks. Source: S3netCDF4's document, "File splitting algorithm".

LARGEST = 16 * 2**20
"""Bytes of the largest default chunk."""

LONE_RECORD = 4096
"""Bytes of the default chunk of a variable whose only dimension is unlimited."""

_POINTER = 8
"""Bytes that netcdf-c reckons for a string here, whatever its declared length."""


def default_chunks(
    dimensions: Sequence[Dimension], item_size: int, largest: int = LARGEST
) -> tuple[int, ...]:
    """Return the chunk shape over `dimensions` of elements of `item_size` bytes (0 for a string).

    `largest` is the bytes that a chunk may have.
    """
    size = item_size or _POINTER
    rank = len(dimensions)
    unlimited = sum(d.unlimited for d in dimensions)
    if rank == unlimited == 1:
        return (max(1, min(LONE_RECORD, largest) // size),)
    if rank == unlimited:
        return (max(1, int((largest / size) ** (1 / rank))),) * rank if rank else ()
    record = size * math.prod(max(1, d.size) for d in dimensions if not d.unlimited)
    share = (largest / record) ** (1 / (rank - unlimited))
    chunks = [1 if d.unlimited else _cut(max(1, d.size), share) for d in dimensions]
    while math.prod(chunks) * size > largest and max(chunks) > 1:
        longest = chunks.index(max(chunks))
        chunks[longest] = -(-chunks[longest] // 2)
    return tuple(chunks)


def _cut(length: int, share: float) -> int:
    """Return about `share` of `length`, made smaller until the last chunk is nearly full."""
    chunk = max(1, min(length, int(share * length - 0.5)))
    count = -(-length // chunk)
    return chunk - (count * chunk - length) // count


def balanced_chunks(
    lengths: Sequence[int], axes: Sequence[str | None], item_size: int, largest: int
) -> tuple[int, ...]:
    """Return a chunk shape of at most `largest` bytes for dimensions of these lengths.

    `axes` says what each dimension is: "T", "Y", "X", or anything else. A chunk has length 1 along
    other dimensions, because neither a series nor a map needs more. Without "T", or without both
    "Y" and "X", the first dimension counts as time and the last two as the map.
    """
    roles = list(axes)
    if "T" not in roles or not {"X", "Y"} & set(roles):
        rank = len(roles)
        roles = [None] * rank
        roles[:1] = ["T"] * min(rank, 1)
        for axis, role in ((rank - 1, "X"), (rank - 2, "Y")):
            if axis > 0:
                roles[axis] = role
    limit = max(1, largest // (item_size or _POINTER))
    pieces = dict.fromkeys(("T", "Y", "X"), 1)
    total = {r: max(1, n) for n, r in zip(lengths, roles, strict=True) if r in pieces}

    def length(role: str) -> int:
        return -(-total.get(role, 1) // pieces[role])

    while math.prod(map(length, total)) > limit:
        if length("Y") * length("X") > 1 and (
            pieces["Y"] * pieces["X"] <= pieces["T"] or length("T") == 1
        ):
            first = "Y" if pieces["Y"] <= pieces["X"] else "X"
            split = first if length(first) > 1 else "X" if first == "Y" else "Y"
        else:
            split = "T"
        # The next number of pieces that makes a piece shorter.
        pieces[split] = -(-total[split] // (length(split) - 1))
    return tuple(length(r) if r in pieces and r is not None else 1 for r in roles)


# Which chunks of a grid exist, in little memory.

_LARGEST_MAP = 1 << 26
"""Number of chunks of a grid up to which one byte per chunk is used."""

_PIECE = 1 << 16
"""Number of chunks that are looked at together."""


def sorted_indices(grid: Grid, indices: Iterable[Index]) -> Iterator[Index]:
    """Yield indices in row-major order, each once, in the memory of `Presence`, without numpy."""
    if grid.size > _LARGEST_MAP:
        yield from Presence(grid, indices).indices()
        return
    counts = grid.counts
    flags = bytearray(grid.size)
    for index in indices:
        flags[_number(index, counts)] = 1
    axes = counts[:0:-1]
    number = flags.find(1)
    while number >= 0:
        rest = number
        reverse = []
        for count in axes:
            rest, i = divmod(rest, count)
            reverse.append(i)
        reverse.extend((rest,) if counts else ())
        yield tuple(reversed(reverse))
        number = flags.find(1, number + 1)


def _number(index: Index, counts: Index) -> int:
    """Return the position of a chunk in row-major order."""
    number = 0
    for i, count in zip(index, counts, strict=True):
        number = number * count + i
    return number


class Presence:
    """The chunks of a grid that exist, in row-major order.

    There is one byte for each chunk of the grid. If the grid is huge, there are eight bytes for
    each chunk that exists, and one more for each after the first of them is removed.

    Parameters
    ----------
    grid
        The grid.
    indices
        The indices of the chunks that exist, in any order; an index may be given twice.
    most_flags
        Number of chunks of the grid up to which each has a byte.
    """

    def __init__(
        self, grid: Grid, indices: Iterable[Index], most_flags: int = _LARGEST_MAP
    ) -> None:
        import numpy as np

        self._grid = grid
        self._flags: NDArray[np.bool_] | None = None
        self._numbers: NDArray[Any] | None = None
        self._kept: NDArray[np.bool_] | None = None
        if grid.size <= most_flags:
            self._flags = np.zeros(grid.counts, bool)
            for index in indices:
                self._flags[index] = True
        else:
            dtype = np.int64 if grid.size < 1 << 63 else object
            self._numbers = np.fromiter((_number(i, grid.counts) for i in indices), dtype)
            self._numbers.sort()
            is_new = self._numbers[1:] != self._numbers[:-1]
            if not is_new.all():
                self._numbers = self._numbers[np.append(True, is_new)]

    def remove(self, index: Index) -> None:
        """Record that chunk `index` does not exist."""
        import numpy as np

        if self._flags is not None:
            self._flags[index] = False
        elif self._numbers is not None:
            if self._kept is None:
                self._kept = np.ones(len(self._numbers), bool)
            number = _number(index, self._grid.counts)
            place = bisect_left(self._numbers, number)
            if place < len(self._numbers) and self._numbers[place] == number:
                self._kept[place] = False

    def indices(self) -> Iterator[Index]:
        """Yield the indices of all chunks that exist."""
        return self.within(whole(self._grid.shape))

    def any(self, box: Box) -> bool:
        """Return whether a chunk that touches `box` exists."""
        if self._flags is None:
            return next(self.within(box), None) is not None
        here = tuple(slice(r.start, r.stop) for r in self._grid.ranges(box))
        return box.size > 0 and bool(self._flags[here].any())

    def all(self, box: Box) -> bool:
        """Return whether all chunks that touch `box` exist; False if the grid is huge."""
        if self._flags is None:
            return False
        here = tuple(slice(r.start, r.stop) for r in self._grid.ranges(box))
        return bool(self._flags[here].all())

    def within(self, box: Box) -> Iterator[Index]:
        """Yield the indices of those that touch `box`; an empty box touches none."""
        if box.size == 0:
            return
        ranges = [(run.start, run.stop) for run in self._grid.ranges(box)]
        if self._numbers is not None:
            yield from self._listed(self._numbers, ranges)
            return
        assert self._flags is not None
        if not ranges:
            yield from [()] if self._flags else []
            return
        (first, last), *rest = ranges
        step = max(1, _PIECE // max(1, math.prod(b - a for a, b in rest)))
        for start in range(first, last, step):
            piece = [(start, min(start + step, last)), *rest]
            here = self._flags[tuple(slice(a, b) for a, b in piece)].nonzero()
            for place in zip(*(axis.tolist() for axis in here), strict=True):
                yield tuple(i + a for i, (a, _) in zip(place, piece, strict=True))

    def _listed(self, numbers: NDArray[Any], ranges: list[tuple[int, int]]) -> Iterator[Index]:
        import numpy as np

        if any(a >= b for a, b in ranges):
            return
        mask, counts = self._kept, self._grid.counts
        start = bisect_left(numbers, _number(tuple(a for a, _ in ranges), counts))
        stop = bisect_right(numbers, _number(tuple(b - 1 for _, b in ranges), counts))
        for at in range(start, stop, _PIECE):
            rest = numbers[at : min(at + _PIECE, stop)]
            axes = []
            for count in reversed(counts):
                axes.append(rest % count)
                rest = rest // count
            axes.reverse()
            here = np.ones(len(rest), bool) if mask is None else mask[at : at + len(rest)].copy()
            for axis, (a, b) in zip(axes, ranges, strict=True):
                here &= (axis >= a) & (axis < b)
            yield from zip(*(axis[here].tolist() for axis in axes), strict=True)
