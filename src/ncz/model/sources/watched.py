"""Data that reports which part of it was read."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ncz.model.data import ChunkSource
from ncz.model.grid import Box
from ncz.model.progress import Progress
from ncz.model.sources.mapped import MappedSource
from ncz.model.tree import Dataset, Group, Variable, join, variables_by_fqn
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.model.data import Values


def watched(dataset: Dataset, progress: Progress) -> Dataset:
    """Return a dataset whose values are reported when they are read, and expect all of them.

    This is for data that is read once and not stored in chunks, such as that of a text.
    """
    sources = [v.data for _, v in variables_by_fqn(dataset.root) if v.data is not None]
    progress.expect(sum(math.prod(source.grid.shape) for source in sources), "values")
    return reported(dataset, progress.moved)


def reported(dataset: Dataset, report: Callable[[str, int, int], object]) -> Dataset:
    """Return a dataset that reports the values it reads: their variable, number and bytes."""

    def group(one: Group, path: str) -> Group:
        return replace(
            one,
            variables=tuple(variable(v, join(path, v.name)) for v in one.variables),
            groups=tuple(group(inner, join(path, inner.name)) for inner in one.groups),
        )

    def variable(one: Variable, fqn: str) -> Variable:
        if one.data is None:
            return one
        source = watched_source(one.data, lambda count, size: report(fqn, count, size))
        return replace(one, data=source)

    return replace(dataset, root=group(dataset.root, ""))


def watched_source(source: ChunkSource, report: Callable[[int, int], object]) -> MappedSource:
    """Return a source that reports the values, and their bytes, of each chunk that is read."""

    def change(values: Values, _: Box) -> Values:
        report(values.size, values.nbytes)
        return values

    return MappedSource(source, change)
