"""The keys of chunks in a Zarr store, V2 and V3."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.model.grid import Index
from ncz.record import record
from ncz.zmap.key import join_key


@record
class ChunkKeys:
    """How keys of chunks are made from indices.

    Zarr V2 joins the indices with `separator`; a scalar's chunk has the key "0". Zarr V3's encoding
    "default" puts "c" before them (`marked`); a scalar's chunk has the key "c". Its encoding "v2"
    is that of Zarr V2.
    """

    separator: str = "."
    marked: bool = False

    def key(self, array: str, index: Index) -> str:
        """Return the key of chunk `index` of the array whose prefix is `array`."""
        name = self.separator.join(map(str, index))
        if self.marked:
            name = f"c{self.separator}{name}" if index else "c"
        return join_key(array, name or "0")

    def keys(self, array: str, indices: Sequence[Index]) -> list[str]:
        """Return the keys of many chunks of an array."""
        rank = len(indices[0]) if indices else 0
        if not rank:
            return [self.key(array, ())] * len(indices)
        start = self.key(array, (0,)).removesuffix("0").replace("%", "%%")
        template = start + self.separator.join(["%d"] * rank)
        return [template % index for index in indices]

    def index(self, name: str, rank: int) -> Index | None:
        """Return the index whose key below the array's prefix is `name`; None if there is none."""
        if self.marked:
            if rank == 0:
                return () if name == "c" else None
            mark, name = name[:2], name[2:]
            if mark != f"c{self.separator}":
                return None
        if rank == 0:
            return () if name == "0" else None
        try:
            index = tuple(map(int, name.split(self.separator)))
        except ValueError:
            return None
        if len(index) != rank or self.separator.join(map(str, index)) != name or "-" in name:
            return None  # `int` takes other spellings too, such as "01"
        return index
