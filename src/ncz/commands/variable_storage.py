"""The storage of a variable: its form, and the number and size of its chunks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.commands.description import VariableInfo
from ncz.model.data import PartitionedSource
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Index
from ncz.model.tree import Variable
from ncz.model.type_sizes import fixed_size
from ncz.record import replace
from ncz.views.stored_form import stored_form

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


_REQUEST = 1 << 16
"""Memory, in bytes, that the request for one size is counted with."""


def describe(fqn: str, variable: Variable, shape: tuple[int, ...]) -> VariableInfo:
    """Return the form of a variable, without looking at its chunks."""
    data, form = variable.data, stored_form(variable)
    size = fixed_size(variable.type)
    return VariableInfo(
        path=fqn,
        type=str(getattr(variable.type, "word", None) or getattr(variable.type, "name", "")),
        dtype=str(data.stored_dtype) if isinstance(data, EncodedSource) else None,
        dimensions=variable.dimensions,
        shape=shape,
        chunks=form.chunks,
        shards=form.shards,
        codecs=form.codecs,
        unpacked=size * math.prod(shape) if size else None,
    )


def with_census(info: VariableInfo, variable: Variable, pool: ThreadPool) -> VariableInfo:
    """Add the number of stored chunks and their sizes; of shards only their indexes are read."""
    data = variable.data
    if isinstance(data, PartitionedSource):
        return replace(
            info,
            chunks_present=sum(1 for _ in data.defined_partitions()),
            chunks_expected=data.partition_grid.size,
        )
    if not isinstance(data, EncodedSource):
        return info

    def measure(index: Index) -> tuple[int, int]:
        size = data.stored_size(index)
        return (0, 0) if size is None else (size, data.count_parts(index))

    stored = present = 0
    for size, count in pool.each(measure, data.present(), _REQUEST):
        stored += size
        present += count
    return replace(info, stored=stored, chunks_present=present, chunks_expected=data.grid.size)
