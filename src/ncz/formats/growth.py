"""Pieces of a variable of an aggregation that becomes longer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ncz.formats.piece_layout import PieceLayout
from ncz.model.grid import Index
from ncz.record import record
from ncz.zmap.reference.seals import NO_SEALS

if TYPE_CHECKING:
    from ncz.zmap.reference.seals import Seal


@record(kw_only=True)
class Growth:
    """A variable of an aggregation, and its pieces before and after it becomes longer.

    `item_size` are the bytes of a value, or an estimate for a string. `seals` are the states of
    all pieces of the master, by their names. `sums` are the sums of the new values, if the master
    keeps them.
    """

    fqn: str
    axis: int
    before: PieceLayout
    after: PieceLayout
    item_size: int
    seals: Mapping[str, Seal] = NO_SEALS
    sums: str | None = None

    @property
    def start(self) -> int:
        """The length before."""
        return sum(self.before.lengths[self.axis])

    @property
    def stop(self) -> int:
        """The length after."""
        return sum(self.after.lengths[self.axis])

    @property
    def count(self) -> int:
        """The number of new values."""
        shape = [*self.shape]
        shape[self.axis] -= self.start
        return math.prod(shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape after."""
        return tuple(map(sum, self.after.lengths))

    @property
    def new(self) -> Mapping[Index, str]:
        """The files of the pieces that are new."""
        return {n: f for n, f in self.after.files.items() if n not in self.before.files}

    @property
    def row(self) -> Mapping[str, Any]:
        """The plan for people and scripts."""
        count = len(self.new)
        limits = {"from": self.start, "to": self.stop}
        sizes = {"bytes": self.count * self.item_size, "bytes_beside": 0, "referred_bytes": 0}
        return {"variable": self.fqn, "way": "recode", **limits, "pieces": count, **sizes}
