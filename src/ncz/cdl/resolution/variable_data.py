"""The data of variables: index each list, and set the lengths of unlimited dimensions.

All data lists are indexed before any chunk source is made, as several variables may extend the
same unlimited dimension.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.cdl.data_list.array import CdlArray
from ncz.cdl.data_list.block_index import ListShape
from ncz.cdl.data_list.block_parser import Dates
from ncz.cdl.data_list.index import index_data
from ncz.cdl.item_values import default_fill
from ncz.model.flat_blocks import row_chunks
from ncz.model.grid import ChunkGrid
from ncz.model.tree import Group, Storage, Variable
from ncz.model.types import Atomic, Value
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from ncz.cdl.resolution.scopes import OpenGroup, OpenVariable
    from ncz.text.times import Times


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
    source: SourceText, variable: OpenVariable, storage: Storage, jobs: int, dates: Dates
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
        dates=dates,
    )


def times_of(scope: OpenGroup, name: str) -> Times | None:
    """Return a converter for the dates of a variable; None if its units are not units of time."""
    from ncz.text.time_variables import find_times

    variables = tuple(
        Variable(name=v.name, type=v.type, attributes=tuple(v.attributes.values()))
        for v in scope.variables.values()
    )
    return find_times(Group(variables=variables), " ").get(name)


def fill_value(variable: OpenVariable) -> Value:
    """Return the fill value of a variable: its ``_FillValue``, or the default of its type."""
    declared = "_FillValue" in variable.attributes
    return variable.fill if declared else default_fill(variable.type)


def _list_shape(variable: OpenVariable) -> ListShape:
    dimensions, levels = variable.dimensions, variable.levels
    is_text = variable.type is Atomic.CHAR
    has_fixed_rows = is_text and bool(dimensions) and not dimensions[-1].unlimited
    row = dimensions[-1].size if len(dimensions) > 1 else 1
    first = levels[0]
    grows = bool(first) and first[0].unlimited
    return ListShape(
        levels=len(levels),
        limit=None if grows else math.prod(d.size for d in first),
        what=variable.fqn,
        text=is_text,
        width=row if has_fixed_rows else 0,
    )
