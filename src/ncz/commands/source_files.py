"""The files to which a dataset refers: targets of references, virtual chunks, pieces of masters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from ncz.errors import NczError
from ncz.model.data import PartitionedSource
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.zmap.location import Location
from ncz.zmap.source_file import SourceFile


def source_files(location: Location, dataset: Dataset) -> Iterator[SourceFile]:
    """Yield what is known of each file to which the dataset at a location refers.

    No chunk is read.
    """
    from ncz.zmap.opening import open_zmap
    from ncz.zmap.reference.targets import Targets

    pieces = [
        variable.data
        for _, variable in variables_by_fqn(dataset.root)
        if isinstance(variable.data, PartitionedSource)
    ]
    if not pieces and dataset.provenance.zarr_format is not None:
        with closing(open_zmap(location)) as zmap:
            yield from zmap.sources()
    urls: dict[str, None] = {}
    refused: dict[str, None] = {}
    for source in pieces:
        for index in source.defined():
            try:
                urls.update(dict.fromkeys(source.places(index)))
            except NczError as error:
                refused.setdefault(str(error))
    with closing(Targets(location, location.address, "aggregation")) as targets:
        yield from targets.states(urls)
    for reason in refused:
        yield SourceFile(url="", state="not permitted", reason=reason)
