"""Reasons that a place has no root of a store: other files, or a document that was lost."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex

from ncz.errors import FormatError, NczError, either, list_names
from ncz.formats.signatures import CLASSIC, HDF5
from ncz.formats.zarr.documents.document_v2 import ZARRAY
from ncz.formats.zarr.documents.versions import VERSIONS, mode_of
from ncz.formats.zarr.json import parse_document
from ncz.zmap import Zmap
from ncz.zmap.foreign import LONGEST_SIGNATURE, ForeignFormat, foreign
from ncz.zmap.key import MARK, ZARR_JSON, display, join_key

MOST_CHILDREN = 20
"""Folders in a place without a root that are looked at."""

CREATE_GROUP = "run ncz check --fix to create it"


def version_of_lost_root(zmap: Zmap) -> int | None:
    """Return the version of Zarr of arrays in a place without a root; None without any.

    Groups may be separate stores in one folder.
    """
    if zmap.get(MARK) is not None:  # of a copy that was interrupted
        return None
    for child in zmap.search("")[:MOST_CHILDREN]:
        if zmap.get(join_key(child, ZARRAY)) is not None:
            return 2
        with contextlib.suppress(NczError):  # a damaged document is not an array that can be read
            data = zmap.get(key := join_key(child, ZARR_JSON))
            if data is not None and parse_document(data, key).get("node_type") == "array":
                return 3
    return None


def no_store(zmap: Zmap) -> FormatError:
    """Return the error to raise if no root exists, or only one of another version."""
    from ncz.zmap.journal import is_interrupted  # rarely needed

    if is_interrupted(zmap):
        edited = "an edit of this store is under way, or was interrupted"
        return FormatError(edited, zmap.url, "try again, or run ncz clean to complete it")
    if zmap.get(MARK) is not None:
        return FormatError(
            "a copy to this place was interrupted",
            zmap.url,
            "run the same copy again to continue it, or ncz clean to remove its leftovers",
        )
    versions = [v for v in VERSIONS if any(zmap.get(name) is not None for name in v.roots)]
    if versions:
        mode = mode_of(versions[0])
        other = f"this is a store of Zarr {mode.upper()}, which the mode excludes"
        return FormatError(other, zmap.url, f"use mode={mode}")
    files = _netcdf_files(zmap)
    if files:
        is_zip = zmap.url.lower().endswith(".zip") or not zmap.holds_files
        there = "this zip file" if is_zip else "this folder"
        some = os.path.join(zmap.url, "*" + os.path.splitext(files[0])[1])
        how = either(
            f"name its files, such as {some}; to join them: ncz copy --concat time {some} OUT;"
            f" to copy each: ncz copy --each {some} FOLDER/",
            f"join its files with ncz.copy({some!r}, 'all.zarr', concat='time'), or ncz.open",
        )
        few = list_names(files, whole=True)
        if len(files) == MOST_CHILDREN:  # the others were not counted
            few = f"{', '.join(files[:3])} and others"
        return FormatError(
            f"{there} contains netCDF files, not a Zarr store: {few}",
            zmap.url,
            "unzip it, and name its files" if is_zip else how,
        )
    roots = [name for version in VERSIONS for name in version.roots]
    hint: str | None = None
    for child in zmap.search("")[:MOST_CHILDREN]:
        if any(zmap.get(join_key(child, name)) is not None for name in roots):
            hint = f"{zmap.url.rstrip('/')}{display(child)} looks like a store; open that"
            break
    if hint is not None and version_of_lost_root(zmap) is not None:
        return FormatError(
            "there are arrays, but the document of the group that they are in is missing",
            zmap.url,
            CREATE_GROUP,
        )
    found = None if hint else _foreign_file(zmap)
    if found is not None:
        name, known = found
        return FormatError(
            f"this folder contains no Zarr store: {name} is {known.title}",
            zmap.url,
            known.hint.replace("{path}", shlex.quote(os.path.join(zmap.url, name))),
        )
    names = ", ".join(map(display, roots))
    return FormatError(f"no Zarr store exists here: none of {names} was found", zmap.url, hint)


def _foreign_file(zmap: Zmap) -> tuple[str, ForeignFormat] | None:
    """Return a file of another format in a folder that contains such files, and its format."""
    if not zmap.lists_freely or not zmap.holds_files:
        return None
    for name in zmap.search("")[:MOST_CHILDREN]:
        known = foreign(zmap.get_range(name, 0, LONGEST_SIGNATURE) or b"")
        if known is not None:
            return name, known
    return None


def _netcdf_files(zmap: Zmap) -> list[str]:
    """Return the names of netCDF files in the place of a store, as climate archives zip them."""
    if not zmap.lists_freely:
        return []
    keys = zmap.search("") if zmap.holds_files else zmap.walk_unsorted()
    names = [*itertools.islice(keys, MOST_CHILDREN)]
    return [n for n in names if (zmap.get_range(n, 0, 8) or b"").startswith((*CLASSIC, HDF5))]
