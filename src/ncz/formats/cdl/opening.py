"""Open a text as a dataset, whose data are parsed when their chunks are read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager

from ncz.errors import Callbacks
from ncz.formats.kinds import OpenedDataset
from ncz.formats.source_text import mapped_file, read_text
from ncz.zmap.file import open_file
from ncz.zmap.local.temporary_copy import PIECE, temporary_copy
from ncz.zmap.location import Location
from ncz.zmap.range_file import RangeFile


@contextlib.contextmanager
def open_text(location: Location, callbacks: Callbacks) -> Iterator[OpenedDataset]:
    """Open the dataset that a text declares, until the context ends.

    Parameters
    ----------
    location
        A file of CDL or JSON.
    callbacks
        Receives notices, and the bytes of data lists that are searched.

    Yields
    ------
    OpenedDataset
        The dataset.

    Raises
    ------
    CdlError
        If the text is not valid; a constant in the data raises it when its chunk is read.
    ZmapError
        If it cannot be read.
    """
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(contextlib.closing(open_file(location)))
        path = file.path or stack.enter_context(_copy_text(file, location))
        text = stack.enter_context(mapped_file(path, location.display))
        dataset = read_text(text, location.display, callbacks)
        asked = dataset.provenance.asked_kind
        yield OpenedDataset(
            dataset=dataset,
            location=location,
            netcdf_kind=asked or dataset.provenance.netcdf_kind,
            survives_fork=True,
            check_unchanged=file.check_unchanged,
        )


def _copy_text(file: RangeFile, location: Location) -> AbstractContextManager[str]:
    """Copy a text on a server to a temporary file."""
    pieces = (
        file.read(start, min(PIECE, file.size - start)) for start in range(0, file.size, PIECE)
    )
    return temporary_copy(pieces, "text.cdl", location.display)
