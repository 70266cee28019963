"""The time of the last change of a source, which a copy can preserve."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ncz.commands.copy.options import CopyOptions
from ncz.commands.option_error import OptionError
from ncz.commands.sources import Source, name_of
from ncz.errors import option
from ncz.system_errors import storage_errors
from ncz.zmap.location import Location


def refuse_elsewhere(options: CopyOptions) -> None:
    """Raise `OptionError` if a source or the target of a copy is not on this computer."""
    for place in (*options.sources, options.target):
        _path(place)


def keep_time(options: CopyOptions) -> None:
    """Let the target have the time when the last of its sources changed."""
    changed = max(map(_time, options.sources))
    path = _path(options.target)
    with storage_errors(path, "write"):
        for each in _with_objects(path):
            os.utime(each, (changed, changed))


def _time(source: Source) -> float:
    path = _path(source)
    with storage_errors(path, "read"):
        return max(map(os.path.getmtime, _with_objects(path)))


def _path(place: Source | str) -> str:
    if isinstance(place, str):
        return place
    if (
        isinstance(place, Location)
        and place.kind not in ("remote", "memory")
        and "://" not in place.path
    ):
        return place.path
    raise OptionError(
        f"{option('preserve_time', True)} is for paths on this computer",
        name_of(place),
        "leave it out",
    )


def _with_objects(path: str) -> Iterator[str]:
    """Yield the paths of the files of a store, or of a file; folders come after their files."""
    for folder, _, names in os.walk(path, topdown=False):
        yield from (os.path.join(folder, name) for name in names)
        yield folder
    if not os.path.isdir(path):
        yield path
