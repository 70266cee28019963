"""Remove stores: find out whether something looks like one, and delete it so that no part stays.

Only what ncz can read is removed: a Zarr store in a directory, in a zip file or on a server, a
reference set, and a netCDF file. A directory must hold nothing that is not part of a store. Links
are removed, and what they lead to stays.

A directory gets another name before anything in it is deleted, and a store on a server its mark of
unfinished stores, so that nothing opens what is left if the process is killed. The same call
removes the rest.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator

from ncz.errors import StoreMissing, ZmapError, storage_errors
from ncz.record import record, replace
from ncz.zmap.key import (
    LARGEST_SET,
    MARK,
    ROOT_DOCUMENTS,
    ZARR_JSON,
    ancestors,
    display,
    is_chunk_name,
)
from ncz.zmap.kinds import (
    LONGEST_SIGNATURE,
    foreign,
    is_json_file,
    is_zip,
    looks_like_set,
    recognised,
)
from ncz.zmap.local.creation import clean_local, outermost, remove_local, why_never_replaced
from ncz.zmap.location import Location, quote
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote.creation import remove_remote
from ncz.zmap.remote.opening import connect_to_write
from ncz.zmap.remote.store import WritableRemoteZmap


@record(kw_only=True)
class Removable:
    """Something that looks like a store.

    Attributes
    ----------
    location
        Where it is.
    kind
        What it is, in words: "store", "zip file", "reference set", "netCDF file" or "rest".
    objects, size
        The number of its objects or files, and their size in bytes.
    modified
        When the last of them changed, in seconds since 1970; None if a server does not tell.
    is_piece
        Whether it is a piece of an aggregation, in the folder of its pieces.
    """

    location: Location
    kind: str
    objects: int
    size: int
    modified: float | None
    is_piece: bool = False


# What belongs to a store: documents, the chunks of arrays, and what ncz leaves in it.

_DOCUMENT = re.compile(r"\.z(?:group|array|attrs|metadata)|\.ncz[\w.-]*|zarr\.json")
_RECORDS = re.compile(r"refs\.\d+\.parq(?:uet)?")

Entry = tuple[str, int, float | None]
"""A key, the size of its object in bytes, and when it changed."""


@record(kw_only=True)
class _Extent:
    objects: int
    size: int
    modified: float | None
    roots: frozenset[str]


def _extent(entries: Iterable[Entry], url: str, *, has_records: bool = False) -> _Extent:
    """Count the objects of a store; raise `ZmapError` at one that is not part of a store."""
    count = size = 0
    newest: float | None = 0.0
    arrays: set[str] = set()
    roots: set[str] = set()
    folders: dict[str, str] = {}
    for key, length, modified in entries:
        count += 1
        size += length
        newest = None if modified is None or newest is None else max(newest, modified)
        folder, _, name = key.rpartition("/")
        if _DOCUMENT.fullmatch(name):
            if name in (".zarray", ZARR_JSON):
                arrays.add(folder)
            if not folder:
                roots.add(name)
        elif _is_part_of_chunk(name):
            folders.setdefault(folder, key)
        elif name and not (has_records and _RECORDS.fullmatch(name)):
            raise _stranger(key, url)
    for folder, key in folders.items():
        above = (folder, *ancestors(folder), "")
        owner = next((each for each in above if each in arrays), None)
        inner = key if not owner else key[len(owner) + 1 :]
        if owner is None or not all(map(_is_part_of_chunk, inner.split("/"))):
            raise _stranger(key, url)
    return _Extent(objects=count, size=size, modified=newest, roots=frozenset(roots))


def _is_part_of_chunk(name: str) -> bool:
    return name == "c" or is_chunk_name(name)


def _stranger(key: str, url: str) -> ZmapError:
    return _refusal(f"it holds {display(key)}, which is not part of a store", url, "move it away")


def _refusal(reason: str, url: str, hint: str | None = None) -> ZmapError:
    return ZmapError(f"will not be removed: {reason}", url, hint)


# What is at a location.


def examine(location: Location) -> Removable:
    """Find out what is at a location, and whether it can be removed.

    Raises
    ------
    StoreMissing
        If nothing is there.
    ZmapError
        If something else than a store is there, or a part of a larger store.
    """
    if location.inside:
        raise _refusal("it is a group in a zip file", location.display)
    if location.kind == "memory":
        raise _refusal("it is in memory", location.display)
    if location.kind == "remote":
        with contextlib.closing(connect_to_write(location)) as zmap:
            return _on_server(location, zmap)
    with storage_errors(location.display, "read"):
        return _on_disk(location)


def _on_disk(location: Location) -> Removable:
    path, url = os.path.abspath(location.path), location.display
    if not os.path.lexists(path):
        rest = clean_local(path, dry_run=True) if os.path.isdir(os.path.dirname(path)) else []
        if not rest:
            raise StoreMissing("no store exists at this path", url, "check the path")
        return Removable(
            location=location,
            kind="rest",
            objects=sum(each.objects for each in rest),
            size=sum(each.size for each in rest),
            modified=max(os.lstat(each.place).st_mtime for each in rest),
        )
    if os.path.islink(path):
        raise _refusal("it is a symbolic link", url, "give the path to which it leads")
    reason = why_never_replaced(path)
    if reason is not None:
        raise _refusal(reason, url)
    status = os.stat(path)
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            first = file.read(LONGEST_SIGNATURE)
        return _file(location, first, status.st_size, status.st_mtime)
    if not stat.S_ISDIR(status.st_mode):
        raise _refusal("it is neither a file nor a directory", url)
    whole = outermost(os.path.realpath(path))
    if whole != os.path.realpath(path):
        raise _part(whole, url)
    kind = recognised(path, None)
    if kind == "icechunk":
        raise _refusal("it is an Icechunk repository", url, "remove it with icechunk")
    return _of_objects(location, _extent(_files(path), url, has_records=kind == "reference"), kind)


def _files(path: str) -> Iterator[Entry]:
    """Yield the files below a folder; a link counts as a chunk, whatever its name."""

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


def _part(whole: str, url: str) -> ZmapError:
    return _refusal(f"it is part of the store {whole}", url, "use 'ncz edit --remove'")


def _of_objects(location: Location, extent: _Extent, kind: str | None = None) -> Removable:
    if not extent.roots.intersection((*ROOT_DOCUMENTS, MARK)):
        what = "it is empty" if not extent.objects else "it has no document of a store"
        raise _refusal(what, location.display)
    is_begun = extent.roots.isdisjoint(ROOT_DOCUMENTS)
    named = "reference set" if kind == "reference" else "rest" if is_begun else "store"
    return Removable(
        location=location,
        kind=named,
        objects=extent.objects,
        size=extent.size,
        modified=extent.modified,
    )


def _file(location: Location, first: bytes, size: int, modified: float | None) -> Removable:
    """Return what a single file is, by its first bytes and, if they do not tell, its keys."""
    url, kind = location.display, ""
    known = foreign(first)
    if known is not None and ("netCDF" in known.title):
        kind = "netCDF file"
    elif is_zip(first) or is_json_file(location.path, first):
        kind = "zip file" if is_zip(first) else "reference set"
        with contextlib.closing(open_zmap(location)) as zmap:
            if not any(zmap.size(key) is not None for key in ROOT_DOCUMENTS):
                raise _refusal(f"the {kind} has no document of a store", url)
            if kind == "zip file":
                _extent(((key, 0, None) for key in zmap.walk()), url)
    if not kind:
        what = f"it is {known.title}" if known is not None else "it is a file of another kind"
        raise _refusal(what, url)
    return Removable(location=location, kind=kind, objects=1, size=size, modified=modified)


def _on_server(location: Location, zmap: WritableRemoteZmap) -> Removable:
    whole = zmap.store_above()
    if whole is not None:
        raise _part(whole, zmap.url)
    found = zmap.file_start(LONGEST_SIGNATURE)
    if found is not None:
        return _file(location, *found, modified=zmap.file_modified())
    if not zmap.holds_something():
        raise StoreMissing("no store exists at this URL", zmap.url, "check the URL")
    has_records = b'"record_size"' in (zmap.get(".zmetadata", LARGEST_SET) or b"")
    extent = _extent(zmap.everything(), zmap.url, has_records=has_records)
    return _of_objects(location, extent, "reference" if has_records else None)


# The stores in a folder, or below a prefix on a server.


def stores_below(location: Location) -> Iterator[Location]:
    """Yield the locations of what may be stores in a folder, but not those within stores.

    Links are not followed. `examine` tells whether a location is that of a store.
    """
    if location.kind == "remote":
        with contextlib.closing(connect_to_write(location)) as zmap:
            for key in _prefixes(zmap, ""):
                path = f"{location.path.rstrip('/')}/{quote(key)}" if key else location.path
                yield replace(location, path=path)
        return
    if not os.path.isdir(location.path):
        yield location
        return
    for folder, folders, names in os.walk(location.path):
        is_set = recognised(folder, None) in ("reference", "icechunk")
        if is_set or not {*ROOT_DOCUMENTS, MARK}.isdisjoint(names):
            folders.clear()
            yield replace(location, path=folder)
            continue
        folders[:] = sorted(each for each in folders if not each.startswith(".ncz-"))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not name.startswith(".ncz-") and not os.path.islink(path) and _may_be_store(path):
                yield replace(location, path=path)


def _may_be_store(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            first = file.read(1 << 20)
    except OSError:
        return False
    known = foreign(first)
    is_named = is_json_file(path, first) and not first.startswith(b"{")
    return bool(
        (known is not None and "netCDF" in known.title)
        or is_zip(first)
        or is_named
        or looks_like_set(first)
    )


_SUFFIXES = (".nc", ".nc3", ".nc4", ".nca", ".cdf", ".h5", ".zip", ".json", ".json.gz", ".json.zst")
"""Names of objects that are looked at; each needs a request."""


def _prefixes(zmap: WritableRemoteZmap, prefix: str) -> Iterator[str]:
    objects, folders = zmap.level(prefix)
    if not {*ROOT_DOCUMENTS, MARK}.isdisjoint(objects):
        yield prefix
        return
    start = f"{prefix}/" if prefix else ""
    for name in sorted(objects):
        if name.lower().endswith(_SUFFIXES):
            yield start + name
    for name in sorted(folders):
        yield from _prefixes(zmap, start + name)


# Removal.


def remove(found: Removable, *, force: bool = False) -> None:
    """Delete a store.

    Parameters
    ----------
    found
        The store, as `examine` returns it.
    force
        Whether to remove what another computer began to write to a server.

    Raises
    ------
    ZmapError
        If another process writes it, or the storage refuses. The same call removes the rest.
    """
    location = found.location
    if location.kind == "remote":
        with contextlib.closing(connect_to_write(location)) as zmap:
            if found.kind in ("store", "rest") or zmap.file_size() is None:
                remove_remote(zmap, force=force)
            else:
                zmap.delete_file()
    elif found.kind == "rest" and not os.path.lexists(location.path):
        clean_local(location.path, dry_run=False)
    else:
        remove_local(location.path)
