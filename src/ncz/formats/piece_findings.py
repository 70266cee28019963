"""Findings in the files that a master of any form refers to."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import NczError, Progress
from ncz.formats.changed_sources import changed_sources
from ncz.formats.digest_findings import check_digests
from ncz.formats.findings import CheckRequest, Finding, finding
from ncz.formats.kinds import OpenedDataset
from ncz.model.data import PartitionedSource
from ncz.model.grid import Index
from ncz.model.tree import variables_by_fqn
from ncz.zmap.key import join_key


def check_pieces(
    opened: OpenedDataset, request: CheckRequest, progress: Progress
) -> Iterator[Finding]:
    """Yield the findings in the pieces of a master; none if the dataset is not a master.

    With `request.data`, each piece is read, and kept digests are compared with the values.
    """
    if opened.dataset.provenance.aggregation is None:
        return
    yield from changed_sources(opened.sources())
    if request.data:
        divided = {
            fqn: variable
            for fqn, variable in variables_by_fqn(opened.dataset.root)
            if isinstance(variable.data, PartitionedSource)
        }
        for fqn, variable in divided.items():
            assert isinstance(variable.data, PartitionedSource)
            yield from _unreadable(fqn, variable.data, progress)
        yield from check_digests({fqn[1:]: variable for fqn, variable in divided.items()})


def _unreadable(fqn: str, source: PartitionedSource, progress: Progress) -> Iterator[Finding]:
    """Yield a finding for each unreadable piece of a variable that was not reported before."""
    for number in source.defined_partitions():
        file = source.source(number)
        if file is not None and file.state in ("changed", "missing"):
            continue
        try:
            _read(source, number)
        except NczError as error:
            key = join_key(fqn, ".".join(map(str, number)))
            yield finding("piece-unreadable", key, error.message, error.hint)
        progress.advance(fqn, 1, 0)


def _read(source: PartitionedSource, number: Index) -> None:
    """Read all values of a partition, some at a time."""
    for index in source.grid.indices(source.partition_grid.box(number)):
        source.values_of([index])
