"""The state of a source, which lets a client detect that a file has changed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ncz.commands.sources import Source
from ncz.errors import NczError
from ncz.model.tree import Dataset
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap


def state_of(source: Source, dataset: Dataset) -> str | None:
    """Return a text that changes if the files of a source do; None if they are not all known.

    It is the state of a local file or folder, unless its values are in others.
    """
    if not isinstance(source, Location) or source.kind == "remote":
        return None
    if dataset.provenance.aggregation is not None or dataset.provenance.protocol is not None:
        return None
    try:
        if dataset.provenance.zarr_format is not None and _refers_to_files(source):
            return None
        count, newest, size = 0, 0, 0
        for status in _files(source.path):
            count, size = count + 1, size + status.st_size
            newest = max(newest, status.st_mtime_ns)
    except (OSError, NczError):
        return None
    return f"{count} {newest} {size}" if count else None


def _refers_to_files(location: Location) -> bool:
    """Return whether chunks of a store are in files outside it."""
    with contextlib.closing(open_zmap(location)) as zmap:
        return next(zmap.sources(), None) is not None


def _files(path: str) -> Iterator[os.stat_result]:
    """Yield the status of a file, or of each file and folder below a folder."""
    yield os.stat(path)
    for folder, folders, files in os.walk(path):
        yield from (os.stat(os.path.join(folder, name)) for name in (*folders, *files))
