"""The chunks of an array as the columns of the Parquet files of a set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.record import record
from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.reference.key_grid import KeyGrid
from ncz.zmap.reference.reference_set import Reference

if TYPE_CHECKING:
    import numpy.typing as npt

    Values = npt.NDArray[Any]


_HELD = -1
"""Marks a chunk that the set contains."""


@record
class ReferenceTable:
    """The references of the chunks of an array, or their data.

    Attributes
    ----------
    numbers
        The number of each chunk in C order, of shape (chunks,), as are the other columns.
    urls
        The position in `names` of the file of each chunk; negative for a chunk in the set.
    offsets, lengths
        The first byte, and the number of bytes; 0 for a whole file.
    names
        The names of the files.
    held
        The chunks that the set contains, by number.
    """

    numbers: Values
    urls: Values
    offsets: Values
    lengths: Values
    names: list[str]
    held: Mapping[int, bytes]


def rows_of(
    grid: KeyGrid, start: int, single: Mapping[str, Reference], many: Sequence[ByteRanges]
) -> ReferenceTable | None:
    """Return the rows of an array; None if one of the keys does not name a chunk.

    Parameters
    ----------
    grid
        The chunks of the array.
    start
        The length of the common prefix of all keys.
    single
        The references or the contents of single chunks.
    many
        Chunks that are parts of one file.
    """
    names: dict[str, int] = {}
    numbers = grid.numbers([key[start:] for key in single])
    if numbers is None:
        return None
    found = list(single.values())
    held = {n: each for n, each in zip(numbers.tolist(), found, strict=True) if type(each) is bytes}
    places = [each if isinstance(each, ByteRange) else None for each in found]
    parts = [
        (
            numbers,
            np.array([names.setdefault(p.url, len(names)) if p else _HELD for p in places], "i4"),
            np.array([p.offset if p else 0 for p in places], "i8"),
            np.array([p.length or 0 if p else 0 for p in places], "i8"),
        )
    ]
    for ranges in many:
        numbers = _numbers(grid, start, ranges)
        if numbers is None:
            return None
        urls = np.full(len(numbers), names.setdefault(ranges.url, len(names)), "i4")
        parts.append((numbers, urls, ranges.offsets.astype("i8"), ranges.lengths.astype("i8")))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return ReferenceTable(columns[0], columns[1], columns[2], columns[3], list(names), held)


def _numbers(grid: KeyGrid, start: int, ranges: ByteRanges) -> Values | None:
    """Return the numbers of chunks from their indices, if the first key has the grid's form."""
    first = grid.number(ranges.keys(ranges.indices[:1])[0][start:])
    if first is None or (ranges.indices >= grid.counts).any():
        return None
    columns = tuple(ranges.indices.T)
    numbers = np.ravel_multi_index(columns, grid.counts) if columns else np.zeros(1, "i8")
    return numbers if numbers[0] == first else None
