"""The division of a variable into pieces, and the places of the pieces."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from ncz.model.grid import Index, IrregularGrid, irregular_grid
from ncz.record import record

Lengths = tuple[tuple[int, ...], ...]
"""The lengths of the pieces along each dimension."""


@record(kw_only=True)
class PieceLayout:
    """The pieces of one variable.

    Attributes
    ----------
    lengths
        The lengths of the partitions along each dimension.
    files
        The files of the partitions, as the master names them; undefined ones are left out.
    address
        The name of the variable in all pieces.
    format
        The format of the pieces.
    """

    lengths: Lengths
    files: Mapping[Index, str]
    address: str
    format: str

    @property
    def grid(self) -> IrregularGrid:
        """The grid of the partitions."""
        return irregular_grid(self.lengths)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of partitions along each dimension."""
        return tuple(map(len, self.lengths))

    def numbers(self) -> Iterator[Index]:
        """Return the indices of all partitions, in row-major order."""
        return itertools.product(*map(range, self.counts))
