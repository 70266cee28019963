"""Chunks whose keys do not match the metadata of their array, such as 0/0 instead of 0.0.

Stores get them if somebody adds or removes folders, or writes a document by hand. Readers take such
chunks for missing ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.zmap import Zmap
from ncz.zmap.key import ChunkKeys

if TYPE_CHECKING:
    from ncz.formats.zarr.documents.document import ArrayDocument
    from ncz.model.grid import Index

_SAMPLE = 64
"""Keys below an array that are looked at."""

_ENCODINGS = tuple(ChunkKeys(separator, marked) for marked in (False, True) for separator in "./")


def other_keys(own: ChunkKeys, index: Index) -> Iterator[ChunkKeys]:
    """Yield the encodings that give a chunk another key."""
    name = own.key("", index)
    return (keys for keys in _ENCODINGS if keys.key("", index) != name)


def fitting_keys(name: str, document: ArrayDocument) -> ChunkKeys | None:
    """Return the encoding that makes a name below an array the key of a chunk.

    None if the metadata of the array say the same, or no encoding fits.
    """
    if not (name[-1:].isdigit() or name == "c"):  # such as a document
        return None
    counts = document.layout.grid.counts
    if document.keys.index(name, len(counts)) is not None:
        return None
    for keys in _ENCODINGS:
        index = keys.index(name, len(counts))
        if index is not None and all(i < n for i, n in zip(index, counts, strict=True)):
            return keys
    return None


def find_misplaced_chunk(zmap: Zmap, key: str, document: ArrayDocument) -> str | None:
    """Return the name of a chunk that does not fit the metadata of the array at `key`, or None.

    A few keys are looked at.
    """
    start = len(key) + 1 if key else 0
    for found in itertools.islice(zmap.walk_unsorted(key), _SAMPLE):
        if fitting_keys(found[start:], document) is not None:
            return found[start:]
    return None


def misplaced_text(name: str, document: ArrayDocument) -> str:
    """Return the fault of a chunk as a message."""
    keys = fitting_keys(name, document)
    index = None if keys is None else keys.index(name, len(document.layout.grid.counts))
    expected = document.keys.key("", index or ())
    return f"a chunk has the key {name}, but the metadata ask for {expected}"


REPAIR = {
    2: "correct dimension_separator, which is part of the key",
    3: "correct chunk_key_encoding",
}
"""The repair of misplaced chunks, by the version of Zarr."""
