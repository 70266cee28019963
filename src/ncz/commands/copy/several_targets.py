"""Copies to several targets: one for each source, or one for each part of a dimension."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from ncz.commands.copy.at_once import CopyOne, copy_all
from ncz.commands.copy.expanded_sources import FILES
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.source import open_source
from ncz.commands.copy.summary import Summary
from ncz.commands.option_error import OptionError
from ncz.commands.sources import Source, name_of
from ncz.errors import Callbacks, StoreExists, ignore_notice, option
from ncz.model.selection import Selection
from ncz.model.tree import dimensions_by_fqn, variables_by_fqn
from ncz.record import record, replace
from ncz.zmap.location import Location

PLACE = "{}"
"""The place in the path of a target for the name of a source, or the label of a part."""

_QUOTED = "%7B%7D"
"""The same in a URL."""

_SUFFIX = re.compile(r"\.(nc|nc3|nc4|nca|cdf|netcdf|h5|hdf5|he5|zarr|zip|cdl|json|icechunk)$", re.I)
"""Suffixes that a name loses when it becomes part of another."""

_BEGINNING = ("_", "-", ".")
"""Ends of a path that is the beginning of names, unless it exists; a suffix may follow."""

_UNSAFE = re.compile(r"[^\w.+-]+")


@record(kw_only=True)
class Division:
    """The division of a copy among targets.

    Attributes
    ----------
    each
        Whether each source has a separate target.
    split
        The dimension that is divided, and how; see `ncz.commands.subsets.parts.parts_of`.
    """

    each: bool = False
    split: tuple[str, str] | None = None


def split_of(text: str | None) -> tuple[str, str] | None:
    """Return the dimension and the rule of a text such as "time=year"; "year" alone is a name."""
    if text is None:
        return None
    name, _, rule = text.partition("=")
    return name, rule


def copy_to_several(
    options: CopyOptions,
    division: Division,
    copy_one: CopyOne,
    exists: Callable[[Location], bool],
    callbacks: Callbacks,
) -> Summary:
    """Copy to several targets. Each appears completely or not at all.

    Parameters
    ----------
    options
        The options of all copies; the path of `options.target` has a place ``{}`` for the names
        that make targets differ, or is a folder.
    division
        How the copy is divided.
    copy_one
        Copies to one target.
    exists
        Returns whether a dataset exists at a location.
    callbacks
        Receives the notices of the copies.

    Returns
    -------
    Summary
        The sum of the summaries of the targets, and these.

    Raises
    ------
    OptionError
        If two sources or parts would have one target.
    StoreExists
        If a target exists, and neither `overwrite` nor `resume` is set; nothing is copied then.
    NczError
        If one of the copies fails; the others are made.
    """
    if division.split is not None and not division.each:
        options = _with_place(options)
    copies = [*_copies(options, division)]
    targets: dict[str, CopyOptions] = {}
    for one in copies:
        place = name_of(one.target) if not isinstance(one.target, str) else one.target
        if place in targets:
            other = name_of(targets[place].source)
            raise OptionError(
                f"two targets have one name: of {other} and {name_of(one.source)}",
                place,
                "copy one of them by itself",
            )
        targets[place] = one
    if not (options.create.overwrite or options.resume or options.verify or options.dry_run):
        for place, one in targets.items():
            if isinstance(one.target, Location) and exists(one.target):
                raise StoreExists(
                    "already exists",
                    place,
                    f"use {option('overwrite', True)} to replace it, or {option('resume', True)}"
                    " to copy the others",
                )
    if not options.dry_run:
        _make_folder(options)
    return copy_all(targets, copy_one, callbacks)


def _copies(options: CopyOptions, division: Division) -> Iterator[CopyOptions]:
    """Yield the options of the copy to each target."""
    if not division.each:
        yield from _parts(options, division, "")
        return
    for source in options.sources:
        one = replace(options, source=source, more_sources=())
        yield from _parts(one, division, _stem(source))


def _parts(options: CopyOptions, division: Division, stem: str) -> Iterator[CopyOptions]:
    if division.split is None:
        yield replace(options, target=_target(options, stem, keeps=False))
        return
    from ncz.commands.subsets.parts import PERIODS, parts_of

    name, rule = division.split
    before = options.subset or Selection()
    with open_source(replace(options, edits=()), Callbacks(ignore_notice)) as dataset:
        named = {*dimensions_by_fqn(dataset.root), *dict(variables_by_fqn(dataset.root))}
        if name in PERIODS and not rule and f"/{name}" not in named:
            name, rule = "time", name
        if name in before.by_value or name in before.by_index:
            raise OptionError(f"{name} cannot be selected and split at the same time")
        parts = parts_of(dataset, name, rule)
    stem = stem or ("" if PLACE in _path(options) else _stem(options.source))
    for part in parts:
        if part.index is not None:
            subset = replace(before, by_index={**before.by_index, name: part.index})
        else:
            assert part.value is not None
            subset = replace(before, by_value={**before.by_value, name: part.value})
        label = _UNSAFE.sub("_", part.label.strip()) or "_"
        name_of_part = f"{stem}-{label}" if stem else label
        target = _target(options, name_of_part, keeps=not division.each)
        yield replace(options, subset=subset, target=target)


def _stem(source: Source) -> str:
    """Return the name of a source without its folder and its suffix."""
    path = source.path if isinstance(source, Location) else name_of(source)
    name = os.path.basename(path.rstrip("/"))
    return _SUFFIX.sub("", name) or "dataset"


def _path(options: CopyOptions) -> str:
    target = options.target
    if isinstance(target, Location):
        return target.path.replace(_QUOTED, PLACE)
    if isinstance(target, str):
        return target
    raise OptionError(f"{option('each')} and {option('split')} need a path or a URL")


def _with_place(options: CopyOptions) -> CopyOptions:
    """Return options whose target is a pattern, if it is the beginning of names, as for cdo."""
    path = _path(options)
    given = _SUFFIX.search(path)
    beginning = path[: given.start()] if given else path
    if PLACE in path or not beginning.endswith(_BEGINNING) or os.path.lexists(path):
        return options
    suffix = given[0] if given else _suffix(options, keeps=True)
    path = f"{beginning}{PLACE}{suffix}"
    target = options.target
    return replace(
        options, target=replace(target, path=path) if isinstance(target, Location) else path
    )


def _target(options: CopyOptions, name: str, *, keeps: bool) -> Any:
    """Return the target with a name in the place for it, or in the folder; see `_suffix`."""
    path = _path(options)
    if PLACE in path:
        path = path.replace(PLACE, name)
    elif _SUFFIX.search(path) and not path.endswith("/"):
        raise OptionError(
            f"the target has no place for the names of several datasets: {path}",
            hint=f"name a folder, or write {_SUFFIX.sub('', path)}-{PLACE}"
            f"{path[len(_SUFFIX.sub('', path)) :]}",
        )
    else:
        path = f"{path.rstrip('/') or ''}/{name}{_suffix(options, keeps=keeps)}"
    return replace(options.target, path=path) if isinstance(options.target, Location) else path


def _suffix(options: CopyOptions, *, keeps: bool) -> str:
    """Return the ending of targets in a folder: the one of the source if it `keeps` its form."""
    modes = {*options.modes}
    if isinstance(options.target, Location):
        modes |= options.target.modes
    if options.create.kind is not None:
        return ".nc"
    own = os.path.splitext(name_of(options.source))[1]
    if keeps and own.lower() in FILES and not (modes or options.cloud):
        return own
    return next((end for mode, end in _SUFFIX_OF_MODE.items() if mode in modes), ".zarr")


_SUFFIX_OF_MODE = {
    "zip": ".zip",
    "icechunk": ".icechunk",
    "reference": ".json",
    **dict.fromkeys(("cfa", "cfa0.4", "cfa0.5", "cf"), ".nca"),
    **dict.fromkeys(("netcdf-3", "netcdf-4"), ".nc"),
}
"""The endings of the forms of targets that are not a store in a directory."""


def _make_folder(options: CopyOptions) -> None:
    """Make the folder of local targets."""
    target = options.target
    is_local = isinstance(target, str) or (
        isinstance(target, Location) and target.kind not in ("remote", "memory")
    )
    path = _path(options)
    folder = os.path.dirname(path) if PLACE in path else path
    if is_local and folder and PLACE not in folder:
        os.makedirs(folder, exist_ok=True)
