"""What the page of the view command asks of a dataset, and the answers, which become JSON.

Values are read by whole chunks, of which those that were used last are kept. A request names a
variable and its axes by their numbers, so that names are only ever shown.
"""

from __future__ import annotations

import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ncz.commands.description import describe, with_census
from ncz.commands.page import chunk_map, statistics_rows, storage_rows
from ncz.commands.statistics import statistics
from ncz.commands.view.scene import (
    AUXILIARY,
    MOST_READ,
    Coordinates,
    ViewError,
    chosen,
    chunks_at,
    coarser,
    find_variable,
    flags_of,
    is_drawn,
    known_values,
    name_of_value,
    named_by,
    one_line_of,
    picture_axes,
    texts_of_chars,
    title_of,
    too_large,
)
from ncz.model.data import ChunkSource, DerivedSource, fill_array
from ncz.model.encoded import EncodedSource
from ncz.model.grid import Index
from ncz.model.packing import packing_of
from ncz.model.subset import subset_source
from ncz.model.tree import (
    Dataset,
    Variable,
    base_name,
    dimensions_by_fqn,
    parent,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic, Enumeration
from ncz.record import record
from ncz.text.format_values import Precision, format_attribute, format_value
from ncz.text.names import format_size
from ncz.views.colormaps import COLORMAPS, DIVERGING, palette
from ncz.views.html_text import printable
from ncz.views.stored_form import format_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ncz.model.data import Values
    from ncz.parallel.threads import ThreadPool

Answer = dict[str, Any]
"""What becomes a JSON document."""

KEPT = 256 << 20
"""Bytes of decoded chunks that are kept."""

_QUICK = 8 << 20
"""Bytes of chunks of the picture that is shown while a finer one is read."""

_LEAST = 4
"""Rows and columns below which such a picture shows nothing."""

_CHUNK_COST = 4096
"""Bytes that a chunk counts as, if it has fewer."""

_ITEM = 64
"""Estimated size of a string or a value of a user-defined type."""

_MOST_PIXELS, _MOST_POINTS = 2048, 2000
_MOST_ROWS, _MOST_COLUMNS = 200, 20
_MOST_CELL, _MOST_TEXT, _MOST_HEADER = 200, 20_000, 1 << 20
_MOST_COUNTED = 4096
"""Chunks of a variable whose sizes are found without asking."""

_SMALL = 1 << 18
"""Bytes that a chunk on a server counts as for threads, so that each is a request of its own."""


_PART = 1 << 16
"""Bytes that are read at once of values that are not stored in chunks."""


class StaleRequest(Exception):
    """A request whose client no longer waits for the answer."""


class RequestError(ValueError):
    """A request that no page of this server sends."""


@record(kw_only=True)
class Request:
    """What a page asks for.

    Attributes
    ----------
    variable
        The number of the variable.
    x, y
        The numbers of the horizontal and the vertical axis of a picture, or of a table.
    at
        The index at which each axis is cut; empty for the first ones.
    xs, ys
        The part of an axis that is shown: the first index, and that after the last one.
    pixels
        The most columns and rows of values that can be seen.
    stride
        Show every so many indices, if that is more than pixels ask for.
    limit
        Bytes of chunks that may be read, if not those of the command.
    coarse
        Whether a coarse picture will do, if the one asked for takes long.
    along
        The axis of a series.
    """

    variable: int = 0
    x: int | None = None
    y: int | None = None
    at: tuple[int, ...] = ()
    xs: tuple[int, ...] = ()
    ys: tuple[int, ...] = ()
    pixels: tuple[int, ...] = (1024, 512)
    stride: int = 1
    limit: int | None = None
    coarse: bool = False
    along: int | None = None


_LARGEST = 1 << 62


def parse_request(text: str) -> Request:
    """Return what a JSON document asks for.

    Raises
    ------
    RequestError
        If it is not valid.
    """
    try:
        document = json.loads(text)
        fields = {
            name: _field(name, value) for name, value in document.items() if value is not None
        }
        return Request(**fields)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise RequestError("this is not a request of the page") from None


def _field(name: str, value: object) -> Any:
    if name == "coarse":
        if not isinstance(value, bool):
            raise TypeError(name)
        return value
    if name in ("at", "xs", "ys", "pixels"):
        if not isinstance(value, list) or (name != "at" and len(value) != 2) or len(value) > 1024:
            raise TypeError(name)
        return tuple(_whole(each) for each in value)
    return _whole(value)


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise ValueError(value)
    return value


# The chunks that were decoded last.


class ChunkCache:
    """Decoded chunks in at most `most` bytes; those that were not used for longest are dropped."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._size = 0
        self._chunks: OrderedDict[object, Values | None] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The bytes of all chunks that are kept."""
        return self._size

    def get(self, key: object, read: Callable[[], Values | None]) -> Values | None:
        """Return a chunk, which is read unless it is kept."""
        with self._lock:
            if key in self._chunks:
                self._chunks.move_to_end(key)
                return self._chunks[key]
        values = read()
        cost = _cost_of(values)
        with self._lock:
            if key not in self._chunks and cost <= self._most:
                self._chunks[key] = values
                self._size += cost
                while self._size > self._most:
                    _, old = self._chunks.popitem(last=False)
                    self._size -= _cost_of(old)
        return values


def _cost_of(values: Values | None) -> int:
    if values is None:
        return 200
    return 200 + (values.size * _ITEM if values.dtype.kind == "O" else values.nbytes)


@record
class _CachedSource(DerivedSource):
    """The chunks of a source, through a cache; `is_stale` tells that they are not needed."""

    source: ChunkSource
    number: int
    cache: ChunkCache
    is_stale: Callable[[], bool]

    def chunk(self, index: Index) -> Values | None:
        if self.is_stale():
            raise StaleRequest
        return self.cache.get((self.number, index), lambda: self.source.chunk(index))


def _never() -> bool:
    return False


class Explorer:
    """An open dataset, and the answers to what a page asks of it. Many threads may ask.

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
        self._pool = pool
        self._is_remote = is_remote
        part = _SMALL if is_remote else _PART
        self._variables = list(variables_by_fqn(dataset.root))
        self._sources = [
            None if one.data is None else one.data.divided(part) for _, one in self._variables
        ]
        self._numbers = {fqn: number for number, (fqn, _) in enumerate(self._variables)}
        self._lengths = dimensions_by_fqn(dataset.root)
        self._groups = dict(walk(dataset.root))
        self._coordinates = Coordinates(dataset, self._numbers_at)

    # Lists and descriptions, for which no values but coordinates are read.

    def overview(self, variable: str | None = None) -> Answer:
        """Return the list of variables, without bounds and grid mappings, and the one to show."""
        auxiliary = named_by(self.dataset, AUXILIARY)
        entries = [
            {
                "number": number,
                "path": printable(fqn.lstrip("/")),
                "group": printable(parent(fqn).lstrip("/")),
                "name": printable(one.name),
                "type": _type_name(one),
                "dimensions": [printable(base_name(d)) for d in one.dimensions],
                "shape": list(shape_of(one, self._lengths)),
                "units": printable(one_line_of(one, "units")),
                "title": printable(title_of(one)),
            }
            for number, (fqn, one) in enumerate(self._variables)
            if one.name not in auxiliary
        ]
        first: int | None = None
        if variable is not None:
            first = self._numbers[find_variable(self.dataset, variable)[0]]
        elif entries:
            try:
                first = self._numbers[chosen(self.dataset, None)[0]]
            except ViewError:
                first = int(str(entries[0]["number"]))
        return {
            "name": printable(self.dataset.name),
            "format": format_of(self.dataset.provenance) or "text",
            "variables": entries,
            "first": first,
            "limit": self.limit,
            "colormaps": {name: _colors(name) for name in COLORMAPS},
            "diverging": list(DIVERGING),
        }

    def description(self, request: Request, axes: Sequence[str] = ()) -> Answer:
        """Return what is known of a variable: axes, flags and attributes."""
        fqn, variable, shape = self._variable(request)
        is_text = not is_drawn(variable)
        dimensions = variable.dimensions
        if variable.type is Atomic.CHAR and dimensions:
            dimensions, shape = dimensions[:-1], shape[:-1]
        down, across = _axes_of(self.dataset, variable, shape, axes, is_text=is_text)
        group = self._groups[parent(fqn)]
        return {
            "number": request.variable,
            "path": printable(fqn.lstrip("/")),
            "title": printable(title_of(variable)),
            "units": printable(one_line_of(variable, "units")),
            "type": _type_name(variable),
            "isText": is_text,
            "isSingle": _is_single(variable),
            "axes": [
                {
                    "name": printable(base_name(dimension)),
                    "size": size,
                    "kind": self._coordinates.kinds.get(dimension, ""),
                    "units": self._units(dimension),
                    "isCategory": self._labels(dimension, variable) is not None,
                }
                for dimension, size in zip(dimensions, shape, strict=True)
            ],
            "x": across,
            "y": down,
            "flags": flags_of(variable),
            "attributes": _attribute_rows(variable.attributes),
            "groupAttributes": _attribute_rows(group.attributes),
            "rootAttributes": _attribute_rows(self.dataset.root.attributes) if parent(fqn) else [],
        }

    def header(self, request: Request) -> Answer:
        """Return the header of the dataset in CDL."""
        from ncz.cdl.printer import CdlOptions, print_cdl

        text = bytearray()

        def write(part: bytes) -> None:
            if len(text) < _MOST_HEADER:
                text.extend(part)

        print_cdl(self.dataset, CdlOptions(header_only=True), write)
        printed = printable(text[:_MOST_HEADER].decode("utf-8", "replace").replace("\t", "    "))
        return {"text": printed, "isWhole": len(text) < _MOST_HEADER}

    def storage(self, request: Request) -> Answer:
        """Return how a variable is stored; sizes of many chunks only if `request` has a limit."""
        fqn, variable, shape = self._variable(request)
        description = describe(fqn, variable, shape)
        data = variable.data
        count = data.layout.grid.size if isinstance(data, EncodedSource) else 0
        if count > max(_MOST_COUNTED, request.limit or 0):
            return {"rows": [*storage_rows(description)], "uncounted": count}
        rows = [*storage_rows(with_census(description, variable, self._pool))]
        chunks = chunk_map(variable, self._pool)
        return {
            "rows": rows,
            "columns": chunks.columns if chunks else 0,
            "chunks": [[c.first, c.count, c.present, c.size] for c in chunks.cells]
            if chunks
            else [],
        }

    def statistics(self, request: Request, is_stale: Callable[[], bool] = _never) -> Answer:
        """Return the statistics of all values, with a histogram."""
        _, variable, shape = self._variable(request)
        if not variable.has_numbers:
            return {"rows": []}
        assert isinstance(variable.type, Atomic)
        size = math.prod(shape) * variable.type.size
        if size > (request.limit or self.limit):
            return {"tooLarge": _too_large("the statistics need", size, self.limit)}

        def step(chunks: int, size: int) -> None:
            if is_stale():
                raise StaleRequest

        summary = statistics(variable, shape, self._pool, step)
        return {
            "rows": [*statistics_rows(summary)],
            "histogram": list(summary.histogram),
            "range": [_finite(summary.minimum), _finite(summary.maximum)],
        }

    # Values.

    def picture(
        self, request: Request, is_stale: Callable[[], bool] = _never
    ) -> tuple[Answer, NDArray[np.float64] | None]:
        """Return the axes of a picture and its values, rows by columns with NaN for missing ones.

        There are no values if they need too many chunks, or if a coarse picture would show nothing.
        """
        _, variable, shape = self._variable(request)
        _check_drawn(variable)
        if 0 in shape or variable.data is None:
            return {
                "empty": "it has no values" if 0 in shape else "no value was ever written"
            }, None
        picture_axes = [axis for axis in (request.x, request.y) if axis is not None]
        ranges = self._ranges(shape, request)
        answer = self._checked(ranges, picture_axes, request, "the picture needs")
        if answer is not None:
            return {**answer, "at": self._places(variable, shape, ranges, picture_axes)}, None
        is_final = True
        data = self._sources[request.variable]
        assert data is not None
        quick = self._quick(data, ranges, picture_axes) if request.coarse else 1
        if quick != 1:
            is_final = False
            coarse = self._ranges(shape, request, quick or 1)
            if not quick or any(len(coarse[a]) < min(_LEAST, len(ranges[a])) for a in picture_axes):
                return {"isFinal": False}, None
            ranges = coarse
        values = known_values(self._read(request.variable, ranges, is_stale), variable)
        if request.y is not None and request.x is not None and request.y > request.x:
            values = values.T
        rows = 1 if request.y is None else len(ranges[request.y])
        return {
            "isFinal": is_final,
            "x": self._axis(variable, request.x, ranges),
            "y": self._axis(variable, request.y, ranges),
            "at": self._places(variable, shape, ranges, picture_axes),
        }, values.reshape(rows, -1)

    def series(self, request: Request, is_stale: Callable[[], bool] = _never) -> Answer:
        """Return the values along an axis through a point, and the value at the point as text."""
        _, variable, shape = self._variable(request)
        along = request.along
        if along is not None and along >= len(shape):
            raise RequestError("the variable has no such axis")
        if 0 in shape or variable.data is None:
            return {"empty": "it has no values"}
        one = [range(i, i + 1) for i in self._cut(shape, request)]
        value = self._read(request.variable, one, is_stale)
        answer: Answer = {
            "text": _text_of_value(variable, value),
            "at": self._places(variable, shape, one, []),
        }
        if along is None:
            return answer
        _check_drawn(variable)
        step = max(request.stride, math.ceil(shape[along] / _MOST_POINTS))
        ranges = list(one)
        ranges[along] = range(0, shape[along], step)
        large = self._checked(ranges, [along], request, "the series needs")
        if large is not None:
            return {**answer, **large}
        values = known_values(self._read(request.variable, ranges, is_stale), variable)
        return {
            **answer,
            "axis": self._axis(variable, along, ranges),
            "values": [_number(value) for value in values.reshape(-1).tolist()],
        }

    def table(self, request: Request, is_stale: Callable[[], bool] = _never) -> Answer:
        """Return values of any type as texts: rows along `y`, or `x` without a `y`."""
        _, variable, shape = self._variable(request)
        if 0 in shape[: len(shape) - (variable.type is Atomic.CHAR)] or variable.data is None:
            return {"empty": "it has no values" if 0 in shape else "no value was ever written"}
        ranges = [range(i, i + 1) for i in self._cut(shape, request)]
        if variable.type is Atomic.CHAR and shape:
            ranges[-1] = range(min(shape[-1], _MOST_CELL + 1))
        down, across = (request.x, None) if request.y is None else (request.y, request.x)
        for axis, span, most in (
            (down, request.ys, _MOST_ROWS), (across, request.xs, _MOST_COLUMNS)
        ):  # fmt: skip
            if axis is not None:
                start = min(span[0] if span else 0, shape[axis] - 1)
                ranges[axis] = range(start, min(start + most, shape[axis]))
        large = self._checked(ranges, [], request, "the table needs")
        if large is not None:
            return large
        values = self._read(request.variable, ranges, is_stale)
        if variable.type is Atomic.CHAR and shape:
            texts = texts_of_chars(values)
        else:
            texts = [format_value(each, variable.type, Precision()) for each in _items(values)]
        columns = 1 if across is None else len(ranges[across])
        rows = 1 if down is None else len(ranges[down])
        cells = [texts[row * columns : (row + 1) * columns] for row in range(rows)]
        if across is not None and down is not None and across < down:
            cells = [
                [texts[column * rows + row] for column in range(columns)] for row in range(rows)
            ]
        return {
            "cells": [[_shortened(text, _MOST_CELL) for text in row] for row in cells],
            "x": self._axis(variable, across, ranges),
            "y": self._axis(variable, down, ranges),
            "at": self._places(
                variable, shape, ranges, [a for a in (down, across) if a is not None]
            ),
        }

    def _variable(self, request: Request) -> tuple[str, Variable, tuple[int, ...]]:
        if request.variable >= len(self._variables):
            raise RequestError("the dataset has no such variable")
        fqn, variable = self._variables[request.variable]
        shape = shape_of(variable, self._lengths)
        if any(axis is not None and axis >= len(shape) for axis in (request.x, request.y)) or (
            request.x is None and request.y is not None
        ):
            raise RequestError("the variable has no such axis")
        return fqn, variable, shape

    def _cut(self, shape: Sequence[int], request: Request) -> tuple[int, ...]:
        """Return the index at which each axis is cut."""
        at = request.at + (0,) * (len(shape) - len(request.at))
        if len(at) != len(shape) or any(i >= n for i, n in zip(at, shape, strict=True) if n):
            raise RequestError("the variable has no such index")
        return at

    def _ranges(self, shape: Sequence[int], request: Request, times: int = 1) -> list[range]:
        """Return the indices of a picture: every few along its axes, so that all can be seen.

        `times` is how many times coarser it is than asked for.
        """
        ranges = [range(i, i + 1) for i in self._cut(shape, request)]
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
        most = _QUICK // (4 if self._is_remote else 1)
        return coarser(data.grid, ranges, axes, most // _chunk_cost(data))

    def _checked(
        self,
        ranges: Sequence[range],
        axes: Sequence[int],
        request: Request,
        what: str,
    ) -> Answer | None:
        """Return what to do instead, if some indices need too many chunks."""
        data = self._sources[request.variable]
        assert data is not None
        limit = request.limit or self.limit
        need = chunks_at(data.grid, ranges) * _chunk_cost(data)
        if need <= limit:
            return None
        times = coarser(data.grid, ranges, axes, limit // _chunk_cost(data))
        steps = [ranges[axis].step for axis in axes]
        stride = None if times is None else times * max(steps, default=1)
        return {"tooLarge": _too_large(what, need, limit, stride)}

    def _read(
        self,
        number: int,
        ranges: Sequence[range],
        is_stale: Callable[[], bool],
    ) -> Values:
        """Read values; indices beyond the data, which another variable may have, are fill."""
        data = self._sources[number]
        assert data is not None
        source = subset_source(_CachedSource(data, number, self.cache, is_stale), ranges)
        result = fill_array(tuple(map(len, ranges)), data.type, data.fill)

        def put(index: Index) -> None:
            values = source.chunk(index)
            if values is not None:
                result[source.grid.box(index).slices or ...] = values

        cost = _chunk_cost(data)
        if self._is_remote:
            cost = max(cost, _SMALL)
        for _ in self._pool.each(put, source.grid.indices(), cost):
            pass
        return result

    # Coordinates as numbers and as text.

    def _axis(self, variable: Variable, axis: int | None, ranges: Sequence[range]) -> Answer | None:
        if axis is None:
            return None
        import numpy as np

        dimension, indices = variable.dimensions[axis], ranges[axis]
        numbers = self._coordinates.numbers(dimension, indices)
        labels = self._labels(dimension, variable)
        is_date = self._coordinates.times(dimension) is not None
        is_number = labels is None and numbers is not None and not is_date
        steps = np.diff(numbers) if numbers is not None else np.zeros(0)
        return {
            "axis": axis,
            "start": indices.start,
            "step": indices.step,
            "coordinates": None
            if numbers is None
            else [_finite(number) for number in numbers.tolist()],
            "texts": self._texts(variable, axis, indices),
            "isNumber": is_number,
            # Whether labels may be at round numbers between coordinates.
            "isScale": is_number and _is_nearly_even(steps),
            "goesUp": self._coordinates.go_up(dimension, numbers),
        }

    def _places(
        self,
        variable: Variable,
        shape: Sequence[int],
        ranges: Sequence[range],
        picture_axes: Sequence[int],
    ) -> list[str]:
        """Return for each axis where it is cut; "" for those that are shown."""
        return [
            "" if axis in picture_axes else self._texts(variable, axis, ranges[axis][:1])[0]
            for axis in range(len(shape))
        ]

    def _numbers_at(self, fqn: str, variable: Variable, indices: range) -> NDArray[np.float64]:
        return known_values(self._read(self._numbers[fqn], [indices], _never), variable)

    def _texts(self, variable: Variable, axis: int, indices: range) -> list[str]:
        """Return the coordinates of some indices as text; the index in brackets without any."""
        dimension = variable.dimensions[axis]
        labels = self._labels(dimension, variable)
        if labels is not None:
            number, naming = labels
            ranges = [indices, *(range(n) for n in shape_of(naming, self._lengths)[1:])]
            values = self._read(number, ranges, _never)
            if naming.type is Atomic.CHAR:
                return [_shortened(text, _MOST_CELL) for text in texts_of_chars(values)]
            return [_shortened(text or "", _MOST_CELL) for text in values.tolist()]
        coordinate = self._coordinates.variable(dimension)
        digits = 7 if coordinate is not None and _is_single(coordinate) else 15
        return self._coordinates.texts(dimension, indices, digits)

    def _units(self, dimension: str) -> str:
        coordinate = self._coordinates.variable(dimension)
        if coordinate is None or self._coordinates.times(dimension) is not None:
            return ""
        return printable(one_line_of(coordinate, "units"))

    def _labels(self, dimension: str, variable: Variable) -> tuple[int, Variable] | None:
        """Return the variable that names the indices of a dimension with text, and its number."""
        names = variable.text("coordinates").split()
        for number, (fqn, one) in enumerate(self._variables):
            if (
                one.type in (Atomic.STRING, Atomic.CHAR)
                and one.dimensions[:1] == (dimension,)
                and len(one.dimensions) == (1 if one.type is Atomic.STRING else 2)
                and (fqn == dimension or one.name in names)
                and one.data is not None
                and one is not variable
            ):
                return number, one
        return None


def _axes_of(
    dataset: Dataset,
    variable: Variable,
    shape: tuple[int, ...],
    requested: Sequence[str],
    *,
    is_text: bool,
) -> tuple[int | None, int | None]:
    """Return the vertical and the horizontal axis to begin with; None for those that are not."""
    if not shape:
        return None, None
    if is_text:
        return (None, 0) if len(shape) == 1 else (len(shape) - 2, len(shape) - 1)
    names = [base_name(d) for d in variable.dimensions]
    return picture_axes(dataset, variable, requested if all(w in names for w in requested) else ())


def _chunk_cost(data: ChunkSource) -> int:
    """Return the bytes of a decoded chunk, of which the smallest cost as much as larger ones."""
    each = data.type.size if isinstance(data.type, Atomic) and data.type.size else _ITEM
    return max(_CHUNK_COST, math.prod(data.grid.chunks) * each)


def _check_drawn(variable: Variable) -> None:
    if not is_drawn(variable):
        raise RequestError("its values are not numbers")


def _is_single(variable: Variable) -> bool:
    """Return whether values have the precision of float: seven digits."""
    return variable.type is Atomic.FLOAT and not packing_of(variable).is_packed


def _type_name(variable: Variable) -> str:
    nc_type = variable.type
    return nc_type.word if isinstance(nc_type, Atomic) else printable(base_name(nc_type.name))


def _colors(name: str) -> list[list[int]]:
    return [list(color) for color in palette(name)]


def _text_of_value(variable: Variable, values: Values) -> str:
    """Return one value as text, exactly, with the name that a flag gives it."""
    if not is_drawn(variable):
        return _shortened(format_value(_items(values)[0], variable.type, Precision()), _MOST_CELL)
    number = float(known_values(values, variable).reshape(-1)[0])
    if math.isnan(number):
        return "missing"
    packing = packing_of(variable)
    raw = _items(values)[0]
    name = name_of_value(flags_of(variable), number)
    if isinstance(variable.type, Enumeration):
        return f"{name} ({raw})" if name else str(raw)
    is_changed = packing.is_packed or packing.unsigned is not None
    text = f"{number:.15g}" if is_changed else format_value(raw, variable.type, Precision())
    return f"{name} ({text})" if name else text


def _items(values: Values) -> list[Any]:
    """Return the elements of an array in row-major order, each as `ncz.model.types.Value`."""
    import numpy as np

    items: list[Any] = values.reshape(-1).tolist()
    if values.dtype.kind == "S":
        return [each.decode("latin-1") for each in np.asarray(values).reshape(-1).tolist()]
    return items


def _attribute_rows(attributes: Sequence[Any]) -> list[tuple[str, str]]:
    return [(printable(a.name), _shortened(format_attribute(a), _MOST_TEXT)) for a in attributes]


def _shortened(text: str, most: int) -> str:
    return printable(text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)")


_MOST_UNEVEN = 4
"""How many times as large as the smallest step of a scale the largest one can be."""


def _is_nearly_even(steps: NDArray[np.float64]) -> bool:
    if not steps.size:
        return True
    lengths = abs(steps)
    is_monotone = bool((steps > 0).all() or (steps < 0).all())
    return is_monotone and float(lengths.max()) <= _MOST_UNEVEN * float(lengths.min())


def _number(value: float) -> float | str | None:
    """Return a value as JSON has it: None is missing, and infinite ones are text."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _too_large(what: str, need: int, limit: int, stride: int | None = None) -> Answer:
    return {
        "text": too_large(what, need, limit),
        "need": need,
        "size": format_size(need),
        "stride": stride,
    }
