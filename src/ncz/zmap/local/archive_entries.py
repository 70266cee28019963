"""The entries of existing archives, zip files and tar archives, as keys of a store.

A store may be at the root of an archive (zarr-python, xarray, a store packed from inside), or below
a folder (netcdf-c, a store packed from outside). If several entries have the same name, the last
one is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.key import ROOT_DOCUMENTS, check_inside, is_part_of_node

_DEEPEST = 16  # folders above a store within an archive
_FROM_MACOS = re.compile(r"__MACOSX/|\.DS_Store\Z")  # next to the packed folder

Entry = TypeVar("Entry")


@record(kw_only=True)
class StoreEntries(Generic[Entry]):
    """The entries of an archive, sorted by their role in its store."""

    by_key: Mapping[str, Entry]
    prefix: str
    """The folder that is the root of the store, with its slash; "" for the archive's root."""
    ignored: tuple[str, ...]
    """The names that are not keys of the store."""
    misnamed: tuple[str, ...]
    """The names of documents and chunks of the store that no reader finds by them."""


def entries_of(named: Iterable[tuple[str, Entry]], inside: str = "") -> StoreEntries[Entry]:
    """Return the entries of a store.

    A name that could lead out of the store is not a key. `inside` is a group of the store, or a
    folder of the archive, that is the root instead.
    """
    found: dict[str, Entry] = {}
    ignored = []
    for name, entry in named:
        while name.startswith("./"):
            name = name[2:]
        if name.endswith("/") or not name:
            continue  # a folder
        if _is_safe(name):
            found[name] = entry
        else:
            ignored.append(name)
    prefix = _prefix(found)
    if inside:
        folder = f"{inside}/"
        in_store = any(name.startswith(prefix + folder) for name in found)
        prefix = prefix + folder if in_store else folder
    with_backslash = [n for n in found if "\\" in n and n.rfind("\\") > n.rfind("/")]
    suspects = [*ignored, *with_backslash]
    ignored.extend(name for name in found if not name.startswith(prefix))
    length = len(prefix)
    keys = {name[length:]: entry for name, entry in found.items() if name.startswith(prefix)}
    return StoreEntries(
        by_key=keys,
        prefix=prefix,
        ignored=tuple(ignored),
        misnamed=tuple(
            name
            for name in suspects
            if is_part_of_node(name) and _without_empty_parts(name).startswith(prefix)
        ),
    )


def _without_empty_parts(name: str) -> str:
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def _is_safe(name: str) -> bool:
    """Return whether a name can be a key. It may have a backslash, but not one next to ``..``."""
    try:
        check_inside(name)
    except ZmapError:
        return False
    return "\\" not in name or ".." not in re.split(r"[/\\]", name)


def _prefix(names: Mapping[str, object]) -> str:
    """Return the folder that is the store's root, with its slash; "" for the archive's root."""
    inside = [name for name in names if not _FROM_MACOS.match(name)]
    if not inside:
        return ""
    ends = [min(inside), max(inside)]
    common = os.path.commonprefix(ends).rpartition("/")[0]  # noqa: RUF071 - cut at a slash
    prefix = ""
    for segment in ["", *common.split("/", _DEEPEST)[:_DEEPEST]]:
        prefix += f"{segment}/" if segment else ""
        if any(prefix + document in names for document in ROOT_DOCUMENTS):
            return prefix
    return ""
