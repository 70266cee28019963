"""Print the values of a dataset as CSV: a row for each point, unpacked, with times as dates.

The columns are the coordinates of the dimensions, or indices along those without a coordinate, and
the variables. Missing values are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from operator import add
from typing import TYPE_CHECKING, Any

from ncz.errors import Callbacks, NczError, list_names
from ncz.late import numpy as np
from ncz.model.data import SLAB, Values, read_all, read_box
from ncz.model.grid import Box, ChunkGrid, slabs
from ncz.model.packing import packing_of
from ncz.model.slabs import MAX_SLAB_BYTES, slabs_of
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, parent, variables_by_fqn, walk
from ncz.model.types import Atomic
from ncz.record import record

if TYPE_CHECKING:
    from ncz.text.times import Times

_MOST = SLAB // 16
"""Rows that are written at a time; their values are formatted one by one."""

_CLOCK = ("00", "00", "00")
"""The hours, minutes and seconds of a date without any."""


@record(kw_only=True)
class _Column:
    """A variable of the table, and the axes of the table that it has.

    Without `width`, each value is in a cell; with it, this number of characters along the last
    dimension.
    """

    name: str
    variable: Variable
    axes: tuple[int, ...]
    times: Times | None
    width: int | None


def print_csv(
    dataset: Dataset,
    write: Callable[[bytes], object],
    *,
    has_variable: Callable[[str], bool],
    callbacks: Callbacks,
) -> None:
    """Write a table with a line of titles.

    Parameters
    ----------
    dataset
        The dataset.
    write
        Receives the lines.
    has_variable
        Returns whether the table has a variable, by its FQN.
    callbacks
        Receives the number of values that were printed.

    Raises
    ------
    NczError
        If variables have dimensions that do not fit into one table, or values cannot be read.
    """
    lengths = dimensions_by_fqn(dataset.root)
    chosen = {
        fqn: variable
        for fqn, variable in variables_by_fqn(dataset.root)
        if has_variable(fqn) and variable.dimensions != (fqn,)
    }
    if not chosen:  # coordinates alone
        chosen = {
            fqn: variable for fqn, variable in variables_by_fqn(dataset.root) if has_variable(fqn)
        }
    known = dict(variables_by_fqn(dataset.root))
    widths = {name: lengths[name].size for name in _text_dimensions(chosen, known)}
    dimensions = _dimensions(chosen, widths)
    shape = tuple(lengths[name].size for name in dimensions)
    times = _times(dataset)

    def column(fqn: str, variable: Variable) -> _Column:
        axes = tuple(map(dimensions.index, _points(variable, widths)))
        found = times[parent(fqn)].get(variable.name)
        width = widths.get(variable.dimensions[-1]) if variable.dimensions else None
        name = fqn.lstrip("/")
        return _Column(name=name, variable=variable, axes=axes, times=found, width=width)

    axes = [
        column(name, known[name])
        if name in known and _is_atomic(known[name]) and _points(known[name], widths) == (name,)
        else None
        for name in dimensions
    ]
    columns = [column(fqn, variable) for fqn, variable in chosen.items() if fqn not in dimensions]
    write(_line([*(name.lstrip("/") for name in dimensions), *(c.name for c in columns)]))
    coordinates = [
        [str(index) for index in range(size)] if axis is None else _texts(axis, _whole(axis, size))
        for axis, size in zip(axes, shape, strict=True)
    ]
    for slab in _slabs(columns, shape):
        read = [_read(column, slab) for column in columns]
        for box in slabs(_one_chunk(slab.shape), _MOST):
            starts = map(add, slab.start, box.start)
            parts = [
                texts[start : start + length]
                for texts, start, length in zip(coordinates, starts, box.shape, strict=True)
            ]
            points = map(",".join, product(*parts))
            values = [_block(column, each, box) for column, each in zip(columns, read, strict=True)]
            rows = zip(points, *values, strict=True) if parts else zip(*values, strict=True)
            write(("\n".join(map(",".join, rows)) + "\n").encode("utf-8", "surrogateescape"))
            callbacks.progress.advance("", len(values) * box.size, 0)


def _slabs(columns: Sequence[_Column], shape: tuple[int, ...]) -> Iterator[Box]:
    """Return the parts of the table that are read at a time, each chunk once if memory allows."""
    largest = next((c for c in columns if len(c.axes) == len(shape)), None)
    if largest is None or largest.width == 0:
        return slabs(_one_chunk(shape), _MOST)
    most = MAX_SLAB_BYTES // len(columns)
    if largest.width is None:
        return slabs_of(largest.variable, shape, most, _MOST)
    width = largest.width  # a slab has whole texts
    found = slabs_of(largest.variable, (*shape, width), most, max(_MOST, width))
    return (Box(box.start[:-1], box.stop[:-1]) for box in found)


def _one_chunk(shape: tuple[int, ...]) -> ChunkGrid:
    return ChunkGrid(shape, tuple(max(1, length) for length in shape))


def _is_atomic(variable: Variable) -> bool:
    return isinstance(variable.type, Atomic)


def _text_dimensions(chosen: Mapping[str, Variable], known: Mapping[str, Variable]) -> set[str]:
    """Return the dimensions of characters: the last ones of texts, which nothing else has."""
    texts = [v for v in chosen.values() if v.type is Atomic.CHAR and v.dimensions]
    others = {d for v in chosen.values() if v.type is not Atomic.CHAR for d in v.dimensions}
    others |= {d for v in texts for d in v.dimensions[:-1]}
    return {v.dimensions[-1] for v in texts} - others - known.keys()


def _points(variable: Variable, widths: Collection[str]) -> tuple[str, ...]:
    """Return the dimensions of a variable without the characters of texts."""
    dimensions = variable.dimensions
    return dimensions[:-1] if dimensions and dimensions[-1] in widths else dimensions


def _dimensions(chosen: Mapping[str, Variable], widths: Collection[str]) -> tuple[str, ...]:
    """Return the dimensions of the table: the variable's that has all of the others."""
    for fqn, variable in chosen.items():
        if not _is_atomic(variable):
            raise NczError(
                "values of this type cannot be in a table", fqn, "leave it out, with --exclude"
            )
    points = {fqn: _points(variable, widths) for fqn, variable in chosen.items()}
    dimensions = max(points.values(), key=len, default=())
    others = [fqn for fqn, names in points.items() if not set(names) <= set(dimensions)]
    others += [fqn for fqn, names in points.items() if len(set(names)) < len(names)]
    if others:
        rest = [fqn.lstrip("/") for fqn in chosen if fqn not in others]
        raise NczError(
            f"{list_names(others)} cannot be in one table with {list_names(rest) or 'others'}, as"
            " their dimensions differ",
            hint=f"choose variables that fit: -v {','.join(rest[:5]) or 'VAR'}",
        )
    return dimensions


def _times(dataset: Dataset) -> dict[str, dict[str, Times]]:
    """Return the times of variables by the path of their group and their name."""
    from ncz.text.time_variables import find_times

    return {fqn: find_times(group, " ") for fqn, group in walk(dataset.root)}


def _whole(column: _Column, size: int) -> Values | None:
    data = column.variable.data
    return None if data is None else _cells(column, read_all(data)[:size])


def _read(column: _Column, slab: Box) -> Values | None:
    """Return the values of a variable in a part of the table; None if it has no data."""
    data = column.variable.data
    if data is None:
        return None
    part = _along(column, slab)
    if column.width is not None:
        part = Box((*part.start, 0), (*part.stop, column.width))
    return _cells(column, read_box(data, part))


def _along(column: _Column, box: Box) -> Box:
    """Return a box of the table without the axes that a variable does not have."""
    return Box(
        tuple(box.start[axis] for axis in column.axes),
        tuple(box.stop[axis] for axis in column.axes),
    )


def _block(column: _Column, read: Values | None, box: Box) -> list[str]:
    """Return the texts of a variable for each point of a box of the values that were read."""
    shape = box.shape
    if read is None:
        return [""] * box.size
    inside: tuple[Any, ...] = (*_along(column, box).slices, ...)  # an array also of a scalar
    values = read[inside]
    if column.axes == tuple(range(len(shape))):
        return _texts(column, values.reshape(-1))
    indices: Any = np.arange(values.size).reshape(values.shape)
    order = sorted(range(len(column.axes)), key=lambda i: column.axes[i])
    indices = indices.transpose(order)
    wide = [shape[axis] if axis in column.axes else 1 for axis in range(len(shape))]
    places = np.broadcast_to(indices.reshape(wide), shape).reshape(-1)
    texts = _texts(column, values.reshape(-1))
    return [texts[place] for place in places.tolist()]


def _cells(column: _Column, values: Values) -> Values:
    """Return the values of cells: characters along the last dimension are one text."""
    if column.width is None:
        return values
    if not column.width:
        return np.zeros(values.shape[:-1], "S1")
    return np.ascontiguousarray(values).view(f"S{column.width}")[..., 0]


def _texts(column: _Column, values: Values | None) -> list[str]:
    """Return values as texts: numbers unpacked, times as dates, missing ones empty."""
    if values is None:
        return []
    if not column.variable.has_numbers:
        return [_quote(_text(value)) for value in values.tolist()]
    packing = packing_of(column.variable)
    missing = packing.is_missing(values)
    unpacked = packing.unpack(values)
    if unpacked.dtype.kind == "f":
        missing = missing | np.isnan(unpacked)
    if column.times is not None:
        texts = [_date(column.times, number) for number in unpacked.tolist()]
    else:
        texts = unpacked.astype("U").tolist()  # the fewest digits that identify the number
    for place in np.flatnonzero(missing).tolist():
        texts[place] = ""
    return texts


def _text(value: str | bytes | None) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value or ""


def _date(times: Times, number: float) -> str:
    """Return a date with hours, minutes and seconds, as all dates of a column have one form."""
    date = times.format(number)
    if date is None:
        return str(number)
    day, _, clock = date.partition(" ")
    parts = clock.split(":") if clock else []
    return f"{day} {':'.join([*parts, *_CLOCK[len(parts) :]])}"


def _line(cells: Sequence[str]) -> bytes:
    return (",".join(map(_quote, cells)) + "\n").encode("utf-8", "surrogateescape")


def _quote(cell: str) -> str:
    """Return a cell of CSV, as in RFC 4180."""
    if any(c in cell for c in ',"\r\n'):
        return '"' + cell.replace('"', '""') + '"'
    return cell
