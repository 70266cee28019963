"""The files that a dataset refers to: targets of references, virtual chunks, pieces of masters."""

from __future__ import annotations

from ncz.formats.opening import open_dataset
from ncz.zmap.location import Location
from ncz.zmap.source_file import SourceFile


def source_files(location: Location) -> tuple[SourceFile, ...]:
    """Return the state of each file that the dataset at a location refers to.

    No chunk is read.
    """
    with open_dataset(location) as opened:
        return tuple(opened.sources())
