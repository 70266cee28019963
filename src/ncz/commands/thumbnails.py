"""Small pictures of variables: some of the values, from few chunks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.commands.view.coordinates import known_values
from ncz.commands.view.cost import MOST_READ
from ncz.late import numpy as np
from ncz.model.axes import is_latitude
from ncz.model.data import ChunkSource, read_all
from ncz.model.subset import subset_source
from ncz.model.tree import Group, Variable, base_name
from ncz.model.types import Atomic
from ncz.views.page_parts import Picture

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LINE, _ROWS, _COLUMNS = 480, 120, 240
"""Most values of a line, and most rows and columns of a map."""


def picture_of(variable: Variable, group: Group) -> Picture | None:
    """Return a line or a map of the values of a variable of numbers.

    A map is of the last two dimensions, at the first index of the others.

    Parameters
    ----------
    variable
        The variable.
    group
        Its group, whose coordinates say whether rows go from south to north.

    Returns
    -------
    Picture or None
        None for text, for fewer than two values, and if the chunks are too large.

    Raises
    ------
    NczError
        If chunks cannot be read.
    """
    data = variable.data
    if data is None or not (isinstance(variable.type, Atomic) and variable.type.kind in "iuf"):
        return None
    shape = data.grid.shape
    axes = [axis for axis, length in enumerate(shape) if length > 1][-2:]
    if not axes or 0 in shape:
        return None
    most = (_LINE,) if len(axes) == 1 else (_ROWS, _COLUMNS)
    counts = _counts(data, axes, most, variable.type.size)
    if counts is None:
        return None
    ranges = [range(1)] * len(shape)
    for axis, count in zip(axes, counts, strict=True):
        ranges[axis] = range(0, shape[axis], math.ceil(shape[axis] / count))
    values = read_all(subset_source(data, tuple(ranges)))
    values = known_values(values.reshape([len(ranges[axis]) for axis in axes]), variable)
    if values.ndim == 2 and _goes_north(variable.dimensions[axes[0]], group):
        values = values[::-1]
    return Picture(values=values, caption=_caption(variable, shape, axes, ranges, values))


def _counts(
    data: ChunkSource, axes: list[int], most: tuple[int, ...], size: int
) -> tuple[int, ...] | None:
    """Return the number of indices of each axis to read, so that few chunks are read."""
    grid = data.grid
    chunk = math.prod(grid.box((0,) * len(grid.shape)).shape) * size
    budget = MOST_READ // max(1, chunk)
    counts = [min(n, grid.shape[axis]) for n, axis in zip(most, axes, strict=True)]
    while budget:
        touched = math.prod(min(n, grid.counts[axis]) for n, axis in zip(counts, axes, strict=True))
        if touched <= budget:
            return tuple(counts)
        longest = max(range(len(axes)), key=lambda i: min(counts[i], grid.counts[axes[i]]))
        counts[longest] = max(1, min(counts[longest], grid.counts[axes[longest]]) // 2)
    return None


def _goes_north(dimension: str, group: Group) -> bool:
    """Return whether the coordinates of a dimension are latitudes that increase."""
    name = base_name(dimension)
    found = next((v for v in group.variables if v.name == name), None)
    if found is None or found.data is None or len(found.data.grid.shape) != 1:
        return False
    if not is_latitude(found):
        return False
    length = found.data.grid.shape[0]
    ends = read_all(subset_source(found.data, (range(0, length, max(1, length - 1)),)))
    return bool(ends[-1] > ends[0])


def _caption(
    variable: Variable,
    shape: tuple[int, ...],
    axes: list[int],
    ranges: list[range],
    values: NDArray[np.float64],
) -> str:
    fixed = [
        f"{base_name(name)} = 0"
        for axis, name in enumerate(variable.dimensions)
        if axis not in axes and shape[axis] > 1
    ]
    steps = [
        f"every {ranges[axis].step} along {base_name(variable.dimensions[axis])}"
        for axis in axes
        if ranges[axis].step > 1
    ]
    known = values[np.isfinite(values)]
    ends = "all missing"
    if known.size:
        ends = " to ".join(_end(number, variable) for number in (known.min(), known.max()))
    return "; ".join([ends, *fixed, *steps])


def _end(number: float, variable: Variable) -> str:
    """Return a number as text, or its date if it is a time."""
    from ncz.text.time_variables import times_of

    try:
        times = times_of(variable, " ")
    except ValueError:  # units that are not times
        times = None
    date = None if times is None else times.format(float(number))
    return date or f"{number:.6g}"
