"""The variable whose values order datasets along a dimension.

It is the coordinate variable of the dimension. Without one, dates along the dimension order it:
the times of an auxiliary coordinate, as WRF's ``XTIME``, or texts, as its ``Times``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.commands.joining.error import JoinError
from ncz.errors import list_names, option
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, Values, read_all, read_box
from ncz.model.grid import Box
from ncz.model.links import links
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import record
from ncz.text.date_texts import parse_date_texts, texts_in
from ncz.text.time_variables import times_of
from ncz.text.times import Times

_LONGEST = 1 << 25
"""Values of the longest coordinate that is read."""

_LAST_CHUNKS = 16
"""The number of last chunks of a coordinate that an append reads first."""


def _begins_before(values: Values, others: Sequence[Values]) -> bool:
    """Return whether the first of some coordinates is before all others, in their direction."""
    known = [each for each in others if each.size]
    if not known or not values.size:
        return True
    is_down = values[0] > values[-1] if values.size > 1 else values[0] > known[0][0]
    if is_down:
        return all(bool(values[0] > np.max(each)) for each in known)
    return all(bool(values[0] < np.min(each)) for each in known)


@record(kw_only=True)
class AxisCoordinate:
    """The FQN of a variable, and the times that its values are; None for other numbers."""

    fqn: str
    times: Times | None = None
    has_texts: bool = False

    def values(self, dataset: Dataset, name: str) -> Values:
        """Return the coordinates in a dataset; texts become seconds.

        Raises `JoinError` if they are too many, or texts that are not dates; `name` is the
        dataset's.
        """
        data = self._data(dataset)
        return self._read(data, 0, data.grid.shape[0], name)

    def last_values(self, dataset: Dataset, name: str, others: Sequence[Values]) -> Values:
        """Return the last coordinates of a dataset, for an append.

        They begin before all values of `others`. The first ones of many chunks are not read: the
        chunks may be in as many files. Raises `JoinError` as `values` does.
        """
        data = self._data(dataset)
        starts, length = data.grid.starts(0), data.grid.shape[0]
        count, found = _LAST_CHUNKS, np.zeros(0)
        first = length
        while first:
            count = min(count, len(starts))
            before, first = first, starts[-count]
            read = self._read(data, first, before, name)
            found = np.concatenate((read, found)) if found.size else read
            if _begins_before(found, others):
                break
            count *= 2
        return found

    def _data(self, dataset: Dataset) -> ChunkSource:
        data = dict(variables_by_fqn(dataset.root))[self.fqn].data
        assert data is not None
        return data

    def _read(self, data: ChunkSource, start: int, stop: int, name: str) -> Values:
        if stop - start > _LONGEST:
            raise too_long(self.fqn, name)
        shape = data.grid.shape
        box = Box((start, *(0 for _ in shape[1:])), (stop, *shape[1:]))
        values = read_box(data, box)
        if not self.has_texts:
            return values
        parsed = parse_date_texts(texts_in(values))
        if parsed is None:
            raise JoinError(f"the texts of {self.fqn} are not all dates", name)
        return np.array(parsed[0], "f8")


def too_long(axis: str, name: str | None = None) -> JoinError:
    """Return the error for coordinates that are not read because there are too many."""
    return JoinError(
        f"the coordinate {axis} is too long to find its order",
        name,
        f"use {option('overlap', 'keep')}",
    )


def axis_coordinate(dataset: Dataset, axis: str, *, auxiliary: bool) -> AxisCoordinate | None:
    """Return the coordinate that orders a dimension; None if no variable does.

    Parameters
    ----------
    dataset
        One of the datasets, which have one form.
    axis
        The FQN of the dimension.
    auxiliary
        Whether other variables than the coordinate variable may be it.

    Raises
    ------
    JoinError
        If several variables could be it.
    """
    variables = dict(variables_by_fqn(dataset.root))
    own = variables.get(axis)
    if own is not None and own.dimensions == (axis,) and own.has_numbers and own.data is not None:
        return AxisCoordinate(fqn=axis, times=_times(own))
    if not auxiliary:
        return None
    along = {
        fqn: variable
        for fqn, variable in variables.items()
        if variable.dimensions[:1] == (axis,) and variable.data is not None
    }
    times = {
        fqn: found
        for fqn, variable in along.items()
        if variable.dimensions == (axis,) and (found := _times(variable)) is not None
    }
    named = {link.target for link in links(dataset.root) if link.meaning == "coordinates"}
    chosen = [fqn for fqn in times if fqn in named] or [*times]
    if len(chosen) > 1:
        raise JoinError(
            f"{axis} has no coordinate variable, and several others have times:"
            f" {list_names(chosen)}",
            None,
            f"leave all but one out with {option('exclude')}",
        )
    if chosen:
        return AxisCoordinate(fqn=chosen[0], times=times[chosen[0]])
    for fqn, variable in along.items():
        if (parsed := _dates(dataset, variable)) is not None:
            return AxisCoordinate(fqn=fqn, times=parsed, has_texts=True)
    return None


def _times(variable: Variable) -> Times | None:
    try:
        return times_of(variable, " ") if variable.has_numbers else None
    except ValueError:
        return None


def _dates(dataset: Dataset, variable: Variable) -> Times | None:
    """Return a formatter for the dates in a variable of texts; None for other variables."""
    lengths = dimensions_by_fqn(dataset.root)
    is_char, rest = variable.type is Atomic.CHAR, variable.dimensions[1:]
    if not (len(rest) == 1 if is_char else variable.type is Atomic.STRING and not rest):
        return None
    if lengths[variable.dimensions[0]].size > _LONGEST or any(lengths[d].size > 64 for d in rest):
        return None
    assert variable.data is not None
    parsed = parse_date_texts(texts_in(read_all(variable.data)))
    return None if parsed is None or not parsed[0] else parsed[1]
