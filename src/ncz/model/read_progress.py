"""Data that reports which part of it was read."""

from __future__ import annotations

import math
from collections.abc import Callable

from ncz.errors import Progress
from ncz.model.data import ChunkSource, Values
from ncz.model.grid import Box
from ncz.model.mapped_source import MappedSource
from ncz.model.tree import Dataset, Variable, each_variable, variables_by_fqn
from ncz.record import replace


def with_progress(dataset: Dataset, progress: Progress) -> Dataset:
    """Return a dataset that reports its values to `progress`, which expects all of them.

    This is for data that is read once and not stored in chunks, such as data of CDL text.
    """
    sources = [v.data for _, v in variables_by_fqn(dataset.root) if v.data is not None]
    progress.expect(sum(math.prod(source.grid.shape) for source in sources), "values")
    return with_reports(dataset, progress.advance)


def with_reports(dataset: Dataset, report: Callable[[str, int, int], object]) -> Dataset:
    """Return a dataset that reports the values it reads: their variable, number and bytes."""

    def variable(fqn: str, one: Variable) -> Variable:
        if one.data is None:
            return one
        source = watched_source(one.data, lambda count, size: report(fqn, count, size))
        return replace(one, data=source)

    return each_variable(dataset, variable)


def watched_source(source: ChunkSource, report: Callable[[int, int], object]) -> MappedSource:
    """Return a source that reports the values, and their bytes, of each chunk that is read."""

    def change(values: Values, _: Box) -> Values:
        report(values.size, values.nbytes)
        return values

    return MappedSource(source, change)
