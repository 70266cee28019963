"""Targets of ``ncz copy`` that are folders: each source gets its own name there, as by cp."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ncz.cli.dataset_endings import NETCDF, WITH_CDL, is_named
from ncz.cli.kind_options import chosen_kind, chosen_mode
from ncz.cli.source_options import locate
from ncz.cli.terminal import terminal_of
from ncz.errors import NczError, Notice
from ncz.zmap.key import ROOT_DOCUMENTS

_BUCKET = re.compile(r"(s3|gs|gcs|az|abfs)://[^/]+")
"""The URL of a bucket, which is a folder without a slash too."""

_OTHER_TARGETS = ("each", "concat", "new_dimension", "append", "into", "add", "split")
"""Options that say where the sources are copied to."""


def target_in_folder(
    ctx: click.Context, sources: Sequence[str], target: str, values: dict[str, Any]
) -> str:
    """Return the target of a source that keeps its name and its form in a folder.

    Other sources are copied to the folder each: the option ``--each`` is set. A target that is no
    folder is returned unchanged.
    """
    if any(values[name] for name in _OTHER_TARGETS) or not _is_plain_folder(target):
        return target
    are_several = _are_several(ctx, sources)
    if not (os.path.isdir(target) or are_several or _has_others(ctx, target)):
        return target
    chooses_form = _chooses_form(values)
    if not (chooses_form or are_several):
        name = os.path.basename(sources[0].partition("#")[0].rstrip("/"))
        return f"{target.rstrip('/')}/{name}" if "://" in target else os.path.join(target, name)
    ctx.params["each"] = values["each"] = True
    if not chooses_form and all(is_named(each, NETCDF) for each in sources):
        terminal_of(ctx).notify(
            Notice("netcdf-to-stores", "the copies are Zarr stores", hint="for netCDF, add -4")
        )
    return target


def _is_plain_folder(target: str) -> bool:
    """Return whether the name of a target means a folder, and not a store."""
    if "#" in target or is_named(target, WITH_CDL):
        return False
    if "://" in target or not os.path.isdir(target):
        return target.endswith("/") or _BUCKET.fullmatch(target) is not None
    return not any(os.path.exists(os.path.join(target, name)) for name in ROOT_DOCUMENTS)


def _are_several(ctx: click.Context, sources: Sequence[str]) -> bool:
    """Return whether sources are several datasets, or a pattern or folder of them."""
    if len(sources) > 1:
        return True
    if sources == ("-",):
        return False
    from ncz.commands.copy.expanded_sources import expand_sources

    return [*expand_sources(sources[0], True, lambda url: locate(ctx, url))] != [*sources]


def _has_others(ctx: click.Context, target: str) -> bool:
    """Return whether a server has something at a URL, as in a folder, and no store."""
    if "://" not in target:
        return False
    from ncz.zmap.opening import open_zmap

    try:
        with contextlib.closing(open_zmap(locate(ctx, target))) as zmap:
            names = zmap.search("")
    except NczError:  # a missing source; the copy finds other errors
        return False
    return bool(names) and {*ROOT_DOCUMENTS}.isdisjoint(names)


def _chooses_form(values: Mapping[str, Any]) -> bool:
    """Return whether options choose the format of the target."""
    names = ("cloud", "modes", "zarr_format", "audience")
    return any(values[name] for name in names) or bool(chosen_kind() or chosen_mode())
