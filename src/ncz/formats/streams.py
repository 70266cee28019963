"""Datasets in streams, such as standard input: the bytes of a file, or a text."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, BinaryIO

from ncz.errors import Callbacks, Notify
from ncz.formats.kinds import OpenedDataset, OpenOptions
from ncz.formats.opening import open_copy, open_dataset
from ncz.zmap.location import Location

_INPUT = "standard input"


def open_place(
    source: Location | BinaryIO, options: OpenOptions, notify: Notify
) -> AbstractContextManager[OpenedDataset]:
    """Open the dataset at a location, or in a stream."""
    if isinstance(source, Location):
        return open_dataset(source, options, notify=notify)
    return open_stream(source, options, notify)


@contextlib.contextmanager
def open_stream(stream: BinaryIO, options: OpenOptions, notify: Notify) -> Iterator[OpenedDataset]:
    """Open the dataset in a stream, from its position, until the context ends.

    The bytes of a file, such as one of netCDF or a zip file, are read from a temporary copy; other
    bytes are a text of CDL or JSON.

    Raises
    ------
    NczError
        If it contains no dataset, or the disk is too full for the copy.
    """
    from ncz.formats.source_text import read_text, text_of
    from ncz.zmap.kinds import LOOKED_AT
    from ncz.zmap.local.temporary_copy import temporary_copy

    place = Location(None, title_of(stream))
    name = "stdin" if place.path == _INPUT else place.path
    with contextlib.ExitStack() as stack:
        path = None
        if not _can_seek(stream):
            path = stack.enter_context(temporary_copy(_pieces(stream), name, place.display))
            stream = stack.enter_context(open(path, "rb"))
        at = stream.tell()
        is_file = _is_file(stream.read(LOOKED_AT))
        stream.seek(at)
        if is_file:
            if path is None:
                path = stack.enter_context(temporary_copy(_pieces(stream), name, place.display))
            copy = Location(None, path)
            yield stack.enter_context(open_copy(copy, place, options, notify=notify))
            return
        text, label = stack.enter_context(text_of(stream))
        dataset = read_text(text, label, Callbacks(notify, options.progress))
        kind = dataset.provenance.asked_kind or dataset.provenance.netcdf_kind
        yield OpenedDataset(dataset=dataset, location=place, netcdf_kind=kind, survives_fork=True)


def title_of(stream: Any) -> str:
    """Return the name of a stream, or of bytes, in messages."""
    if stream is getattr(sys.stdin, "buffer", None):
        return _INPUT
    name = getattr(stream, "name", None)
    return os.path.basename(name) if name and isinstance(name, str) else "bytes"


def _can_seek(stream: BinaryIO) -> bool:
    try:
        return stream.seekable()
    except AttributeError:  # an object that only reads
        return False


def _is_file(start: bytes) -> bool:
    """Return whether bytes begin a file of a known format rather than a text."""
    from ncz.zmap.foreign import foreign
    from ncz.zmap.kinds import is_zip, looks_like_set

    is_known = foreign(start) is not None or is_zip(start) or looks_like_set(start)
    return is_known and not start.startswith(b"netcdf ")


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    from ncz.zmap.local.temporary_copy import PIECE

    return iter(lambda: stream.read(PIECE), b"")
