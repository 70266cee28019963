"""Targets that a copy refuses before it reads anything, such as one of its sources."""

from __future__ import annotations

import os
import re
import shlex

from ncz.commands.copy.options import CopyOptions
from ncz.errors import StoreExists, StoreMissing, UrlError, either
from ncz.formats.kinds import GivenDataset
from ncz.zmap.location import Location


def refuse_target(options: CopyOptions, target: Location) -> None:
    """Raise `NczError` for a target that a copy would write to an unintended place.

    Raises
    ------
    UrlError
        If the target is a source, is within one, or is a remote one that contains a source.
    StoreExists
        If it is a folder of files, or an existing dataset named like several sources.
    """
    sources = []
    for source in options.sources:
        if isinstance(source, GivenDataset):  # a program may compute the replacement of its source
            for place in source.locations:
                _refuse_overlap(place, target, may_be_equal=not source.is_joined)
        elif isinstance(source, Location):
            sources.append(source)
            _refuse_overlap(source, target, may_be_equal=options.append is not None)
    if target.kind in ("remote", "memory") or options.append is not None:
        return
    if os.path.isdir(target.path) and not options.create.overwrite:
        _refuse_folder(sources, target)
    if options.joins and not options.resume and os.path.lexists(target.path):
        _refuse_like_source(sources, target, overwrite=options.create.overwrite)


def explain(error: StoreMissing, options: CopyOptions, target: Location) -> StoreMissing:
    """Return the error of a source that does not exist: the two may have been exchanged."""
    source = options.source
    is_source = isinstance(source, Location) and error.location in (source.path, source.display)
    if options.more_sources or not is_source or target.kind in ("remote", "memory"):
        return error
    if not os.path.lexists(target.path):
        return error
    paths = (target.display, error.location or "TARGET")
    line = either(f"ncz copy {shlex.join(paths)}", f"ncz.copy({', '.join(map(repr, paths))})")
    hint = f"the source comes before the target; is it meant so: {line}"
    return StoreMissing(error.message, error.location, hint)


def _refuse_folder(sources: list[Location], target: Location) -> None:
    """Raise `StoreExists` for a folder that is not a store; ``cp`` would put files into it."""
    from ncz.zmap.key import ROOT_DOCUMENTS
    from ncz.zmap.kinds import recognise_kind

    names = os.listdir(target.path)
    is_typed = target.path.endswith(("/", os.sep))
    if not (is_typed or names) or not {*names}.isdisjoint(ROOT_DOCUMENTS):
        return
    if recognise_kind(target.path, None) != "directory" and names:
        return
    stem = _stem(sources[0]) if len(sources) == 1 else "all"
    name = os.path.join(target.address, stem)
    hint = f"use another name, such as {name}.zarr or {name}.nc"
    if len(sources) > 1:
        hint += f"; for one target each, use {either('--each', 'each=True')}"
    raise StoreExists("already exists: it is a directory, but not a store", target.display, hint)


def _stem(source: Location) -> str:
    name = os.path.basename(source.path.rstrip("/"))
    return name.partition(".")[0] or "x"


def _refuse_like_source(sources: list[Location], target: Location, *, overwrite: bool) -> None:
    """Raise `StoreExists` for an existing target that may be the last of several sources."""
    last = os.path.basename(target.path.rstrip("/"))
    names = [os.path.basename(source.path.rstrip("/")) for source in sources]
    if not names or os.path.splitext(last)[1] != os.path.splitext(names[-1])[1]:
        return
    is_of_series = len({re.sub(r"\d+", "0", name) for name in (*names, last)}) == 1
    if overwrite and not (is_of_series and re.search(r"\d", last)):
        return
    message = "already exists, and is named like the sources" if is_of_series else "already exists"
    raise StoreExists(
        message,
        target.display,
        "if it is a source, name a target after it; if it is the target, remove it first",
    )


def _other_target(target: Location) -> str:
    """Return the hint for a target that is also a source."""
    if target.kind == "memory":
        return "choose another target"
    path = target.display
    stem, end = os.path.splitext(path.rstrip("/"))
    new = f"{stem}-new{end}"
    line = f"ncz mv --overwrite {shlex.join((new, path))}"
    then = either(line, f"ncz.mv({new!r}, {path!r}, overwrite=True)")
    return f"choose another target, such as {new}, and rename it afterwards: {then}"


def _refuse_overlap(source: Location, target: Location, *, may_be_equal: bool) -> None:
    """Raise `UrlError` for a target within the source, or a remote one that contains the source."""
    if (source.kind == "remote") != (target.kind == "remote"):
        return
    if source.kind == "remote" or source.kind == "memory":
        ours, theirs = source.path.rstrip("/"), target.path.rstrip("/")
    else:
        ours, theirs = os.path.realpath(source.path), os.path.realpath(target.path)
    if ours == theirs and may_be_equal and source.kind != "remote":
        return  # the target is built next to it, and replaces it when all is read
    if ours == theirs:
        raise UrlError("the target is also a source", target.display, _other_target(target))
    if f"{theirs}/".startswith(f"{ours}/"):
        raise UrlError(
            "the target is within the source", target.display, "choose a target outside it"
        )
    # The existing target is removed before the end.
    is_in_place = source.kind in ("remote", "memory")
    if is_in_place and f"{ours}/".startswith(f"{theirs}/"):
        raise UrlError(
            "the source is within the target", target.display, "choose a target outside it"
        )
