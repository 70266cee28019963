"""The dates of the indices of variables, by the time coordinates of their dimensions."""

from __future__ import annotations

import contextlib
from functools import cache

from ncz.errors import NczError
from ncz.model.data import read_box
from ncz.model.grid import Box, Index
from ncz.model.packing import packing_of
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.text.time_variables import times_of
from ncz.text.times import Times


class IndexDates:
    """The dates of a dataset. Only the coordinates of requested indices are read."""

    def __init__(self, dataset: Dataset) -> None:
        self._variables = dict(variables_by_fqn(dataset.root))
        self._times_of = cache(self._find_times)
        self._date_of = cache(self._read_date)

    def of(self, fqn: str, index: Index) -> str | None:
        """Return the date of an index of a variable; None if no dimension of it has dates."""
        variable = self._variables.get(fqn)
        if variable is None:
            return None
        for dimension, at in zip(variable.dimensions, index, strict=False):
            if dimension != fqn and self._times_of(dimension) is not None:
                return self._date_of(dimension, at)
        return None

    def _find_times(self, dimension: str) -> tuple[Variable, Times] | None:
        """Return the coordinate of a dimension, if it has dates."""
        coordinate = self._variables.get(dimension)
        if (
            coordinate is None
            or coordinate.dimensions != (dimension,)
            or not coordinate.has_numbers
        ):
            return None
        with contextlib.suppress(ValueError):
            times = times_of(coordinate, " ")
            return None if times is None else (coordinate, times)
        return None

    def _read_date(self, dimension: str, at: int) -> str | None:
        found = self._times_of(dimension)
        if found is None or found[0].data is None:
            return None
        coordinate, times = found
        packing = packing_of(coordinate)
        with contextlib.suppress(NczError):  # damage is reported when the coordinate is compared
            stored = read_box(found[0].data, Box((at,), (at + 1,)))
            if not packing.is_missing(stored).any():
                return times.format(packing.unpack(stored).item())
        return None
