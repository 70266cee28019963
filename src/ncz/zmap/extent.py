"""The objects of a store: documents, the chunks of arrays, and ncz's leftovers.

``ncz rm`` removes, and ``--overwrite`` replaces, only locations that contain nothing else: a Zarr
store in a directory, in a zip file or on a server, a reference set, and a netCDF file.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator

from ncz.record import record
from ncz.zmap.key import (
    MARK,
    ROOT_DOCUMENTS,
    ZARR_JSON,
    ancestors,
    display,
    is_chunk_name,
    is_chunk_path,
)
from ncz.zmap.kinds import Kind

_DOCUMENT = re.compile(r"\.z(?:group|array|attrs|metadata)|\.ncz[\w.-]*|zarr\.json")
_RECORDS = re.compile(r"refs\.\d+\.parq(?:uet)?")
_OF_SYSTEMS = (".DS_Store", "Thumbs.db", "desktop.ini")
"""Files that programs which show folders put into each of them."""

Entry = tuple[str, int, float | None]
"""A key, the size of its object in bytes, and when it changed."""


@record
class Fault:
    """The reason that something is not a store that can be removed or replaced, and a hint.

    Nothing is lost if what `is_empty` is replaced.
    """

    reason: str
    hint: str | None = None
    is_empty: bool = False


@record(kw_only=True)
class Extent:
    """The size of a store.

    Attributes
    ----------
    objects, size
        The number of its objects, and their size in bytes.
    modified
        When the last of them changed, in seconds since 1970; None if a server does not say.
    roots
        The names of the documents of its root.
    stranger
        The first key that is not part of a store, or None.
    """

    objects: int
    size: int
    modified: float | None
    roots: frozenset[str]
    stranger: str | None

    @property
    def fault(self) -> Fault | None:
        """The reason that the objects are not a store, or None."""
        if self.stranger is not None:
            reason = f"it holds {display(self.stranger)}, which is not part of a store"
            return Fault(reason, "move that file away")
        if not self.objects:
            return Fault("it is empty", is_empty=True)
        if self.roots.isdisjoint((*ROOT_DOCUMENTS, MARK)):
            return Fault("it has no document of a store")
        return None


def measure(entries: Iterable[Entry], *, has_records: bool = False) -> Extent:
    """Measure the objects of a possible store, up to one that is not part of a store.

    Parameters
    ----------
    entries
        The objects.
    has_records
        Whether the files of a reference set in the Parquet layout belong to it.
    """
    count = size = 0
    newest: float | None = 0.0
    arrays: set[str] = set()
    roots: set[str] = set()
    folders: dict[str, str] = {}
    stranger = None
    for key, length, modified in entries:
        folder, _, name = key.rpartition("/")
        if name in _OF_SYSTEMS:
            continue
        count += 1
        size += length
        newest = None if modified is None or newest is None else max(newest, modified)
        if _DOCUMENT.fullmatch(name):
            if name in (".zarray", ZARR_JSON):
                arrays.add(folder)
            if not folder:
                roots.add(name)
        elif _is_part_of_chunk(name):
            folders.setdefault(folder, key)
        elif name and not (has_records and _RECORDS.fullmatch(name)):
            stranger = key
            break
    if stranger is None:
        # The document of an array may be missing from a store that is not complete.
        lost = (key for folder, key in folders.items() if not _is_chunk(key, folder, arrays))
        stranger = None if MARK in roots else next(lost, None)
    return Extent(
        objects=count, size=size, modified=newest, roots=frozenset(roots), stranger=stranger
    )


def _is_chunk(key: str, folder: str, arrays: set[str]) -> bool:
    """Return whether an object in a folder is a chunk of one of the arrays."""
    owner = next((each for each in (folder, *ancestors(folder), "") if each in arrays), None)
    inner = key if not owner else key[len(owner) + 1 :]
    return owner is not None and is_chunk_path(inner)


def _is_part_of_chunk(name: str) -> bool:
    return name == "c" or is_chunk_name(name)


def extent_of_folder(path: str, kind: Kind | None) -> Extent:
    """Measure a local folder of a kind, which `ncz.zmap.kinds.recognise_kind` returns."""
    return measure(_files(path), has_records=kind == "reference")


def _files(path: str) -> Iterator[Entry]:
    """Yield the files below a folder; a link with any name counts as a chunk."""

    def refuse(error: OSError) -> None:
        raise error

    for folder, folders, names in os.walk(path, onerror=refuse):
        inside = os.path.relpath(folder, path).replace(os.sep, "/")
        prefix = "" if inside == "." else f"{inside}/"
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in (*names, *links):
            status = os.lstat(os.path.join(folder, name))
            key = prefix if stat.S_ISLNK(status.st_mode) else f"{prefix}{name}"
            yield key, status.st_size, status.st_mtime
