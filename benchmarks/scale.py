"""How much data is measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes of the data, and the number of runs of a command.

    Attributes
    ----------
    values
        Values of a variable that is printed or parsed.
    megabytes
        Size of a variable that is copied, read or compared, so that start-up counts little.
    tenth
        If True, counts of chunks and keys are a tenth of the counts of the full table.
    times
        The number of runs of each command, unless it is slow.
    seconds
        A row is not repeated after its commands have taken this time together.
    """

    values: int
    megabytes: int
    tenth: bool
    times: int
    seconds: float

    def count(self, full: int) -> int:
        """Return the number of chunks or keys to create, in place of `full`."""
        return full // 10 if self.tenth else full

    def side(self, count: int) -> int:
        """Return the side of a square of about `count` values, a multiple of 64."""
        return max(64, int(count**0.5) // 64 * 64)

    @property
    def large_side(self) -> int:
        """The side of a square of `megabytes` of float."""
        return self.side(self.megabytes * 250_000)


FULL = Scale(values=10_000_000, megabytes=600, tenth=False, times=3, seconds=12)
QUICK = Scale(values=2_000_000, megabytes=60, tenth=True, times=2, seconds=0.8)
