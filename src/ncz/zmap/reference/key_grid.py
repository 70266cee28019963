"""The grid of an array, which numbers the rows of Parquet files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import ge
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.record import record
from ncz.zmap.key import ChunkKeys, named_keys

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]


@record
class KeyGrid:
    """The number of chunks of an array along each axis, and the keys of the chunks."""

    counts: tuple[int, ...]
    keys: ChunkKeys = ChunkKeys()

    @property
    def size(self) -> int:
        """The number of chunks."""
        return math.prod(self.counts)

    def number(self, name: str) -> int | None:
        """Return the number, in C order, of the chunk whose key below the array is `name`."""
        index = self.keys.index(name, len(self.counts))
        if index is None or any(map(ge, index, self.counts)):
            return None  # or it would be the number of another chunk
        number = 0
        for each, count in zip(index, self.counts, strict=True):
            number = number * count + each
        return number

    def numbers(self, names: Sequence[str]) -> Numbers | None:
        """Return the numbers of many chunks; None if one of the names does not name a chunk."""
        indices = self.keys.indices(names, len(self.counts))
        if indices is None or (indices >= self.counts).any():
            return None
        if not self.counts:
            return np.zeros(len(names), np.int64)
        return np.asarray(np.ravel_multi_index(tuple(indices.T), self.counts), np.int64)

    def name(self, number: int) -> str:
        """Return the key, below the array, of the chunk with a number."""
        index = []
        for count in reversed(self.counts):
            number, last = divmod(number, count)
            index.append(last)
        return self.keys.key("", (*reversed(index),))


def grid_of(document: Mapping[str, Any]) -> KeyGrid:
    """Return the grid of an array from its document, of Zarr V2 or V3.

    Raises KeyError, TypeError, ValueError or AttributeError for a document that is not valid.
    """
    shape = document["shape"]
    if "zarr_format" in document and document["zarr_format"] == 3:
        chunks = document["chunk_grid"]["configuration"]["chunk_shape"]
        encoding = document["chunk_key_encoding"]
        separator = (encoding.get("configuration") or {}).get("separator")
        keys = named_keys(encoding["name"], separator)
    else:
        chunks = document["chunks"]
        keys = ChunkKeys(document.get("dimension_separator", "."))
    if len(shape) != len(chunks) or not all(type(n) is int for n in (*shape, *chunks)):
        raise ValueError("its shape and chunks are not valid")
    # kerchunk gives an empty dimension chunks of length 0, if HDF5 has no chunks.
    if any(c < (n > 0) or n < 0 for n, c in zip(shape, chunks, strict=True)):
        raise ValueError("its shape and chunks are not valid")
    if keys.separator not in (".", "/"):
        raise ValueError(f"the separator of its keys is not valid: {keys.separator!r}")
    counts = (-(-n // max(c, 1)) for n, c in zip(shape, chunks, strict=True))
    return KeyGrid(tuple(counts), keys)
