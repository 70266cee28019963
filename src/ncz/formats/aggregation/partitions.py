"""The model of an aggregated variable: a grid of partitions, and the piece of each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from ncz.model.grid import Box, Index, IrregularGrid, Shape
from ncz.model.types import Value
from ncz.record import record


@record(kw_only=True)
class Piece:
    """The variable of another dataset that has the values of a partition.

    Attributes
    ----------
    files
        The paths or URLs of alternatives, in order of preference. Without any, the
        variable is in the master itself.
    address
        The name of the variable, or its path.
    format
        The format, as the master names it. It is only shown: the format is detected.
    number
        The index of the partition, as the master counts it.
    """

    files: tuple[str, ...]
    address: str
    format: str | None = None
    number: Index = ()


@record
class UniqueValue:
    """The value of all elements of a partition that has no piece."""

    value: Value


@record(kw_only=True)
class Partitions:
    """The partitions of one variable. Partitions that `pieces` lacks are undefined: fill."""

    grid: IrregularGrid
    pieces: Mapping[Index, Piece | UniqueValue]


class GridError(ValueError):
    """Partitions that do not divide their array."""


def partitions_of(shape: Shape, located: Iterable[tuple[Box, Piece]]) -> Partitions:
    """Return the partitions of an array from the parts that its pieces cover.

    Raises `GridError` if the parts do not form an orthogonal grid, or overlap.
    """
    parts = list(located)
    borders = tuple(_borders(axis, length, parts) for axis, length in enumerate(shape))
    pieces: dict[Index, Piece | UniqueValue] = {}
    for box, piece in parts:
        index = tuple(bisect_left(at, n) for at, n in zip(borders, box.start, strict=True))
        ends = tuple(at[i + 1] for at, i in zip(borders, index, strict=True))
        if ends != box.stop:
            raise GridError(
                f"partition {dotted_number(piece.number)} does not fit a grid with the others"
            )
        if index in pieces:
            raise GridError(f"partition {dotted_number(piece.number)} is defined twice")
        pieces[index] = piece
    return Partitions(grid=IrregularGrid(borders), pieces=pieces)


def _borders(axis: int, length: int, parts: list[tuple[Box, Piece]]) -> tuple[int, ...]:
    """Return the first index of each partition along one dimension, and its length."""
    found = {0, length}
    for box, piece in parts:
        start, stop = box.start[axis], box.stop[axis]
        if not 0 <= start < stop <= length:
            raise GridError(
                f"partition {dotted_number(piece.number)} covers {start} to {stop} of a dimension"
                f" of length {length}"
            )
        found |= {start, stop}
    return tuple(sorted(found))


def dotted_number(number: Index) -> str:
    """Return the number of a partition for messages, such as "3.0"."""
    return ".".join(map(str, number)) or "0"
