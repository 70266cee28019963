"""The stored chunks of a variable, and their sizes, in as many cells as can be seen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Index
from ncz.model.tree import Variable
from ncz.views.page_parts import ChunkCell, ChunkMap

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


_MAP_COLUMNS, _CELLS = 32, 256
_REQUEST = 1 << 16
"""Memory, in bytes, that the request for one size is counted with."""


def chunk_map(variable: Variable, pool: ThreadPool) -> ChunkMap | None:
    """Return the map of a variable's chunks; None if its source does not know their sizes.

    A grid of two dimensions that is small keeps its shape. Otherwise chunks follow each other in
    row-major order, several in a cell if there are many. Sizes are found without reading chunks.
    """
    data = variable.data
    if not isinstance(data, EncodedSource) or not data.layout.grid.size:
        return None
    counts = data.layout.grid.counts
    total = math.prod(counts)
    each = math.ceil(total / _CELLS)
    columns = counts[-1] if each == 1 and counts and counts[-1] <= _MAP_COLUMNS else _MAP_COLUMNS
    present = [0] * math.ceil(total / each)
    sizes = [0] * len(present)

    def size_of(index: Index) -> tuple[int, int | None]:
        number = 0
        for place, count in zip(index, counts, strict=True):
            number = number * count + place
        return number, data.stored_size(index)

    for number, size in pool.each(size_of, data.present(), _REQUEST):
        if size is not None:
            present[number // each] += 1
            sizes[number // each] += size
    return ChunkMap(
        columns=min(columns, len(present)),
        cells=tuple(
            ChunkCell(
                first=i * each,
                count=min(each, total - i * each),
                present=present[i],
                size=sizes[i],
            )
            for i in range(len(present))
        ),
    )
