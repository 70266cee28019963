"""Read a variable as a stream of slabs; few chunks may exist, or the variable may lack data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.model.data import SLAB, dtype_of, fill_array, read_present
from ncz.model.grid import Box, ChunkGrid, Grid, slabs, whole
from ncz.model.sparse_source import sparse
from ncz.model.tree import Variable
from ncz.model.types import Atomic, Value
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.model.data import Values


MAX_SLAB_BYTES = 64 << 20
"""Largest size of a slab that is enlarged so that each chunk is decoded only once."""

_OBJECT_BYTES = 64
"""Estimated size of a string or a value of a user-defined type."""


def fill_of(variable: Variable) -> Value:
    """Return the value that is printed as missing (``_`` in CDL); None if none exists.

    It is the attribute ``_FillValue``, if this is one value of the variable's type; otherwise the
    default of the type, except for byte and ubyte.
    """
    if variable.mask is not None:
        return variable.mask
    if isinstance(variable.type, Atomic) and variable.type not in (Atomic.BYTE, Atomic.UBYTE):
        return variable.type.default_fill
    return None


def read_variable(variable: Variable, shape: tuple[int, ...]) -> Iterator[Values]:
    """Read the values of a variable in row-major order; elements without data are fill.

    Parameters
    ----------
    shape
        The current shape, which may be larger than the data: another variable may have extended a
        shared unlimited dimension.

    Yields
    ------
    ndarray
        One-dimensional: part of one row (a run along the last dimension), or several whole rows.
    """
    variable = sparsely(variable)
    for box in slabs_of(variable, shape):
        yield from read_pieces(variable, shape, box)


def sparsely(variable: Variable) -> Variable:
    """Return a variable for one pass over its values, where missing chunks take no time."""
    if variable.data is None:
        return variable
    data = sparse(variable.data.with_zeros_missing())
    return variable if data is variable.data else replace(variable, data=data)


def slabs_of(
    variable: Variable,
    shape: tuple[int, ...],
    max_bytes: int = MAX_SLAB_BYTES,
    least: int | None = None,
) -> Iterator[Box]:
    """Yield the slabs for reading a variable.

    They are so thick that each chunk belongs to one slab, unless this takes more than `max_bytes`.
    They have up to `least` elements, by default `SLAB`, however small the chunks are.
    """
    grid = grid_of(variable, shape)
    item = dtype_of(variable.type).itemsize
    most = max_bytes // (_OBJECT_BYTES if dtype_of(variable.type).kind == "O" else item)
    thick = 1 if variable.data is None else _elements_of_chunk_row(shape, grid.chunks)
    return slabs(grid, max(SLAB if least is None else least, min(thick, most)))


def grid_of(variable: Variable, shape: tuple[int, ...]) -> Grid:
    """Return the chunks over `shape`, which may be longer than the variable's data."""
    if variable.data is None:
        return ChunkGrid(shape, tuple(max(1, n) for n in shape))
    grid = variable.data.grid
    return grid if grid.shape == shape else ChunkGrid(shape, grid.chunks)


def read_slab(variable: Variable, shape: tuple[int, ...], box: Box) -> Values:
    """Read one box of a variable of that shape; elements without data are fill."""
    values = _present_slab(variable, shape, box)
    return (
        fill_array(box.shape, variable.type, _missing_value(variable)) if values is None else values
    )


def _present_slab(variable: Variable, shape: tuple[int, ...], box: Box) -> Values | None:
    """Read one box of a variable; None if none of its chunks exists."""
    if variable.data is None:
        return None
    if variable.data.grid.shape == shape:
        return read_present(variable.data, box)
    common = box.intersect(whole(variable.data.grid.shape))
    present = None if common is None else read_present(variable.data, common)
    if common is None or present is None:
        return None
    values = fill_array(box.shape, variable.type, variable.data.fill)
    values[common.relative_to(box.start).slices] = present
    return values


def _missing_value(variable: Variable) -> Value:
    """Return the value of the elements that are not stored."""
    return unwritten_fill(variable) if variable.data is None else variable.data.fill


def read_pieces(variable: Variable, shape: tuple[int, ...], box: Box) -> Iterator[Values]:
    """Read one slab; yield flat arrays of at most `SLAB` elements: whole rows or a part of one.

    Where no chunk exists, an array is one element that is repeated: all its strides are 0.
    """
    present = _present_slab(variable, shape, box)
    if present is None:
        fill = fill_array((), variable.type, _missing_value(variable))
        for size in piece_sizes(box):
            yield np.broadcast_to(fill, (size,))
        return
    flat = present.reshape(-1)
    start = 0
    for size in piece_sizes(box):
        yield flat[start : start + size]
        start += size


def distinct(values: Values) -> Values:
    """Return values without the repetitions of one element that `read_pieces` yields."""
    is_repeated = values.size > 1 and not any(values.strides)
    return values[(slice(0, 1),) * values.ndim] if is_repeated else values


def piece_sizes(box: Box) -> Iterator[int]:
    """Yield the number of elements of each array that `read_pieces` yields for a slab."""
    columns = box.shape[-1] if box.shape else 1
    if columns > SLAB:
        for _ in range(box.size // columns):
            yield from (min(SLAB, columns - start) for start in range(0, columns, SLAB))
        return
    step = SLAB - SLAB % columns
    for start in range(0, box.size, step):
        yield min(step, box.size - start)


def _elements_of_chunk_row(shape: tuple[int, ...], chunks: tuple[int, ...]) -> int:
    """Return the number of elements of the thinnest slab that consists of whole chunks."""
    axis = next((a for a, n in enumerate(chunks) if n > 1), len(shape) - 1)
    return math.prod(shape[axis + 1 :]) * chunks[axis] if shape else 1


def unwritten_fill(variable: Variable) -> Value:
    """Return the value of the elements of a variable without data, as ncdump shows them."""
    if variable.storage.fill is not None:
        return variable.storage.fill
    declared = variable.attribute("_FillValue")
    return fill_of(variable) if declared is not None else _default(variable)


def _default(variable: Variable) -> Value:
    return variable.type.default_fill if isinstance(variable.type, Atomic) else None
