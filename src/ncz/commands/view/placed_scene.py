"""A picture of values that have places on the map, as an image of longitudes and latitudes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.commands.view.coordinates import known_values
from ncz.commands.view.cost import chunk_size, chunks_at, coarser, large_picture, too_large
from ncz.commands.view.placed_cells import PlacedCells
from ncz.commands.view.places import Places
from ncz.late import numpy as np
from ncz.model.data import read_all
from ncz.model.subset import subset_source
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.record import record
from ncz.views.map_window import WORLD, Window, window_around
from ncz.views.raster import Points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.model.data import Values
    from ncz.views.raster import Cells

MOST_POINTS = 1 << 22
"""Places of one dimension that are drawn."""

_FEWEST_CELLS, MOST_CELLS = 1 << 18, 1 << 20
"""Cells of a curved grid that are drawn, even on a small picture, and at most."""

_POINT_MARGIN = 0.06
"""The part of a map of points that is left empty on each side."""


@record(kw_only=True)
class PlacedValues:
    """Values on the map, rows from north to south."""

    values: NDArray[np.float64]
    window: Window


def placed_ranges(
    shape: Sequence[int], places: Places, pixels: int, stride: int | None
) -> list[range]:
    """Return the indices that a picture of a number of pixels needs."""
    ranges = [range(1)] * len(shape)
    whole = [range(shape[axis]) for axis in places.axes]
    most = MOST_POINTS if len(whole) == 1 else min(max(_FEWEST_CELLS, pixels), MOST_CELLS)
    return with_spans(ranges, places, whole, stride or 1, most)


def with_spans(
    ranges: Sequence[range], places: Places, spans: Sequence[range], stride: int, most: int
) -> list[range]:
    """Return indices with parts of the axes that have places, so that there are few cells.

    `stride` is the smallest step.
    """
    count = math.prod(map(len, spans))
    step = max(stride, math.ceil((count / most) ** (1 / len(spans))))
    found = [*ranges]
    for axis, span in zip(places.axes, spans, strict=True):
        found[axis] = range(span.start - span.start % step, span.stop, step)
    return found


def window_of_cells(cells: Cells) -> Window:
    """Return the part of the map that cells cover; the world if none has a place."""
    if isinstance(cells, Points):
        window = window_around(cells.longitudes, cells.latitudes, _POINT_MARGIN)
    else:
        window = window_around(cells.corners[..., 0].ravel(), cells.corners[..., 1].ravel())
    return window or WORLD


def in_order_of_places(values: NDArray[np.float64], places: Places) -> NDArray[np.float64]:
    """Return values in the order of cells, from a picture with all axes of a variable."""
    others = [axis for axis in range(values.ndim) if axis not in places.axes]
    return values.transpose(*others, *places.axes).reshape(-1)


def placed_values(
    dataset: Dataset,
    fqn: str,
    ranges: Sequence[range],
    places: Places,
    *,
    most: tuple[int, int],
    tall: float,
    limit: int,
) -> PlacedValues:
    """Read values and their places, and draw them on the map.

    Raises
    ------
    ViewError
        If they need more chunks than `limit` allows.
    """
    variables = dict(variables_by_fqn(dataset.root))
    variable = variables[fqn]

    def read(name: str, part: Sequence[range]) -> Values:
        data = variables[name].data
        assert data is not None
        return read_all(subset_source(data, tuple(part)))

    reader = PlacedCells(variables, fqn, places, read)
    _check(variable, fqn, ranges, places, reader.cost(ranges), limit)
    cells = reader.cells(ranges)
    values = in_order_of_places(known_values(read(fqn, ranges), variable), places)
    window = window_of_cells(cells)
    width, height = window.fit(most[1], most[0], tall)
    return PlacedValues(
        values=drawn_values(values, cells.draw(window, width, height)), window=window
    )


def drawn_values(values: NDArray[np.float64], numbers: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the value of the cell at each pixel; NaN outside all cells."""
    return np.where(numbers < 0, np.nan, values[np.maximum(numbers, 0)])


def _check(
    variable: Variable,
    fqn: str,
    ranges: Sequence[range],
    places: Places,
    cost: int,
    limit: int,
) -> None:
    data = variable.data
    assert data is not None
    size = cost + chunks_at(data.grid, ranges) * chunk_size(data)
    if size <= limit:
        return
    whole = [range(data.grid.shape[n]) if n in places.axes else r for n, r in enumerate(ranges)]
    stride = coarser(data.grid, whole, places.axes, limit // 3 // max(1, chunk_size(data)))
    raise large_picture(too_large("the picture needs", size, limit), fqn, size, stride)
