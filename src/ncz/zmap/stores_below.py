"""The stores in a folder, or below a prefix on a server."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator

from ncz.record import replace
from ncz.zmap.foreign import foreign
from ncz.zmap.fragment import quote
from ncz.zmap.key import MARK, ROOT_DOCUMENTS
from ncz.zmap.kinds import KINDS, is_json_file, is_zip, looks_like_set, recognise_kind
from ncz.zmap.location import Location
from ncz.zmap.remote.opening import connect_to_write
from ncz.zmap.remote.store import WritableRemoteZmap


def stores_below(
    location: Location, left: Callable[[str], object] = lambda _: None
) -> Iterator[Location]:
    """Yield the locations of possible stores in a folder, except within stores.

    Links are not followed. `examine` says whether a location is the location of a store. `left` is
    called with the name of each other object and link, as messages show it.
    """
    if location.kind == "remote":
        with contextlib.closing(connect_to_write(location)) as zmap:
            for key, may_be_store in _prefixes(zmap, ""):
                path = f"{location.path.rstrip('/')}/{quote(key)}" if key else location.path
                below = replace(location, path=path)
                if may_be_store:
                    yield below
                else:
                    left(below.display)
        return
    if not os.path.isdir(location.path):
        yield location
        return
    for folder, folders, names in os.walk(location.path):
        is_set = recognise_kind(folder, None) in ("reference", "icechunk")
        if is_set or not {*ROOT_DOCUMENTS, MARK}.isdisjoint(names):
            folders.clear()
            yield replace(location, path=folder)
            continue
        folders[:] = sorted(each for each in folders if not each.startswith(".ncz-"))
        folders[:] = _without_beside(folders, {*names, *folders})
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.startswith(".ncz-"):
                continue
            below = replace(location, path=path)
            if not os.path.islink(path) and _may_be_store(path):
                yield below
            else:
                left(below.display)
        for name in folders:
            if os.path.islink(path := os.path.join(folder, name)):
                left(replace(location, path=path).display)


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


def _prefixes(zmap: WritableRemoteZmap, prefix: str) -> Iterator[tuple[str, bool]]:
    """Yield prefixes and objects, and whether they may be stores."""
    objects, folders = zmap.level(prefix)
    if not {*ROOT_DOCUMENTS, MARK}.isdisjoint(objects):
        yield prefix, True
        return
    start = f"{prefix}/" if prefix else ""
    for name in sorted(objects):
        yield start + name, name.lower().endswith(_SUFFIXES)
    for name in _without_beside(sorted(folders), objects | folders):
        yield from _prefixes(zmap, start + name)


def _without_beside(folders: Iterable[str], names: Collection[str]) -> list[str]:
    """Return the folders that belong to none of the stores."""
    ends = [entry.beside for entry in KINDS.values() if entry.beside]
    return [
        folder
        for folder in folders
        if not any(folder.endswith(end) and folder.removesuffix(end) in names for end in ends)
    ]
