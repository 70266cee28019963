"""A group of a file as a dataset: ``x.nc/group``, and ``x.json/group`` of a reference set.

Directories and zip files have keys for their groups, which the store itself opens.
"""

from __future__ import annotations

import os
import re

from ncz.errors import FormatError, did_you_mean, list_names
from ncz.formats.kinds import FILE_SUFFIXES, Source
from ncz.formats.signatures import is_netcdf
from ncz.model.subtree import subtree_at
from ncz.model.tree import Dataset, walk
from ncz.record import replace
from ncz.zmap.fragment import unquote
from ncz.zmap.kinds import JSON_SUFFIXES
from ncz.zmap.location import Location


def file_above(location: Location) -> tuple[Location, str] | None:
    """Return the file that a location leads into, and the FQN of the group; None for others.

    A file on a server is opened if it has the name of a netCDF file.
    """
    if location.inside is not None or location.caches:
        return None
    if location.kind == "remote":
        return _remote_file(location)
    if location.kind is not None or os.path.lexists(location.path):
        return None
    above, inside = location.path.replace(os.sep, "/").rstrip("/"), ""
    while above and not os.path.lexists(above):
        folder, _, name = above.rpartition("/")
        inside, above = f"/{name}{inside}", folder.rstrip("/")
    if not above or not os.path.isfile(above):
        return None
    return _find_group(replace(location, path=above), inside)


def _remote_file(location: Location) -> tuple[Location, str] | None:
    endings = "|".join(map(re.escape, FILE_SUFFIXES))
    for match in re.finditer(rf"(?i)(?:{endings})(?=/+[^/])", location.path):
        inside = unquote(location.path[match.end() :], errors="surrogateescape")
        found = _find_group(replace(location, path=location.path[: match.end()]), inside)
        if found is not None:
            return found
    return None


def _find_group(file: Location, inside: str) -> tuple[Location, str] | None:
    parts = [part for part in inside.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        return None
    is_set = file.kind != "remote" and file.path.lower().endswith(JSON_SUFFIXES)
    if not (is_set or is_netcdf(Source(file, FILE_SUFFIXES))):
        return None
    return file, "/" + "/".join(parts)


def group_in(dataset: Dataset, fqn: str, file: Location, name: str) -> Dataset:
    """Return a group, or a variable, of a file as a separate dataset.

    Parameters
    ----------
    dataset
        The dataset of the file.
    fqn
        The FQN of the group or the variable.
    file
        Where the file is, for messages.
    name
        The name of the new dataset.

    Raises
    ------
    FormatError
        If the file has no such group or variable.
    """
    try:
        return replace(subtree_at(dataset, fqn), name=name)
    except KeyError:
        groups = [path for path, _ in walk(dataset.root) if path]
        hint = f"the groups are {list_names(groups)}" if groups else "the file has no groups"
        raise FormatError(
            f"no group or variable is named {fqn}", file.display, did_you_mean(fqn, groups, hint)
        ) from None
