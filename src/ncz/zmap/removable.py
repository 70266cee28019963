"""The contents of a location, and the decision whether they may be removed.

`ncz.zmap.extent` defines the objects of a store.
"""

from __future__ import annotations

import contextlib
import os
import stat

from ncz.errors import StoreMissing, ZmapError
from ncz.record import record, replace
from ncz.system_errors import storage_errors
from ncz.zmap.extent import Extent, extent_of_folder, measure
from ncz.zmap.foreign import LONGEST_SIGNATURE
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.kinds import recognise_kind
from ncz.zmap.local.replaceable import protection_reason, store_around
from ncz.zmap.location import Location
from ncz.zmap.opening import beside, clean
from ncz.zmap.remote.creation import holds_records
from ncz.zmap.remote.opening import connect_to_write, missing_store_error
from ncz.zmap.remote.store import WritableRemoteZmap
from ncz.zmap.single_file import fault_of_file, kind_of_file


@record(kw_only=True)
class Removable:
    """Something that looks like a store.

    Attributes
    ----------
    location
        Where it is.
    kind
        Its kind, in words: "store", "zip file", "reference set", "netCDF file" or "rest".
    objects, size
        The number of its objects or files, and their size in bytes.
    modified
        When the last of them changed, in seconds since 1970; None if a server does not say.
    is_piece
        Whether it is a piece of an aggregation, in the folder of its pieces.
    """

    location: Location
    kind: str
    objects: int
    size: int
    modified: float | None
    is_piece: bool = False


def _refusal(reason: str, url: str, hint: str | None = None) -> ZmapError:
    return ZmapError(f"will not be removed: {reason}", url, hint)


def examine(location: Location) -> Removable:
    """Find the kind of object at a location, and whether it can be removed.

    Raises
    ------
    StoreMissing
        If nothing exists.
    ZmapError
        If the location is not a store, or is a part of a larger store.
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


def _with_beside(found: Removable) -> Removable:
    """Return the objects at a location and the objects stored next to it."""
    other = beside(found.location) if found.kind == "reference set" else None
    if other is None:
        return found
    is_known = found.modified is not None and other.modified is not None
    return replace(
        found,
        objects=found.objects + other.objects,
        size=found.size + other.size,
        modified=max(found.modified or 0, other.modified or 0) if is_known else None,
    )


def _on_disk(location: Location) -> Removable:
    path, url = os.path.abspath(location.path), location.display
    if not os.path.lexists(path):
        is_there = os.path.isdir(os.path.dirname(path))
        rest = clean(replace(location, path=path), dry_run=True) if is_there else []
        if not rest:
            raise StoreMissing("no file or store exists at this path", url, "check the path")
        return Removable(
            location=location,
            kind="rest",
            objects=sum(each.objects for each in rest),
            size=sum(each.size for each in rest),
            modified=max(os.lstat(each.place).st_mtime for each in rest),
        )
    if os.path.islink(path):
        raise _refusal("it is a symbolic link", url, "give the path that it points to")
    reason = protection_reason(path)
    if reason is not None:
        raise _refusal(reason, url)
    status = os.stat(path)
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            first = file.read(LONGEST_SIGNATURE)
        return _file(location, first, status.st_size, status.st_mtime)
    if not stat.S_ISDIR(status.st_mode):
        raise _refusal("it is neither a file nor a directory", url)
    whole = store_around(path)
    if whole is not None:
        raise _part(whole, url)
    kind = recognise_kind(path, None)
    if kind == "icechunk":
        raise _refusal("it is an Icechunk repository", url, "remove it with icechunk")
    return _of_objects(location, extent_of_folder(path, kind), kind)


def _part(whole: str, url: str) -> ZmapError:
    return _refusal(f"it is part of the store {whole}", url, "use 'ncz edit --remove'")


def _of_objects(location: Location, extent: Extent, kind: str | None = None) -> Removable:
    if fault := extent.fault:
        hint = "use rmdir" if fault.is_empty else "ncz rm --recursive removes the stores in it"
        raise _refusal(fault.reason, location.display, fault.hint or hint)
    is_begun = extent.roots.isdisjoint(ROOT_DOCUMENTS)
    named = "reference set" if kind == "reference" else "rest" if is_begun else "store"
    found = Removable(
        location=location,
        kind=named,
        objects=extent.objects,
        size=extent.size,
        modified=extent.modified,
    )
    return _with_beside(found)


def _file(location: Location, first: bytes, size: int, modified: float | None) -> Removable:
    """Return the kind of a single file, by its first bytes or, if need be, its keys."""
    if fault := fault_of_file(location, first):
        raise _refusal(fault.reason, location.display, fault.hint)
    kind = kind_of_file(location.path, first) or ""
    found = Removable(location=location, kind=kind, objects=1, size=size, modified=modified)
    return _with_beside(found)


def _on_server(location: Location, zmap: WritableRemoteZmap) -> Removable:
    whole = zmap.store_above()
    if whole is not None:
        raise _part(whole, zmap.url)
    found = zmap.file_start(LONGEST_SIGNATURE)
    if found is not None:
        return _file(location, *found, modified=zmap.modification_time())
    if not zmap.holds_something():
        rest = beside(location)
        if rest is not None:
            return Removable(
                location=location,
                kind="rest",
                objects=rest.objects,
                size=rest.size,
                modified=rest.modified,
            )
        raise missing_store_error(zmap.url)
    has_records = holds_records(zmap)
    extent = measure(zmap.everything(), has_records=has_records)
    return _of_objects(location, extent, "reference" if has_records else None)
