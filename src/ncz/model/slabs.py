"""The values of a variable as a stream of slabs, for printing, whether or not it has data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.model.data import SLAB, dtype_of, fill_array, read_box
from ncz.model.grid import Box, ChunkGrid, Grid, slabs, whole
from ncz.model.tree import Variable
from ncz.model.types import Atomic, Value

if TYPE_CHECKING:
    from ncz.model.data import Values

MAX_SLAB_BYTES = 64 << 20
"""Largest size of a slab that is enlarged so that each chunk is decoded only once."""

_OBJECT_BYTES = 64
"""Estimated size of a string or a value of a user-defined type."""


def fill_of(variable: Variable) -> Value:
    """Return the value that is printed as missing (``_`` in CDL); None if there is none.

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
    for box in slabs_of(variable, shape):
        yield from read_pieces(variable, shape, box)


def slabs_of(
    variable: Variable, shape: tuple[int, ...], max_bytes: int = MAX_SLAB_BYTES
) -> Iterator[Box]:
    """Yield the slabs in which a variable is read.

    They are so thick that each chunk belongs to one slab, unless this takes more than `max_bytes`.
    """
    grid = grid_of(variable, shape)
    item = dtype_of(variable.type).itemsize
    most = max_bytes // (_OBJECT_BYTES if dtype_of(variable.type).kind == "O" else item)
    thick = 1 if variable.data is None else _elements_of_chunk_row(shape, grid.chunks)
    return slabs(grid, max(SLAB, min(thick, most)))


def grid_of(variable: Variable, shape: tuple[int, ...]) -> Grid:
    """Return the chunks over `shape`, which may be longer than that of the variable's data."""
    if variable.data is None:
        return ChunkGrid(shape, tuple(max(1, n) for n in shape))
    grid = variable.data.grid
    return grid if grid.shape == shape else ChunkGrid(shape, grid.chunks)


def read_slab(variable: Variable, shape: tuple[int, ...], box: Box) -> Values:
    """Read one box of a variable of that shape; elements without data are fill."""
    if variable.data is None:
        return fill_array(box.shape, variable.type, fill_of_unwritten(variable))
    if variable.data.grid.shape == shape:
        return read_box(variable.data, box)
    values = fill_array(box.shape, variable.type, variable.data.fill)
    common = box.intersect(whole(variable.data.grid.shape))
    if common is not None:
        values[common.relative_to(box.start).slices] = read_box(variable.data, common)
    return values


def read_pieces(variable: Variable, shape: tuple[int, ...], box: Box) -> Iterator[Values]:
    """Read one slab; yield flat arrays of at most `SLAB` elements or one row."""
    flat = read_slab(variable, shape, box).reshape(-1)
    start = 0
    for size in piece_sizes(box):
        yield flat[start : start + size]
        start += size


def piece_sizes(box: Box) -> Iterator[int]:
    """Yield the number of elements of each array that `read_pieces` yields for a slab."""
    columns = box.shape[-1] if box.shape else 1
    step = max(columns, SLAB - SLAB % columns)
    for start in range(0, box.size, step):
        yield min(step, box.size - start)


def _elements_of_chunk_row(shape: tuple[int, ...], chunks: tuple[int, ...]) -> int:
    """Return the number of elements of the thinnest slab that consists of whole chunks."""
    axis = next((a for a, n in enumerate(chunks) if n > 1), len(shape) - 1)
    return math.prod(shape[axis + 1 :]) * chunks[axis] if shape else 1


def fill_of_unwritten(variable: Variable) -> Value:
    """Return the value of the elements of a variable without data, as ncdump shows them."""
    if variable.storage.fill is not None:
        return variable.storage.fill
    declared = variable.attribute("_FillValue")
    return fill_of(variable) if declared is not None else _default(variable)


def _default(variable: Variable) -> Value:
    return variable.type.default_fill if isinstance(variable.type, Atomic) else None
