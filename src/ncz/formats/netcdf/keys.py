"""A netCDF file as keys, for listing: groups, variables, and the chunks that are stored.

A chunk has the key that it has in Zarr V2, such as ``group/variable/0.1``. Its object is the chunk
as it is in the file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.errors import ZmapError
from ncz.formats.kinds import KeyKind
from ncz.formats.netcdf.hdf5.values import Hdf5Values
from ncz.formats.netcdf.opening import open_netcdf
from ncz.model.chunk.encoded import SizedChunks
from ncz.model.grid import Index
from ncz.model.tree import Dataset, variables_by_fqn, walk
from ncz.zmap.key import clamp, join_key
from ncz.zmap.limits import LARGEST_DOCUMENT, too_large
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.model.data import Values


@contextlib.contextmanager
def open_keys(location: Location) -> Iterator[NetcdfKeys]:
    """Open the file at a location; see `ncz.formats.opening.open_keys`."""
    with open_netcdf(location, lambda _: None) as opened:
        yield NetcdfKeys(location.address, opened.dataset)


class NetcdfKeys:
    """The keys of a dataset; see `ncz.formats.kinds.DescribedZmap`."""

    def __init__(self, url: str, dataset: Dataset) -> None:
        self.url = url
        self._groups = {join_key(fqn) for fqn, _ in walk(dataset.root)}
        self._variables = {
            join_key(fqn): _stored(variable.data)
            for fqn, variable in variables_by_fqn(dataset.root)
        }

    def kind(self, key: str) -> KeyKind:
        """Return what a key is."""
        if key in self._variables:
            return "array"
        return "group" if key in self._groups else "chunk"

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Return a chunk as it is stored; see `Zmap.get`."""
        found = self._chunk(key)
        if found is None:
            return None
        size = found[0].stored_size(found[1])
        if size is not None and size > limit:
            raise too_large(f"{self.url}: /{key}", limit)
        return found[0].encoded(found[1])

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Return a part of a chunk; see `Zmap.get_range`."""
        data = self.get(key)
        if data is None:
            return None
        first, count = clamp(len(data), start, count)
        return data[first : first + count]

    def size(self, key: str) -> int | None:
        """Return the size of a chunk as it is stored; None if no chunk has this key."""
        found = self._chunk(key)
        return None if found is None else found[0].stored_size(found[1])

    def search(self, prefix: str) -> list[str]:
        """List the names directly below a prefix; see `Zmap.search`."""
        if prefix in self._variables:
            return self._chunk_names(prefix)
        start = f"{prefix}/" if prefix else ""
        known = (*self._groups, *self._variables)
        names = {key[len(start) :].partition("/")[0] for key in known if key.startswith(start)}
        return sorted(names - {""})

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys of all chunks at or below a prefix; see `Zmap.walk`."""
        if self._chunk(prefix) is not None:
            yield prefix
        for name in self.search(prefix):
            key = join_key(prefix, name)
            if self.kind(key) == "chunk":
                yield key
            else:
                yield from self.walk(key)

    def decoded(self, key: str) -> Values:
        """Return the values of a chunk."""
        found = self._chunk(key)
        elements = None if found is None else found[0].elements(found[1])
        if found is None or elements is None:
            raise ZmapError("no chunk has this key", f"{self.url}: /{key}")
        return found[0].values(elements, found[1])

    def close(self) -> None:
        """Do nothing: `open_keys` closes the file."""

    def _chunk_names(self, variable: str) -> list[str]:
        source = self._variables[variable]
        if source is None:
            return []
        return [".".join(map(str, index)) or "0" for index in sorted(source.present())]

    def _chunk(self, key: str) -> tuple[SizedChunks, Index] | None:
        """Return the array and the index of a chunk, or None if no chunk has this key."""
        variable, _, name = key.rpartition("/")
        source = self._variables.get(variable)
        parts = name.split(".")
        if source is None or not all(part.isdecimal() for part in parts):
            return None
        counts = source.layout.grid.counts
        index = tuple(map(int, parts)) if counts else ()
        is_inside = len(index) == len(counts) and all(
            i < n for i, n in zip(index, counts, strict=True)
        )
        if not is_inside or source.stored_size(index) is None:
            return None
        return source, index


def _stored(data: object) -> SizedChunks | None:
    """Return the stored chunks of a variable; for strings, those of their references."""
    source = data.references if isinstance(data, Hdf5Values) else data
    return source if isinstance(source, SizedChunks) else None
