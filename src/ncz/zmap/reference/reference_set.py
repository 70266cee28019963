"""References of a set by key, and sets that keep all keys in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Protocol

from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.key import SortedKeys
from ncz.zmap.reference.seals import Seal

Reference = bytes | ByteRange
"""The bytes of an object, or their place."""

Entry = Reference | ByteRanges
"""The reference of an object, or of many objects whose keys differ in numbers only."""


def single_references(entries: Mapping[str, Entry]) -> Iterator[tuple[str, Reference]]:
    """Yield each key with its reference."""
    for key, entry in entries.items():
        if not isinstance(entry, ByteRanges):
            yield key, entry
            continue
        places = map(ByteRange, repeat(entry.url), entry.offsets.tolist(), entry.lengths.tolist())
        yield from zip(entry.keys(entry.indices), places, strict=True)


class ReferenceSet(Protocol):
    """The keys of a reference set, and their references.

    `numbers_chunks` is true if the set has numbers of chunks and makes their keys. `seals`
    are the states of targets when the set was written, by their URLs in the set. `version` is the
    version of JSON, and `record_size` the number of rows of a Parquet file. `fingerprint` is
    another text if the set was written again.
    """

    numbers_chunks: bool
    fingerprint: str
    seals: Mapping[str, Seal]
    version: int
    record_size: int

    def find(self, key: str) -> Reference | None:
        """Return the reference of a key; None if the set does not have the key."""
        ...

    def urls(self) -> Iterator[str]:
        """Iterate over the URLs of the targets, each once."""
        ...

    def search(self, prefix: str) -> list[str]:
        """List the names directly below a prefix; see `Zmap.search`."""
        ...

    def walk(self, prefix: str) -> Iterator[str]:
        """Iterate over the keys at or below a prefix; see `Zmap.walk`."""
        ...

    def close(self) -> None:
        """Release the files of the set itself."""
        ...


class KeyedSet:
    """A reference set in a dictionary."""

    numbers_chunks = False
    record_size = 10_000

    def __init__(
        self,
        references: Mapping[str, Reference],
        seals: Mapping[str, Seal] | None = None,
        version: int = 1,
        fingerprint: str = "",
    ) -> None:
        self.fingerprint = fingerprint
        self.seals: Mapping[str, Seal] = seals or {}
        self.version = version
        self._references = references
        self._sorted: SortedKeys | None = None

    def find(self, key: str) -> Reference | None:
        """Return the reference of a key; see `ReferenceSet.find`."""
        return self._references.get(key)

    def urls(self) -> Iterator[str]:
        """Iterate over the URLs of the targets; see `ReferenceSet.urls`."""
        found = (each.url for each in self._references.values() if isinstance(each, ByteRange))
        return iter(dict.fromkeys(found))

    def search(self, prefix: str) -> list[str]:
        """List the names directly below a prefix; see `Zmap.search`."""
        return self._keys().search(prefix)

    def walk(self, prefix: str) -> Iterator[str]:
        """Iterate over the keys at or below a prefix; see `Zmap.walk`."""
        return self._keys().walk(prefix)

    def close(self) -> None:
        """Do nothing: the set is in memory."""

    def _keys(self) -> SortedKeys:
        if self._sorted is None:
            self._sorted = SortedKeys(self._references)
        return self._sorted
