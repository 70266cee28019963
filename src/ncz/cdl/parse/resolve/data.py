"""The data of variables: index each list, and set the lengths of unlimited dimensions.

All data lists are indexed before any chunk source is made, as several variables may extend the same
unlimited dimension.
"""

from __future__ import annotations

import math

from ncz.cdl.parse.constants.values import default_fill
from ncz.cdl.parse.data.array import CdlArray
from ncz.cdl.parse.data.block_index import ListShape
from ncz.cdl.parse.data.index_data import index_data
from ncz.cdl.parse.resolve.scopes import OpenVariable
from ncz.model.grid import ChunkGrid
from ncz.model.sources.flat import row_chunks
from ncz.model.tree import Storage
from ncz.model.types import Atomic, Value
from ncz.text.source import SourceText


def index_variable(source: SourceText, variable: OpenVariable) -> None:
    """Index the data list of a variable, and extend its unlimited dimensions to fit.

    Raises
    ------
    CdlError
        The list is not well formed, is empty, or has too many values.
    """
    if variable.assignment is None:
        return
    at = variable.assignment.variable.at
    levels = variable.levels
    list_shape = _list_shape(variable)
    index = index_data(source, variable.assignment.data, list_shape)
    for level, longest in zip(levels, index.longest, strict=True):
        if not level or not level[0].unlimited:
            continue
        row = math.prod(d.size for d in level[1:])
        if longest and not row:
            raise source.error(at, f"too many values: a dimension of {variable.fqn} has length 0")
        level[0].size = max(level[0].size, -(-longest // row) if row else 0)
    if list_shape.limit and not index.longest[0] and not list_shape.text:
        raise source.error(
            at,
            f"the data list of {variable.fqn} is empty",
            "write values, or remove the statement to fill the variable",
        )
    variable.index = list_shape, index


def make_array(
    source: SourceText, variable: OpenVariable, storage: Storage, jobs: int
) -> CdlArray | None:
    """Return the chunk source of an indexed variable; None if it has no data list."""
    if variable.index is None:
        return None
    list_shape, index = variable.index
    shape = tuple(d.size for d in variable.dimensions)
    sizes = [math.prod(d.size for d in level) for level in variable.levels]
    bases = []
    for number, within in enumerate(index.firsts):
        base = 0
        for column, size in zip(index.paths, sizes[1:], strict=True):
            base = (base + column[number]) * size
        bases.append(base + within)
    return CdlArray(
        source=source,
        blocks=index,
        list_shape=list_shape,
        grid=ChunkGrid(shape, storage.chunks or row_chunks(shape)),
        type=variable.type,
        fill=storage.fill,
        mark=fill_value(variable),
        bases=bases,
        jobs=jobs,
    )


def fill_value(variable: OpenVariable) -> Value:
    """Return the fill value of a variable: its ``_FillValue``, or the default of its type."""
    declared = "_FillValue" in variable.attributes
    return variable.fill if declared else default_fill(variable.type)


def _list_shape(variable: OpenVariable) -> ListShape:
    dimensions, levels = variable.dimensions, variable.levels
    is_text = variable.type is Atomic.CHAR
    has_fixed_rows = is_text and len(dimensions) > 1 and not dimensions[-1].unlimited
    first = levels[0]
    grows = bool(first) and first[0].unlimited
    return ListShape(
        levels=len(levels),
        limit=None if grows else math.prod(d.size for d in first),
        what=variable.fqn,
        text=is_text,
        width=dimensions[-1].size if has_fixed_rows else 0,
    )
