"""How the chunks of one array lie in a store, whatever version of Zarr describes them.

What two arrays must have in common for encoded chunks to be moved from one to the other as they
are stands here, and nothing else: no names, no fill value, no attributes.
"""

from __future__ import annotations

import math

from ncz.model.filters import Filter
from ncz.model.grid import ChunkGrid, Index
from ncz.record import record
from ncz.zmap.key import join_key


@record
class ChunkKeys:
    """How the keys of chunks are made of indices.

    Zarr V2 joins indices by `separator`, and has "0" for a scalar. Zarr V3's "default" puts "c"
    before them (`marked`), which alone is the scalar's key; its "v2" is that of V2.
    """

    separator: str = "."
    marked: bool = False

    def key(self, array: str, index: Index) -> str:
        """The key of chunk `index` of the array whose prefix is `array`."""
        name = self.separator.join(map(str, index))
        if self.marked:
            name = f"c{self.separator}{name}" if index else "c"
        return join_key(array, name or "0")

    def index(self, name: str, rank: int) -> Index | None:
        """The index for which `name`, below the array's prefix, is the key; None if for none."""
        if self.marked:
            if rank == 0:
                return () if name == "c" else None
            mark, name = name[:2], name[2:]
            if mark != f"c{self.separator}":
                return None
        if rank == 0:
            return () if name == "0" else None
        parts = name.split(self.separator)
        is_number = all(p.isascii() and p.isdigit() and (p == "0" or p[0] != "0") for p in parts)
        return tuple(map(int, parts)) if is_number and len(parts) == rank else None


@record(kw_only=True)
class Shard:
    """How one stored object holds a grid of chunks (Zarr V3's codec sharding_indexed).

    `chunks` is the shape of an inner chunk, which divides that of the object. `shard` is how an
    inner chunk is a shard itself, if it is. The index of offsets and lengths goes through
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
    """The grid of an array's stored chunks, what is done to each, and its key.

    `chunks` never holds 0. `order` gives the axes from that which varies slowest in a stored chunk
    to that which varies fastest: (0, 1, 2) is C's order, (2, 1, 0) Fortran's. `codecs` stand in
    the order in which they are applied on writing, to the elements as they are laid out.
    """

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    order: tuple[int, ...]
    codecs: tuple[Filter, ...] = ()
    keys: ChunkKeys = ChunkKeys()
    shard: Shard | None = None
    """How a stored chunk is a grid of smaller ones, if it is."""

    @property
    def grid(self) -> ChunkGrid:
        """The stored chunks over the array."""
        return ChunkGrid(self.shape, self.chunks)

    @property
    def reading_grid(self) -> ChunkGrid:
        """The smallest chunks that can be read: those within shards, if there are any."""
        inner = self.shard.chunks if self.shard is not None and not self.codecs else self.chunks
        return ChunkGrid(self.shape, inner)

    @property
    def chunk_size(self) -> int:
        """Elements of a chunk, which is stored whole at the array's edge too."""
        return math.prod(self.chunks)

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)


def in_order(rank: int, order: str = "C") -> tuple[int, ...]:
    """The axes of "C" order, or of "F"."""
    axes = tuple(range(rank))
    return axes[::-1] if order == "F" else axes
