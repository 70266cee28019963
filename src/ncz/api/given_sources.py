"""Datasets in the memory of a program: objects of other libraries, and the bytes of files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from ncz.errors import Notify
from ncz.formats.kinds import GivenDataset, OpenedDataset, OpenOptions
from ncz.formats.opening import given_dataset, open_copy
from ncz.formats.streams import title_of
from ncz.record import record
from ncz.zmap.foreign import foreign
from ncz.zmap.kinds import is_zip
from ncz.zmap.local.temporary_copy import PIECE, temporary_copy
from ncz.zmap.location import Location


@record
class ObjectSource:
    """An object of another library, such as `xarray.Dataset`."""

    given: GivenDataset

    @property
    def location(self) -> Location:
        """A location with the name of the object, which nothing can be opened at."""
        return Location("memory", self.given.name)

    @property
    def locations(self) -> tuple[Location, ...]:
        """The locations of the sources of values."""
        return self.given.locations

    @contextlib.contextmanager
    def open(self, _: OpenOptions, notify: Notify) -> Iterator[OpenedDataset]:
        """Open the object until the context ends."""
        with self.given.open(None, notify) as dataset:
            kind = dataset.provenance.netcdf_kind
            yield OpenedDataset(
                dataset=dataset, location=self.location, netcdf_kind=kind, survives_fork=False
            )


@record
class BytesSource:
    """The bytes of a file, or an open file, which are copied to a temporary file."""

    content: Any

    @property
    def location(self) -> Location:
        """A location with a name of the bytes, which nothing can be opened at."""
        return Location("memory", title_of(self.content))

    @property
    def locations(self) -> tuple[Location, ...]:
        """No locations: values are read from the copy."""
        return ()

    @contextlib.contextmanager
    def open(self, options: OpenOptions, notify: Notify) -> Iterator[OpenedDataset]:
        """Open the copy until the context ends. Raises `ZmapError` if the disk is full."""
        place = self.location
        with (
            temporary_copy(self._pieces(), place.path, place.display) as path,
            open_copy(Location(None, path), place, options, notify=notify) as opened,
        ):
            yield opened

    def _pieces(self) -> Iterator[Any]:
        if not hasattr(self.content, "read"):
            yield self.content
            return
        while piece := self.content.read(PIECE):
            yield piece.encode() if isinstance(piece, str) else piece


def held_source(value: Any) -> ObjectSource | BytesSource | None:
    """Return the source for an object; None for a path, and for an object that names one."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        start = bytes(value[:512])
        is_path = isinstance(value, bytes) and not (foreign(start) or is_zip(start))
        return None if is_path else BytesSource(value)
    if isinstance(value, (str, os.PathLike, Location)):
        return None
    if isinstance(value, GivenDataset):
        return ObjectSource(value)
    from ncz.zmap.foreign_stores import url_of_store

    if url_of_store(value) is not None:
        return None
    if hasattr(value, "getbuffer"):  # an io.BytesIO, which can be read again
        return BytesSource(bytes(value.getbuffer()))
    if hasattr(value, "read"):
        return BytesSource(value)
    given = given_dataset(value)
    return None if given is None else ObjectSource(given)
