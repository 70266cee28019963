"""A description of a dataset as a page: attributes, small pictures, and maps of chunks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.commands.description import DatasetInfo, Statistics, VariableInfo
from ncz.errors import NczError, OnError
from ncz.model.axes import is_latitude
from ncz.model.data import ChunkSource, read_all
from ncz.model.encoded import EncodedSource
from ncz.model.grid import Index
from ncz.model.packing import packing_of
from ncz.model.subset import subset_source
from ncz.model.tree import Attribute, Dataset, Group, Variable, base_name, join
from ncz.model.types import Atomic
from ncz.text.format_values import format_attribute
from ncz.text.sizes import format_size
from ncz.views.html import print_page
from ncz.views.page_parts import ChunkCell, ChunkMap, GroupPart, Page, Picture, Rows, VariablePart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ncz.parallel.threads import ThreadPool

# Small pictures of variables: some of the values, from few chunks.

_LINE, _ROWS, _COLUMNS = 480, 120, 240
"""Most values of a line, and most rows and columns of a map."""

_MOST_READ = 64 << 20
"""Bytes of values up to which chunks are read for a picture."""


def picture_of(variable: Variable, group: Group) -> Picture | None:
    """Return a line or a map of the values of a variable of numbers.

    A map is of the last two dimensions, at the first index of the others.

    Parameters
    ----------
    variable
        The variable.
    group
        Its group, whose coordinates say whether rows go from south to north.

    Returns
    -------
    Picture or None
        None for text, for fewer than two values, and if the chunks are too large.

    Raises
    ------
    NczError
        If chunks cannot be read.
    """
    data = variable.data
    if data is None or not (isinstance(variable.type, Atomic) and variable.type.kind in "iuf"):
        return None
    shape = data.grid.shape
    axes = [axis for axis, length in enumerate(shape) if length > 1][-2:]
    if not axes or 0 in shape:
        return None
    most = (_LINE,) if len(axes) == 1 else (_ROWS, _COLUMNS)
    counts = _counts(data, axes, most, variable.type.size)
    if counts is None:
        return None
    ranges = [range(1)] * len(shape)
    for axis, count in zip(axes, counts, strict=True):
        ranges[axis] = range(0, shape[axis], math.ceil(shape[axis] / count))
    values = read_all(subset_source(data, tuple(ranges)))
    values = packing_of(variable).decoded(values.reshape([len(ranges[axis]) for axis in axes]))
    if values.ndim == 2 and _goes_north(variable.dimensions[axes[0]], group):
        values = values[::-1]
    return Picture(values=values, caption=_caption(variable, shape, axes, ranges, values))


def _counts(
    data: ChunkSource, axes: list[int], most: tuple[int, ...], size: int
) -> tuple[int, ...] | None:
    """Return how many indices of each axis to read, so that few chunks are read."""
    grid = data.grid
    chunk = math.prod(grid.box((0,) * len(grid.shape)).shape) * size
    budget = _MOST_READ // max(1, chunk)
    counts = [min(n, grid.shape[axis]) for n, axis in zip(most, axes, strict=True)]
    while budget:
        touched = math.prod(min(n, grid.counts[axis]) for n, axis in zip(counts, axes, strict=True))
        if touched <= budget:
            return tuple(counts)
        longest = max(range(len(axes)), key=lambda i: min(counts[i], grid.counts[axes[i]]))
        counts[longest] = max(1, min(counts[longest], grid.counts[axes[longest]]) // 2)
    return None


def _goes_north(dimension: str, group: Group) -> bool:
    """Return whether the coordinates of a dimension are latitudes that increase."""
    name = base_name(dimension)
    found = next((v for v in group.variables if v.name == name), None)
    if found is None or found.data is None or len(found.data.grid.shape) != 1:
        return False
    if not is_latitude(found):
        return False
    length = found.data.grid.shape[0]
    ends = read_all(subset_source(found.data, (range(0, length, max(1, length - 1)),)))
    return bool(ends[-1] > ends[0])


def _caption(
    variable: Variable,
    shape: tuple[int, ...],
    axes: list[int],
    ranges: list[range],
    values: NDArray[np.float64],
) -> str:
    import numpy as np

    fixed = [
        f"{base_name(name)} = 0"
        for axis, name in enumerate(variable.dimensions)
        if axis not in axes and shape[axis] > 1
    ]
    steps = [
        f"every {ranges[axis].step} along {base_name(variable.dimensions[axis])}"
        for axis in axes
        if ranges[axis].step > 1
    ]
    known = values[np.isfinite(values)]
    ends = f"{known.min():.6g} to {known.max():.6g}" if known.size else "all missing"
    return "; ".join([ends, *fixed, *steps])


# Which chunks of a variable are stored, and their sizes, in as many cells as can be seen.

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


def page_of(dataset: Dataset, info: DatasetInfo, pool: ThreadPool, on_error: OnError) -> str:
    """Return the page of an open dataset.

    Parameters
    ----------
    info
        The description of the dataset, with statistics if the page is to have them. Variables that
        it lacks are left out.
    pool
        The threads that ask for the sizes of chunks.
    on_error
        Called if the data of a variable cannot be read. If it returns, the variable has no picture.
    """
    known = {variable.path: variable for variable in info.variables}
    making = _Making(known, pool, on_error)
    page = Page(
        title=info.name, facts=tuple(_facts(info)), root=making.group(dataset.root, "", info.name)
    )
    return "".join(print_page(page))


class _Making:
    """Turns groups and variables into parts of a page."""

    def __init__(
        self, known: Mapping[str, VariableInfo], pool: ThreadPool, on_error: OnError
    ) -> None:
        self._known = known
        self._pool = pool
        self._on_error = on_error

    def group(self, group: Group, fqn: str, name: str) -> GroupPart:
        """Return a group with all that is in it."""
        described = [
            self._variable(variable, self._known[join(fqn, variable.name)], group)
            for variable in group.variables
            if join(fqn, variable.name) in self._known
        ]
        return GroupPart(
            name=name,
            dimensions=tuple(
                (d.name, f"{d.size}{' (unlimited)' if d.unlimited else ''}")
                for d in group.dimensions
            ),
            attributes=_attributes(group.attributes),
            variables=tuple(described),
            groups=tuple(self.group(g, join(fqn, g.name), g.name) for g in group.groups),
        )

    def _variable(self, variable: Variable, info: VariableInfo, group: Group) -> VariablePart:
        picture: Picture | None = None
        chunks: ChunkMap | None = None
        try:
            chunks = chunk_map(variable, self._pool)
            picture = picture_of(variable, group)
        except NczError as error:
            self._on_error(error)
        found = info.statistics
        dimensions = ", ".join(
            f"{base_name(name)}={length}"
            for name, length in zip(info.dimensions, info.shape, strict=True)
        )
        has_range = found is not None and found.minimum is not None
        return VariablePart(
            name=variable.name,
            heading=f"{info.type} ({dimensions})",
            facts=tuple(storage_rows(info)),
            attributes=_attributes(variable.attributes),
            statistics=() if found is None else tuple(statistics_rows(found)),
            histogram=() if found is None else found.histogram,
            range=(_number(found.minimum), _number(found.maximum))
            if found is not None and has_range
            else ("", ""),
            picture=picture,
            chunks=chunks,
        )


def _facts(info: DatasetInfo) -> Iterator[tuple[str, str]]:
    yield "Format", info.format
    if info.writer:
        yield "Written by", info.writer
    unpacked = sum(v.unpacked or 0 for v in info.variables)
    stored = [v.stored for v in info.variables if v.stored is not None]
    yield "Variables", str(len(info.variables))
    yield "Unpacked", format_size(unpacked)
    if stored:
        yield "Stored", format_size(sum(stored))
    if info.consolidated:
        yield "Consolidated metadata", "yes, with annotations" if info.annotated else "yes"


def storage_rows(info: VariableInfo) -> Iterator[tuple[str, str]]:
    """Yield how a variable is stored, in words."""
    if info.dtype:
        yield "Data type", info.dtype
    if info.chunks:
        yield "Chunks", "x".join(map(str, info.chunks))
    if info.shards:
        yield "Shards", "x".join(map(str, info.shards))
    if info.codecs:
        yield "Codecs", " ".join(info.codecs)
    if info.unpacked is not None:
        yield "Unpacked", format_size(info.unpacked)
    if info.stored is not None:
        ratio = "" if info.ratio is None else f" (ratio {info.ratio:.3g})"
        yield "Stored", format_size(info.stored) + ratio
    if info.chunks_present is not None:
        yield "Chunks stored", f"{info.chunks_present} of {info.chunks_expected}"


def statistics_rows(found: Statistics) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of statistics."""
    yield "Values", str(found.count)
    yield "Missing", str(found.missing)
    if found.infinite:
        yield "Infinite", str(found.infinite)
    for name, number in (
        ("Minimum", found.minimum),
        ("Maximum", found.maximum),
        ("Mean", found.mean),
        ("Standard deviation", found.std),
    ):
        if number is not None:
            yield name, _number(number)


def _number(number: float | None) -> str:
    return "" if number is None else f"{number:.6g}"


def _attributes(attributes: tuple[Attribute, ...]) -> Rows:
    return tuple((attribute.name, format_attribute(attribute)) for attribute in attributes)
