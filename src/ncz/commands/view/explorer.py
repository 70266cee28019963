"""Pictures, series and tables of values, as answers to the page of the view command.

Values are read by whole chunks, and the most recently used are kept. A request names a
variable and its axes by their numbers, so that names are only ever shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ncz.commands.view.answer import Answer, packed_answer, too_large_answer
from ncz.commands.view.chunk_cache import KEPT, ChunkCache
from ncz.commands.view.coordinates import known_values
from ncz.commands.view.cost import MOST_READ, chunks_at, coarser
from ncz.commands.view.descriptions import Descriptions
from ncz.commands.view.map_axes import axes_window
from ncz.commands.view.page_axes import PageAxes
from ncz.commands.view.page_values import (
    MOST_CELL,
    element_text,
    elements_of,
    number_in_json,
    shorten,
    text_of_value,
)
from ncz.commands.view.placed_pictures import PlacedPictures
from ncz.commands.view.request import Request, RequestError, never
from ncz.commands.view.text_table import texts_of_chars
from ncz.commands.view.value_reader import ValueReader, chunk_cost
from ncz.commands.view.variables import is_drawn
from ncz.late import numpy as np
from ncz.model.data import ChunkSource
from ncz.model.tree import Dataset, Variable
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.parallel.threads import ThreadPool
    from ncz.views.map_window import Window

_QUICK = 8 << 20
"""Bytes of chunks of the picture that is shown while a finer one is read."""

_LEAST = 4
"""Smallest numbers of rows and columns of such a picture."""

_MOST_PIXELS, _MOST_POINTS = 2048, 2000
_MOST_ROWS, _MOST_COLUMNS = 200, 20


class Explorer:
    """An open dataset, and the answers to requests of a page. It is safe to use from many threads.

    Parameters
    ----------
    dataset
        The dataset, which stays open.
    pool
        The threads that read chunks.
    limit
        Bytes of chunks that may be read for a picture.
    is_remote
        Whether a read waits for a server.
    """

    def __init__(
        self,
        dataset: Dataset,
        pool: ThreadPool,
        *,
        limit: int = MOST_READ,
        is_remote: bool = False,
        cache_size: int = KEPT,
    ) -> None:
        self.dataset = dataset
        self.limit = limit
        self.cache = ChunkCache(cache_size)
        self._reader = ValueReader(dataset, pool, self.cache, is_remote=is_remote)
        self._axes = PageAxes(self._reader)
        self.placed = PlacedPictures(self._reader, self._axes, limit)
        self.descriptions = Descriptions(self._reader, self._axes, self.placed, limit)

    def packed_picture(self, request: Request, is_stale: Callable[[], bool] = never) -> bytes:
        """Return a picture for the page, by axes or in a box of the map, with its values."""
        if not request.box:
            return packed_answer(*self.picture(request, is_stale))
        _check_drawn(self._reader.variable(request)[1])
        return packed_answer(*self.placed.picture(request, is_stale))

    def picture(
        self, request: Request, is_stale: Callable[[], bool] = never
    ) -> tuple[Answer, NDArray[np.float64] | None]:
        """Return the axes of a picture and its values, rows by columns with NaN for missing ones.

        There are no values if they need too many chunks, or if a coarse picture would show nothing.
        """
        _, variable, shape = self._reader.variable(request)
        _check_drawn(variable)
        if 0 in shape or variable.data is None:
            return {
                "empty": "it has no values" if 0 in shape else "no value was ever written"
            }, None
        picture_axes = [axis for axis in (request.x, request.y) if axis is not None]
        ranges = self._ranges(shape, request)
        answer = self._cost_hint(ranges, picture_axes, request, "the picture needs")
        if answer is not None:
            return {**answer, "at": self._axes.places(variable, shape, ranges, picture_axes)}, None
        is_final = True
        data = self._reader.sources[request.variable]
        assert data is not None
        quick = self._quick(data, ranges, picture_axes) if request.coarse else 1
        if quick != 1:
            is_final = False
            coarse = self._ranges(shape, request, quick or 1)
            if not quick or any(len(coarse[a]) < min(_LEAST, len(ranges[a])) for a in picture_axes):
                return {"isFinal": False}, None
            ranges = coarse
        values = known_values(self._reader.read(request.variable, ranges, is_stale), variable)
        if request.y is not None and request.x is not None and request.y > request.x:
            values = values.T
        rows = 1 if request.y is None else len(ranges[request.y])
        return {
            "isFinal": is_final,
            "x": self._axes.axis(variable, request.x, ranges),
            "y": self._axes.axis(variable, request.y, ranges),
            "at": self._axes.places(variable, shape, ranges, picture_axes),
        }, values.reshape(rows, -1)

    def window(self, request: Request, picture: Answer) -> Window | None:
        """Return the part of the map that a picture by axes shows; None if it is not a map."""
        variable = self._reader.variable(request)[1]
        if request.x is None or request.y is None:
            return None
        down, across = (variable.dimensions[axis] for axis in (request.y, request.x))
        if not self._axes.coordinates.is_map(down, across):
            return None
        east, north = (np.array(picture[axis]["coordinates"], "f8") for axis in "xy")
        return axes_window(east, north)

    def series(self, request: Request, is_stale: Callable[[], bool] = never) -> Answer:
        """Return the values along an axis through a point, and the value at the point as text."""
        _, variable, shape = self._reader.variable(request)
        along = request.along
        if along is not None and along >= len(shape):
            raise RequestError("the variable has no such axis")
        if 0 in shape or variable.data is None:
            return {"empty": "it has no values"}
        one = [range(i, i + 1) for i in self._fixed_indices(shape, request)]
        value = self._reader.read(request.variable, one, is_stale)
        answer: Answer = {
            "text": text_of_value(variable, value),
            "at": self._axes.places(variable, shape, one, []),
        }
        if along is None:
            return answer
        _check_drawn(variable)
        step = max(request.stride, math.ceil(shape[along] / _MOST_POINTS))
        ranges = list(one)
        ranges[along] = range(0, shape[along], step)
        large = self._cost_hint(ranges, [along], request, "the series needs")
        if large is not None:
            return {**answer, **large}
        values = known_values(self._reader.read(request.variable, ranges, is_stale), variable)
        return {
            **answer,
            "axis": self._axes.axis(variable, along, ranges),
            "values": [number_in_json(value) for value in values.reshape(-1).tolist()],
        }

    def table(self, request: Request, is_stale: Callable[[], bool] = never) -> Answer:
        """Return values of any type as texts: rows along `y`, or `x` without a `y`."""
        _, variable, shape = self._reader.variable(request)
        if 0 in shape[: len(shape) - (variable.type is Atomic.CHAR)] or variable.data is None:
            return {"empty": "it has no values" if 0 in shape else "no value was ever written"}
        ranges = [range(i, i + 1) for i in self._fixed_indices(shape, request)]
        if variable.type is Atomic.CHAR and shape:
            ranges[-1] = range(min(shape[-1], MOST_CELL + 1))
        down, across = (request.x, None) if request.y is None else (request.y, request.x)
        for axis, span, most in (
            (down, request.ys, _MOST_ROWS), (across, request.xs, _MOST_COLUMNS)
        ):  # fmt: skip
            if axis is not None:
                start = min(span[0] if span else 0, shape[axis] - 1)
                ranges[axis] = range(start, min(start + most, shape[axis]))
        large = self._cost_hint(ranges, [], request, "the table needs")
        if large is not None:
            return large
        values = self._reader.read(request.variable, ranges, is_stale)
        if variable.type is Atomic.CHAR and shape:
            texts = texts_of_chars(values)
        else:
            texts = [element_text(each, variable.type) for each in elements_of(values)]
        columns = 1 if across is None else len(ranges[across])
        rows = 1 if down is None else len(ranges[down])
        cells = [texts[row * columns : (row + 1) * columns] for row in range(rows)]
        if across is not None and down is not None and across < down:
            cells = [
                [texts[column * rows + row] for column in range(columns)] for row in range(rows)
            ]
        return {
            "cells": [[shorten(text, MOST_CELL) for text in row] for row in cells],
            "x": self._axes.axis(variable, across, ranges),
            "y": self._axes.axis(variable, down, ranges),
            "at": self._axes.places(
                variable, shape, ranges, [a for a in (down, across) if a is not None]
            ),
        }

    def _fixed_indices(self, shape: Sequence[int], request: Request) -> tuple[int, ...]:
        """Return the index of each axis that is not shown."""
        at = request.at + (0,) * (len(shape) - len(request.at))
        if len(at) != len(shape) or any(i >= n for i, n in zip(at, shape, strict=True) if n):
            raise RequestError("the variable has no such index")
        return at

    def _ranges(self, shape: Sequence[int], request: Request, times: int = 1) -> list[range]:
        """Return the indices of a picture: every few along its axes, so that all can be seen.

        `times` is the factor of its stride to the requested one.
        """
        ranges = [range(i, i + 1) for i in self._fixed_indices(shape, request)]
        axes = (
            (request.x, request.xs, request.pixels[0]),
            (request.y, request.ys, request.pixels[1]),
        )
        for axis, span, pixels in axes:
            if axis is None:
                continue
            start, stop = span or (0, shape[axis])
            stop = min(stop, shape[axis])
            if start >= stop:
                raise RequestError("the part of the axis is empty")
            dense = math.ceil((stop - start) / min(max(pixels, 1), _MOST_PIXELS))
            step = max(1, request.stride, dense) * times
            ranges[axis] = range(start - start % step, stop, step)
        return ranges

    def _quick(self, data: ChunkSource, ranges: Sequence[range], axes: Sequence[int]) -> int | None:
        most = _QUICK // (4 if self._reader.is_remote else 1)
        return coarser(data.grid, ranges, axes, most // chunk_cost(data))

    def _cost_hint(
        self,
        ranges: Sequence[range],
        axes: Sequence[int],
        request: Request,
        what: str,
    ) -> Answer | None:
        """Return a hint, if some indices need too many chunks."""
        data = self._reader.sources[request.variable]
        assert data is not None
        limit = request.limit or self.limit
        need = chunks_at(data.grid, ranges) * chunk_cost(data)
        if need <= limit:
            return None
        times = coarser(data.grid, ranges, axes, limit // chunk_cost(data))
        steps = [ranges[axis].step for axis in axes]
        stride = None if times is None else times * max(steps, default=1)
        return {"tooLarge": too_large_answer(what, need, limit, stride)}


def _check_drawn(variable: Variable) -> None:
    if not is_drawn(variable):
        raise RequestError("its values are not numbers")
