"""Pictures of values that have places on the map, as answers to the page of the view command."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ncz.commands.view.answer import Answer, too_large_answer
from ncz.commands.view.coordinates import known_values
from ncz.commands.view.cost import chunks_at, coarser
from ncz.commands.view.page_axes import PageAxes
from ncz.commands.view.placed_cells import PlacedCells
from ncz.commands.view.placed_scene import (
    MOST_CELLS,
    MOST_POINTS,
    drawn_values,
    in_order_of_places,
    window_of_cells,
    with_spans,
)
from ncz.commands.view.places import Places, places_of
from ncz.commands.view.request import Request, RequestError, never
from ncz.commands.view.value_reader import ValueReader, chunk_cost
from ncz.errors import NczError
from ncz.late import numpy as np
from ncz.views.map_window import Window
from ncz.views.ticks import degrees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.model.data import Values
    from ncz.model.tree import Variable
    from ncz.views.raster import Cells

_MOST_PIXELS = 2048
_KEPT = 4
"""Sets of cells that are kept."""


class PlacedPictures:
    """Draws variables on the map. Many threads may ask.

    Parameters
    ----------
    reader
        The variables.
    axes
        Their axes.
    limit
        Bytes of chunks that may be read for a picture.
    """

    def __init__(self, reader: ValueReader, axes: PageAxes, limit: int) -> None:
        self._reader = reader
        self._axes = axes
        self._limit = limit
        self._variables = dict(reader.variables)
        self._cells: OrderedDict[object, Cells] = OrderedDict()
        self._lock = threading.Lock()

    def extent(self, request: Request) -> Answer | None:
        """Return the extent of a variable on the map; None without places, or with too many."""
        fqn, variable, shape = self._reader.variable(request)
        if 0 in shape or variable.data is None:
            return None
        places = places_of(self._reader.dataset, fqn)
        if places is None:
            return None
        try:
            ranges = self._ranges(shape, places, self._fixed_indices(shape, request))
            if self._need(fqn, variable, places, ranges) > self._limit:
                return None
            window = window_of_cells(self._read(fqn, places, ranges, never))
        except NczError:
            return None  # the values can be seen by index
        return {
            "x": [window.west, window.east],
            "y": [window.south, window.north],
            "axes": list(places.axes),
            "shape": [shape[axis] for axis in places.axes],
        }

    def picture(
        self, request: Request, is_stale: Callable[[], bool] = never
    ) -> tuple[Answer, NDArray[np.float64] | None, NDArray[np.int32] | None]:
        """Return the axes of a map, and at each pixel the value and the number of its cell.

        Rows are from south to north. A cell is numbered along the axes with places; -1 means no
        cell.
        """
        fqn, variable, shape = self._reader.variable(request)
        places = places_of(self._reader.dataset, fqn)
        if places is None or 0 in shape or variable.data is None:
            raise RequestError("the variable has no places on the map")
        window = Window(*request.box)
        width, height = (min(max(1, n), _MOST_PIXELS) for n in request.pixels)
        at = self._fixed_indices(shape, request)
        ranges = self._ranges(shape, places, at, request.stride)
        need, limit = self._need(fqn, variable, places, ranges), request.limit or self._limit
        where = self._axes.places(variable, shape, ranges, places.axes)
        if need > limit:
            data = self._reader.sources[request.variable]
            assert data is not None
            times = coarser(data.grid, ranges, places.axes, limit // 3 // chunk_cost(data))
            stride = None if times is None else times * max(ranges[a].step for a in places.axes)
            large = too_large_answer("the picture needs", need, limit, stride)
            return {"tooLarge": large, "at": where}, None, None
        numbers = self._read(fqn, places, ranges, is_stale).draw(window, width, height)
        finer = self._finer(shape, places, ranges, numbers, request.stride)
        if finer != ranges and self._need(fqn, variable, places, finer) <= limit:
            ranges = finer
            numbers = self._read(fqn, places, ranges, is_stale).draw(window, width, height)
        read = self._reader.read(request.variable, ranges, is_stale)
        values = in_order_of_places(known_values(read, variable), places)
        return (
            {
                "isFinal": True,
                "x": _axis(window.west, window.east, width, "EW"),
                "y": _axis(window.south, window.north, height, "NS"),
                "at": where,
            },
            drawn_values(values, numbers)[::-1],
            _whole_numbers(numbers, shape, places, ranges)[::-1],
        )

    def _fixed_indices(self, shape: Sequence[int], request: Request) -> tuple[int, ...]:
        at = request.at + (0,) * (len(shape) - len(request.at))
        if len(at) != len(shape) or any(i >= n for i, n in zip(at, shape, strict=True)):
            raise RequestError("the variable has no such index")
        return at

    def _ranges(
        self, shape: Sequence[int], places: Places, at: Sequence[int], stride: int = 1
    ) -> list[range]:
        ranges = [range(i, i + 1) for i in at]
        return _few(ranges, places, [range(shape[axis]) for axis in places.axes], stride)

    def _finer(
        self,
        shape: Sequence[int],
        places: Places,
        ranges: Sequence[range],
        numbers: NDArray[np.int32],
        stride: int,
    ) -> list[range]:
        """Return the indices around the visible ones, with smaller steps if they are fewer."""
        seen = np.unique(numbers[numbers >= 0])
        if len(places.axes) == 1 or not seen.size:
            return [*ranges]
        size = [len(ranges[axis]) for axis in places.axes]
        spans = []
        for axis, at in zip(places.axes, np.unravel_index(seen, size), strict=True):
            step = ranges[axis].step
            start, stop = (int(at.min()) - 1) * step, (int(at.max()) + 2) * step
            spans.append(range(max(0, start), min(shape[axis], stop)))
        finer = _few(ranges, places, spans, stride)
        is_finer = any(finer[axis].step < ranges[axis].step for axis in places.axes)
        return finer if is_finer else [*ranges]

    def _need(self, fqn: str, variable: Variable, places: Places, ranges: Sequence[range]) -> int:
        assert variable.data is not None
        cost = self._placed_cells(fqn, places, never).cost(ranges)
        return cost + chunks_at(variable.data.grid, ranges) * chunk_cost(variable.data)

    def _placed_cells(self, fqn: str, places: Places, is_stale: Callable[[], bool]) -> PlacedCells:
        def read(name: str, part: Sequence[range]) -> Values:
            return self._reader.read(self._reader.numbers[name], part, is_stale)

        return PlacedCells(self._variables, fqn, places, read)

    def _read(
        self,
        fqn: str,
        places: Places,
        ranges: Sequence[range],
        is_stale: Callable[[], bool],
    ) -> Cells:
        """Return cells, which are read unless they are kept."""
        reader = self._placed_cells(fqn, places, is_stale)
        key = (places.longitude, places.latitude, places.corners, *reader.indices(ranges))
        with self._lock:
            if key in self._cells:
                self._cells.move_to_end(key)
                return self._cells[key]
        cells = reader.cells(ranges)
        with self._lock:
            self._cells[key] = cells
            while len(self._cells) > _KEPT:
                self._cells.popitem(last=False)
        return cells


def _few(
    ranges: Sequence[range], places: Places, spans: Sequence[range], stride: int
) -> list[range]:
    most = MOST_POINTS if len(spans) == 1 else MOST_CELLS
    return with_spans(ranges, places, spans, stride, most)


def _whole_numbers(
    numbers: NDArray[np.int32],
    shape: Sequence[int],
    places: Places,
    ranges: Sequence[range],
) -> NDArray[np.int32]:
    """Return the numbers of cells among all indices, from those among the indices that are read."""
    axes = places.axes
    at = np.unravel_index(np.maximum(numbers, 0), [len(ranges[axis]) for axis in axes])
    whole = [ranges[a].start + ranges[a].step * one for a, one in zip(axes, at, strict=True)]
    found = np.ravel_multi_index(whole, [shape[axis] for axis in axes]).astype(np.int32)
    return np.where(numbers < 0, numbers, found)


def _axis(first: float, last: float, count: int, letters: str) -> Answer:
    step = (last - first) / count
    middles = [first + (n + 0.5) * step for n in range(count)]
    digits = max(0, 1 - math.floor(math.log10(step)))
    return {
        "axis": None,
        "start": first,
        "step": step,
        "coordinates": middles,
        "texts": [degrees(middle, letters, digits) for middle in middles],
        "isNumber": True,
        "isScale": True,
        "goesUp": letters == "NS",
    }
