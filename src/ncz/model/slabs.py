"""The values of a variable as a stream, whether or not there are any: what texts are made from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.model.data import SLAB, dtype_of, fill_array, read_box
from ncz.model.grid import Box, ChunkGrid, slabs, whole
from ncz.model.tree import Variable
from ncz.model.types import Atomic, Value

if TYPE_CHECKING:
    from ncz.model.data import Values

HELD = 64 << 20
"""Bytes of values that are read at once, at most, so that a chunk is decoded once."""

_OBJECT = 64
"""Bytes that a string, or a value of a user-defined type, counts for."""


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
    """The values over `shape`, in row-major order, as flat pieces; nothing if it is empty.

    `shape` is the current one: another variable may have made a shared unlimited dimension longer
    than this one was written. What was never written is fill. A piece is a part of one row (a run
    along the last dimension) or some whole rows.
    """
    for box in slabs_of(variable, shape):
        yield from read_pieces(variable, shape, box)


def slabs_of(variable: Variable, shape: tuple[int, ...], held: int = HELD) -> Iterator[Box]:
    """The slabs in which a variable is best read, by someone who can hold `held` bytes.

    So thick, if they can be, that no chunk is needed for two of them.
    """
    data = variable.data
    chunks = tuple(max(1, n) for n in shape) if data is None else data.grid.chunks
    item = dtype_of(variable.type).itemsize
    most = held // (_OBJECT if dtype_of(variable.type).kind == "O" else item)
    thick = 1 if data is None else _elements_of_chunk_row(shape, chunks)
    return slabs(ChunkGrid(shape, chunks), max(SLAB, min(thick, most)))


def read_pieces(variable: Variable, shape: tuple[int, ...], box: Box) -> Iterator[Values]:
    """The values of one slab, as flat pieces of at most `SLAB` elements or one row."""
    if variable.data is None:
        values = fill_array(box.shape, variable.type, _fill_of_unwritten(variable))
    elif variable.data.grid.shape == shape:
        values = read_box(variable.data, box)
    else:
        values = fill_array(box.shape, variable.type, variable.data.fill)
        common = box.intersect(whole(variable.data.grid.shape))
        if common is not None:
            values[common.relative_to(box.start).slices] = read_box(variable.data, common)
    flat = values.reshape(-1)
    columns = box.shape[-1] if box.shape else 1
    step = max(columns, SLAB - SLAB % columns)
    for start in range(0, flat.size, step):
        yield flat[start : start + step]


def _elements_of_chunk_row(shape: tuple[int, ...], chunks: tuple[int, ...]) -> int:
    """Elements of the thinnest slab of which no chunk reaches beyond its ends."""
    axis = next((a for a, n in enumerate(chunks) if n > 1), len(shape) - 1)
    return math.prod(shape[axis + 1 :]) * chunks[axis] if shape else 1


def _fill_of_unwritten(variable: Variable) -> Value:
    if variable.storage.fill is not None:
        return variable.storage.fill
    declared = variable.attribute("_FillValue")
    return fill_of(variable) if declared is not None else _default(variable)


def _default(variable: Variable) -> Value:
    return variable.type.default_fill if isinstance(variable.type, Atomic) else None
