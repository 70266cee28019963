"""Several datasets that are opened as one: lists of paths, patterns and folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from ncz.api.given_sources import held_source
from ncz.api.handle import Handle
from ncz.errors import NczError, Notify
from ncz.formats.kinds import OpenOptions
from ncz.zmap.location import Location, location_of, path_of


def open_paths(
    url: Any, options: OpenOptions, notify: Notify, concat: str | None, new_dimension: str | None
) -> Handle:
    """Open the dataset of a path, or several as one.

    Parameters
    ----------
    url
        A path or a URL, a pattern of paths, a folder of files, or several of them.
    options, notify
        How to open each, and the receiver of notices.
    concat, new_dimension
        The dimension along which several are joined; None finds it from their coordinates.

    Raises
    ------
    NczError
        If nothing can be opened, or several do not fit together.
    """
    if isinstance(url, (list, tuple, set, frozenset)) or _is_iterator(url):
        several = sorted(url, key=str) if isinstance(url, (set, frozenset)) else [*url]
        return _join(several, options, notify, concat, new_dimension)
    if isinstance(url, Location):
        return Handle(url, options, notify)
    held = held_source(url)
    if held is not None:
        return Handle(held, options, notify)
    path = path_of(url)
    if _is_pattern(path):
        found = _expand(path)
        if found != [path]:
            return _join(found, options, notify, concat, new_dimension, name=path)
    try:
        return Handle(location_of(path), options, notify)
    except NczError:
        found = _expand(path) if "://" not in path and os.path.isdir(path) else [path]
        if found == [path]:
            raise
    return _join(found, options, notify, concat, new_dimension, name=path)


def _is_iterator(url: Any) -> bool:
    """Return whether paths come one by one, as from ``Path.glob``; a file is not several paths."""
    return isinstance(url, Iterator) and not hasattr(url, "read")


def _is_pattern(path: str) -> bool:
    return any(c in path for c in "*?[") and not os.path.lexists(path)


def _expand(path: str) -> list[str]:
    from ncz.commands.copy.expanded_sources import expand_sources

    return [*expand_sources(path, True)]


def _join(
    sources: Sequence[Any],
    options: OpenOptions,
    notify: Notify,
    concat: str | None,
    new_dimension: str | None,
    name: str | None = None,
) -> Handle:
    from ncz.commands.arguments import source_of
    from ncz.commands.copy.joined_source import JoinedSource  # not for one dataset

    if any(isinstance(each, (list, tuple)) for each in sources):
        raise TypeError(
            "paths in lists of lists are joined by xarray: ncz.open_mfdataset(paths,"
            " combine='nested', concat_dim=[...])"
        )
    if not sources:
        raise TypeError("a path or a URL is expected, not an empty list")
    found = [source_of(each) for each in sources]
    if len(found) == 1 and isinstance(found[0], Location) and not new_dimension:
        return Handle(found[0], options, notify)
    first = sources[0]
    label = name or f"{path_of(first) if isinstance(first, str) else first}"
    several = JoinedSource(
        name=label if name or len(found) == 1 else f"{label} and {len(found) - 1} more",
        sources=tuple(found),
        concat=concat,
        new_dimension=new_dimension,
    )
    return Handle(several, options, notify)
