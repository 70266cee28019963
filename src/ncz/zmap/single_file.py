"""Stores and datasets in one file."""

from __future__ import annotations

import contextlib

from ncz.zmap.extent import Fault, measure
from ncz.zmap.foreign import foreign
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.kinds import is_json_file, is_zip
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap


def kind_of_file(path: str, first: bytes) -> str | None:
    """Return the kind of a file by its first bytes, in words; None if it is not a dataset."""
    known = foreign(first)
    if known is not None and "netCDF" in known.title:
        return "netCDF file"
    if is_zip(first):
        return "zip file"
    return "reference set" if is_json_file(path, first) else None


def fault_of_file(location: Location, first: bytes) -> Fault | None:
    """Return the reason that a file is not a dataset, or None.

    Parameters
    ----------
    location
        Where it is, on a disk or on a server.
    first
        Its first bytes; if they do not say, the file is opened.

    Raises
    ------
    NczError
        If a zip file or a reference set cannot be read.
    """
    kind = kind_of_file(location.path, first)
    if kind is None:
        known = foreign(first)
        what = known.title if known is not None else "a file of another kind"
        return Fault(f"it is {what}")
    if kind == "netCDF file":
        return None
    with contextlib.closing(open_zmap(location)) as zmap:
        if not any(zmap.size(key) is not None for key in ROOT_DOCUMENTS):
            is_empty = kind == "zip file" and next(zmap.walk(), None) is None
            return Fault(f"the {kind} has no document of a store", is_empty=is_empty)
        if kind == "zip file":
            return measure((key, 0, None) for key in zmap.walk()).fault
    return None
