"""The grid of an array, by which the rows of Parquet files are numbered."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import ne
from typing import TYPE_CHECKING, Any

from ncz.record import record

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]


@record
class KeyGrid:
    """The chunks of an array, and the form of their keys.

    `marked` is true for keys of Zarr V3, which begin with ``c``.
    """

    counts: tuple[int, ...]
    separator: str = "."
    marked: bool = False

    @property
    def size(self) -> int:
        """The number of chunks."""
        return math.prod(self.counts)

    def number(self, name: str) -> int | None:
        """Return the number, in C order, of the chunk whose key below the array is `name`."""
        if self.marked:
            if not self.counts:
                return 0 if name == "c" else None
            mark, name = name[:2], name[2:]
            if mark != f"c{self.separator}":
                return None
        if not self.counts:
            return 0 if name == "0" else None
        parts = name.split(self.separator)
        if len(parts) != len(self.counts):
            return None
        number = 0
        for text, count in zip(parts, self.counts, strict=True):
            is_number = text.isascii() and text.isdecimal() and len(text) < 19
            index = int(text) if is_number and (text == "0" or text[0] != "0") else count
            if index >= count:
                return None  # or it would be the number of another chunk
            number = number * count + index
        return number

    def numbers(self, names: Sequence[str]) -> Numbers | None:
        """Return the numbers of many chunks; None if one of the names is not that of a chunk."""
        import numpy as np

        rank = len(self.counts)
        start = f"c{self.separator}" if self.marked else ""
        parts = self.separator.join(name[len(start) :] for name in names).split(self.separator)
        if not rank or len(parts) != rank * len(names) or not all(map(str.isdecimal, parts)):
            found = [self.number(name) for name in names]
            return None if None in found else np.array(found, np.int64)
        try:
            indices = np.array(list(map(int, parts)), np.int64).reshape(-1, rank)
        except OverflowError:
            return None
        # A name that is written in another way, such as 01, is not that of a chunk.
        template = start + self.separator.join(["{}"] * rank)
        exact = map(template.format, *indices.T.tolist())
        if (indices >= self.counts).any() or any(map(ne, exact, names)):
            return None
        return np.asarray(np.ravel_multi_index(tuple(indices.T), self.counts), np.int64)

    def name(self, number: int) -> str:
        """Return the key, below the array, of the chunk with a number."""
        index = []
        for count in reversed(self.counts):
            number, last = divmod(number, count)
            index.append(str(last))
        name = self.separator.join(reversed(index))
        if self.marked:
            return f"c{self.separator}{name}" if index else "c"
        return name or "0"


def grid_of(document: Mapping[str, Any]) -> KeyGrid:
    """Return the grid of an array from its document, of Zarr V2 or V3.

    Raises KeyError, TypeError, ValueError or AttributeError for a document that is not valid.
    """
    shape = document["shape"]
    if "zarr_format" in document and document["zarr_format"] == 3:
        chunks = document["chunk_grid"]["configuration"]["chunk_shape"]
        encoding = document["chunk_key_encoding"]
        marked = encoding["name"] == "default"
        default = "/" if marked else "."
        separator = (encoding.get("configuration") or {}).get("separator", default)
    else:
        chunks, marked = document["chunks"], False
        separator = document.get("dimension_separator", ".")
    if len(shape) != len(chunks) or not all(type(n) is int for n in (*shape, *chunks)):
        raise ValueError("its shape and chunks are not valid")
    # kerchunk gives an empty dimension chunks of length 0, if HDF5 has no chunks.
    if any(c < (n > 0) or n < 0 for n, c in zip(shape, chunks, strict=True)):
        raise ValueError("its shape and chunks are not valid")
    if separator not in (".", "/"):
        raise ValueError(f"the separator of its keys is not valid: {separator!r}")
    counts = (-(-n // max(c, 1)) for n, c in zip(shape, chunks, strict=True))
    return KeyGrid(tuple(counts), separator, marked)
