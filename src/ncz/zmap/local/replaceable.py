"""Contents of a local path that a new store or file may replace, and other contents."""

from __future__ import annotations

import os
from collections.abc import Callable

from ncz.errors import NczError
from ncz.record import replace
from ncz.system_errors import storage_errors
from ncz.zmap.extent import Fault, extent_of_folder
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.kinds import LOOKED_AT, is_zip, recognise_kind
from ncz.zmap.location import Location, working_folder
from ncz.zmap.single_file import fault_of_file


def replacement_fault(location: Location, replaces: Callable[[bytes], bool] | None) -> Fault | None:
    """Return the reason that the contents of a local path must not be replaced, or None.

    It must be a store, or empty. A symbolic link is replaced, and its target stays.

    Parameters
    ----------
    location
        The path.
    replaces
        Accepts datasets in files that are not stores, by their first bytes; None if any file is
        replaced.
    """
    target = os.path.abspath(location.path)
    if reason := protection_reason(target):
        return Fault(reason)
    found = replace(location, kind=None, path=target, modes=frozenset(), inside=None)
    try:
        if os.path.isdir(target):
            fault = _fault_of_folder(target)
        elif os.path.isfile(target):
            fault = _fault_of_file(found, replaces)
        elif os.path.islink(target):
            return None
        else:
            return Fault("it is neither a file nor a directory")
    except OSError as error:
        return Fault(f"it cannot be read ({error.strerror})")
    except NczError as error:
        return Fault(f"it cannot be read: {error.message}")
    return None if fault is None or fault.is_empty else fault


def _fault_of_folder(target: str) -> Fault | None:
    names = os.listdir(target)
    kind = recognise_kind(target, None)
    if not names:
        return None
    if kind == "icechunk" or not set(names).intersection(ROOT_DOCUMENTS):
        return Fault("it is a directory, but not a store")
    whole = None if os.path.islink(target) else store_around(target)
    if whole is not None:
        return Fault(f"it is part of the store {whole}", "use another name")
    return extent_of_folder(target, kind).fault


def _fault_of_file(location: Location, replaces: Callable[[bytes], bool] | None) -> Fault | None:
    if replaces is None:
        return None
    first = first_bytes(location.path)
    if not first:
        return None
    if not is_zip(first) and not replaces(first):
        return Fault("it is a file of another kind")
    return fault_of_file(location, first)


def first_bytes(path: str) -> bytes:
    """Return enough first bytes of a file to know its kind."""
    with storage_errors(path, "read"), open(path, "rb") as file:
        return file.read(LOOKED_AT)


def protection_reason(target: str) -> str | None:
    """Return the reason that a path is never replaced or removed, or None."""
    if target == os.path.dirname(target) or os.path.ismount(target):
        return "it is the root of a file system"
    if os.path.isdir(target) and (folder := working_folder()) is not None:
        here = os.path.join(os.path.realpath(folder), "")
        if here.startswith(os.path.join(os.path.realpath(target), "")):
            return "it is, or contains, the current folder"
    return None


def outermost(path: str) -> str:
    """Return the store that contains a group at a path; the path itself if it is not in a store."""
    above = os.path.dirname(path)
    while any(os.path.lexists(os.path.join(above, name)) for name in ROOT_DOCUMENTS):
        path, above = above, os.path.dirname(above)
    return path


def store_around(path: str) -> str | None:
    """Return the store that contains the group at a path; None if it is not in a store."""
    real = os.path.realpath(path)
    whole = outermost(real)
    return None if whole == real else whole
