"""A dataset as keys, for listing: groups, variables, and the chunks or pieces that are stored.

A chunk has the key that it has in Zarr V2, such as ``group/variable/0.1``. Its object is the
encoded chunk in the file. The pieces of an aggregation have similar keys; their objects are the
values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ncz.errors import ZmapError
from ncz.formats.key_roles import KeyRoles, Kind
from ncz.formats.kinds import DescribedZmap, KeyKind
from ncz.model.data import ListedChunks, PartitionedSource, Values, dtype_of, read_box
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Index
from ncz.model.tree import Dataset, variables_by_fqn, walk
from ncz.zmap.key import LARGEST_DOCUMENT, ChunkKeys, clamp, join_key, too_large
from ncz.zmap.source_file import SourceFile

_KEYS = ChunkKeys()


class DatasetKeys(DescribedZmap):
    """The keys of a dataset."""

    def __init__(self, url: str, dataset: Dataset) -> None:
        self.url = url
        self.is_aggregation = dataset.provenance.aggregation is not None
        self._groups = {join_key(fqn) for fqn, _ in walk(dataset.root)}
        self._variables = {
            join_key(fqn): _listed_data(variable.data)
            for fqn, variable in variables_by_fqn(dataset.root)
        }

    def kind(self, key: str) -> KeyKind:
        """Return the kind of a key."""
        if key in self._variables:
            return "array"
        if key in self._groups:
            return "group"
        found = self._chunk(key)
        return "chunk" if found is None else found[0].kind

    def places(self, key: str) -> Sequence[str]:
        """Return the place of a piece; see `DescribedZmap.places`."""
        found = self._chunk(key)
        return () if found is None else found[0].places(found[1])

    def source(self, key: str) -> SourceFile | None:
        """Return the state of the file of a piece; see `Zmap.source`."""
        found = self._chunk(key)
        return None if found is None else found[0].source(found[1])

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Return a chunk as stored; see `Zmap.get`."""
        found = self._chunk(key)
        if found is None:
            return None
        size = found[0].stored_size(found[1])
        if size is not None and size > limit:
            raise too_large(f"{self.url}: /{key}", limit)
        return found[0].encoded_chunk(found[1])

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Return a part of a chunk; see `Zmap.get_range`."""
        data = self.get(key)
        if data is None:
            return None
        first, count = clamp(len(data), start, count)
        return data[first : first + count]

    def size(self, key: str) -> int | None:
        """Return the size of a chunk as stored; None if no chunk has this key."""
        found = self._chunk(key)
        return None if found is None else found[0].stored_size(found[1])

    def search(self, prefix: str) -> list[str]:
        """List the names directly below a prefix; see `Zmap.search`."""
        if prefix in self._variables:
            source = self._variables[prefix]
            present = () if source is None else sorted(source.present())
            return [_KEYS.key("", index) for index in present]
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
            if self.kind(key) in ("group", "array"):
                yield from self.walk(key)
            else:
                yield key

    def decode(self, key: str) -> Values:
        """Return the values of a chunk."""
        found = self._chunk(key)
        values = None if found is None else found[0].decode(found[1])
        if values is None:
            raise ZmapError("no chunk has this key", f"{self.url}: /{key}")
        return values

    def close(self) -> None:
        """Do nothing: `open_keys` closes the file."""

    def _chunk(self, key: str) -> tuple[_ListedData, Index] | None:
        """Return the array and the index of a chunk, or None if no chunk has this key."""
        variable, _, name = key.rpartition("/")
        source = self._variables.get(variable)
        index = None if source is None else _KEYS.index(name, len(source.counts))
        if source is None or index is None:
            return None
        is_inside = all(i < n for i, n in zip(index, source.counts, strict=True))
        if not is_inside or source.stored_size(index) is None:
            return None
        return source, index


class DescribedRoles(KeyRoles):
    """The kinds of keys that a dataset has which is not a store."""

    def __init__(self, zmap: DescribedZmap) -> None:
        self._zmap = zmap

    def kind(self, key: str, *, is_object: bool) -> Kind:
        """Return the kind of an object, or of a prefix of objects."""
        return self._zmap.kind(key)

    def decode(self, key: str) -> Values:
        """Return the values of a chunk."""
        return self._zmap.decode(key)

    def places(self, key: str) -> Sequence[str]:
        """Return the paths or URLs of a piece of an aggregation, in the order of preference."""
        return self._zmap.places(key)


class _Chunks:
    """The chunks of an array in a file."""

    kind: KeyKind = "chunk"

    def __init__(self, source: EncodedSource) -> None:
        self._source = source
        self.counts = source.layout.grid.counts
        self.present = source.present
        self.stored_size = source.stored_size
        self.encoded_chunk = source.encoded_chunk

    def decode(self, index: Index) -> Values | None:
        elements = self._source.chunk_elements(index)
        return None if elements is None else self._source.values(elements, index)

    def places(self, _: Index) -> Sequence[str]:
        return ()

    def source(self, _: Index) -> SourceFile | None:
        return None


class _Pieces:
    """The pieces of an aggregated variable."""

    kind: KeyKind = "piece"

    def __init__(self, source: PartitionedSource) -> None:
        self._source = source
        self.counts = source.partition_grid.counts
        self.places = source.places
        self.source = source.source

    @cached_property
    def _defined_pieces(self) -> frozenset[Index]:
        return frozenset(self._source.defined_partitions())

    def present(self) -> Iterable[Index]:
        return self._defined_pieces

    def stored_size(self, index: Index) -> int | None:
        shape = self._source.partition_grid.box(index).shape
        size = dtype_of(self._source.type).itemsize
        return math.prod(shape) * size if index in self._defined_pieces else None

    def encoded_chunk(self, index: Index) -> bytes | None:
        return self.decode(index).tobytes()

    def decode(self, index: Index) -> Values:
        return read_box(self._source, self._source.partition_grid.box(index))


_ListedData = _Chunks | _Pieces
"""The chunks or the pieces of one variable."""


def _listed_data(data: object) -> _ListedData | None:
    """Return the chunks or pieces of a variable; for strings, the chunks of their references."""
    if isinstance(data, PartitionedSource):
        return _Pieces(data)
    source = data.stored_chunks if isinstance(data, ListedChunks) else data
    return _Chunks(source) if isinstance(source, EncodedSource) else None
