"""The values of a variable as a stream, whether or not there are any: what texts are made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.model.data import SLAB, fill_array, read_box, read_slabs
from ncz.model.grid import ChunkGrid, slabs, whole
from ncz.model.tree import Variable
from ncz.model.types import Atomic, Value

if TYPE_CHECKING:
    from ncz.model.data import Values


def fill_of(variable: Variable) -> Value:
    """The value that a text shows as missing (``_`` in CDL); None if there is none.

    That of the attribute ``_FillValue``, if it has one value of the variable's type; else the
    type's default, which byte and ubyte have not.
    """
    attribute = variable.attribute("_FillValue")
    if attribute is not None and attribute.type == variable.type and len(attribute.values) == 1:
        return attribute.values[0]
    if isinstance(variable.type, Atomic) and variable.type not in (Atomic.BYTE, Atomic.UBYTE):
        return variable.type.default_fill
    return None


def read_variable(variable: Variable, shape: tuple[int, ...]) -> Iterator[Values]:
    """The values over `shape`, in row-major order, a slab at a time; nothing if it is empty.

    `shape` is the current one: another variable may have made a shared unlimited dimension longer
    than this one was written. What was never written is fill.
    """
    fill = variable.storage.fill
    if variable.data is None:
        if fill is None:
            declared = variable.attribute("_FillValue")
            fill = fill_of(variable) if declared is not None else _default(variable)
        for box in slabs(ChunkGrid(shape, tuple(max(1, n) for n in shape)), SLAB):
            yield fill_array(box.shape, variable.type, fill)
        return
    grid = variable.data.grid
    if grid.shape == shape:
        for _, values in read_slabs(variable.data):
            yield values
        return
    stored = whole(grid.shape)
    for box in slabs(ChunkGrid(shape, grid.chunks), SLAB):
        values = fill_array(box.shape, variable.type, variable.data.fill)
        common = box.intersect(stored)
        if common is not None:
            values[common.relative_to(box.start).slices] = read_box(variable.data, common)
        yield values


def _default(variable: Variable) -> Value:
    return variable.type.default_fill if isinstance(variable.type, Atomic) else None
