"""The keys of chunks in a Zarr store, V2 and V3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.model.grid import Index
from ncz.record import record
from ncz.zmap.key import join_key

if TYPE_CHECKING:
    from ncz.model.data import Values


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

    def keys(self, array: str, indices: Values) -> list[str]:
        """Return the keys of many chunks of an array, whose indices are the rows of `indices`."""
        rank = indices.shape[1]
        if not rank:
            return [self.key(array, ())] * len(indices)
        start = self.key(array, (0,)).removesuffix("0").replace("{", "{{").replace("}", "}}")
        template = start + self.separator.join(["{}"] * rank)
        return list(map(template.format, *indices.T.tolist()))

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
        parts = name.split(self.separator)
        is_number = all(p.isascii() and p.isdigit() and (p == "0" or p[0] != "0") for p in parts)
        return tuple(map(int, parts)) if is_number and len(parts) == rank else None
