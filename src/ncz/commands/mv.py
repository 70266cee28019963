"""mv: rename or move datasets."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence

from ncz.commands.changes import alone_here
from ncz.commands.copy.command import copy
from ncz.commands.rm import rm
from ncz.errors import Callbacks, NczError, ZmapError
from ncz.system_errors import already_exists, storage_errors
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.location import Location
from ncz.zmap.removable import examine

_WHOLE = ("store", "zip file", "netCDF file")
"""Kinds of stores that contain their data."""


def mv(
    sources: Sequence[str],
    target: str,
    locate: Callable[[str, bool], Location],
    callbacks: Callbacks,
    *,
    overwrite: bool = False,
) -> None:
    """Give datasets another name or place.

    On one file system they are renamed. Elsewhere they are copied and compared, and the sources are
    then removed.

    Parameters
    ----------
    sources, target
        The paths or URLs of the datasets, and the new one: a name, or a folder that exists.
    locate
        Returns the location of a path or URL, and whether something is created there.
    callbacks
        Receives notices and progress.
    overwrite
        Whether to replace a target that exists.

    Raises
    ------
    NczError
        If a source is not a dataset, a target exists, or another process changes a source.
    """
    pairs = [(source, _new_name(source, target, len(sources) > 1)) for source in sources]
    for source, name in pairs:
        if _suffix(source) != _suffix(name):
            raise NczError(
                f"the format stays, but the name {name} is for another", source,
                f"use 'ncz copy {source} {name}' to convert",
            )  # fmt: skip
        _check_whole(source, name)
        examine(locate(source, False))
    for source, name in pairs:
        _move(locate(source, False), locate(name, True), callbacks, overwrite=overwrite)


def _check_whole(source: str, name: str) -> None:
    """Raise `NczError` for a part of a store, whose name `ncz edit` changes."""
    place, new = source.rstrip("/"), name.rstrip("/")
    store = os.path.dirname(place)
    if not _is_store(store):
        return
    while store and _is_store(os.path.dirname(store)):
        store = os.path.dirname(store)
    hint = f"copy it with 'ncz copy {source} {name}'"
    if os.path.dirname(new) == os.path.dirname(place):
        renaming = f"{os.path.relpath(place, store or None)}={os.path.basename(new)}"
        hint = f"use 'ncz edit {store or '.'} --rename {renaming}'"
    raise NczError("this is a part of a store, not a dataset", source, hint)


def _is_store(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in ROOT_DOCUMENTS)


def _new_name(source: str, target: str, is_folder: bool) -> str:
    """Return the new name of a source: the target, or a name in this folder."""
    if "://" in target:
        is_folder = is_folder or target.endswith("/")
    elif os.path.isdir(target):
        names = (os.path.join(target, name) for name in ROOT_DOCUMENTS)
        is_folder = is_folder or not any(map(os.path.exists, names))
    elif is_folder or target.endswith("/"):
        raise NczError("the folder does not exist", target, "create it first")
    own = source.rstrip("/").rpartition("/")[2]
    return f"{target.rstrip('/')}/{own}" if is_folder else target


def _suffix(path: str) -> str:
    """Return the format that a suffix means; names of stores may have no suffix."""
    end = os.path.splitext(path.partition("#")[0].rstrip("/"))[1].lower()
    return "" if end == ".zarr" else end


def _move(source: Location, target: Location, callbacks: Callbacks, *, overwrite: bool) -> None:
    found = examine(source)
    if found.kind == "rest":
        raise ZmapError("its copy was interrupted", source.display, "complete or remove it first")
    is_local = source.kind != "remote" and target.kind != "remote"
    if is_local and os.path.lexists(target.path) and not overwrite:
        raise already_exists(target.display)
    folder = os.path.dirname(os.path.abspath(target.path))
    if is_local and not os.path.isdir(folder):
        raise NczError(f"the folder {folder} does not exist", target.display, "create it first")
    _check_place(source, target, found.kind)
    if is_local and not os.path.lexists(target.path) and _rename(source, target):
        return
    copy(source, target, overwrite=overwrite, notify=callbacks)
    copy(source, target, verify=True, notify=callbacks)
    rm(source, notify=callbacks)


def _check_place(source: Location, target: Location, kind: str) -> None:
    """Raise `NczError` for a dataset whose files would be elsewhere than it says."""
    if kind in _WHOLE and not _is_master(source):
        return
    folders = {each.display.rstrip("/").rpartition("/")[0] for each in (source, target)}
    if len(folders) > 1:
        raise NczError(
            "it refers to files that are not moved with it", source.display,
            f"use 'ncz copy {source.display} {target.display}', and ncz rm",
        )  # fmt: skip


def _rename(source: Location, target: Location) -> bool:
    """Rename a dataset; return False if the target is on another file system.

    Raises `ZmapError` if another process changes it.
    """
    try:
        with alone_here(source), storage_errors(target.display, "write"):
            os.rename(source.path, target.path)
    except ZmapError as error:
        cause = error.__cause__
        if isinstance(cause, OSError) and cause.errno == errno.EXDEV:
            return False
        raise
    return True


def _is_master(location: Location) -> bool:
    """Return whether a dataset is an aggregation, whose pieces are separate files."""
    from ncz.formats.opening import open_dataset

    with open_dataset(location) as opened:
        return opened.dataset.provenance.aggregation is not None
