"""Words of xarray, rsync, nccopy and zarr-python in a line of ``ncz copy``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ncz.cli.dataset_endings import WITH_CDL, is_named
from ncz.cli.line_order import is_place
from ncz.cli.options import WORDS

_KEEPS = ("--skip-existing", "--ignore-existing", "--update", "--skip-duplicates")
"""Options of other programs that keep the contents of a target; of an append, its values."""

_MODES = {"w-": [], "x": [], "a": ["--add"], "a-": ["--add"], "r+": ["--add"]}
"""Modes of xarray, and the options that mean the same."""

_APPENDS = ("--append", "--append-dim")
_CHANGES = (*_APPENDS, "--into", "--region")
"""Options of changes in a target, which make a mode meaningless."""

_CODECS = ("--compression", "--compressor", "--compress", "--codec")
_LEVELS = ("--level", "--clevel", "--complevel", "--compression-level", "--compress-level")

_FILES = (".nc", ".nc4", ".cdf", ".h5", ".hdf5")
"""Endings of netCDF files, which are mostly copied to a store of the same name."""


def in_own_words(args: Sequence[str]) -> list[str]:
    """Return the words of a line with the options of ncz.

    Raises
    ------
    click.UsageError
        For the mode of xarray that replaces a target.
    """
    words = [*args]
    for rewrite in (_with_help, _with_region, _with_overlap, _with_mode, _with_level):
        words = rewrite(words)
    return words


def _with_help(words: list[str]) -> list[str]:
    """Return ``--help`` for other words for it; the chunk cache of nccopy, ``-h``, has a number."""
    if words == ["help"] and not os.path.lexists("help"):
        return ["--help"]
    at = words.index("-h") if "-h" in words else len(words)
    has_number = "".join(words[at + 1 : at + 2])[:1].isdigit()
    return words if at == len(words) or has_number else ["--help"]


def _with_region(words: list[str]) -> list[str]:
    """Return ``--into auto`` for the region of xarray."""
    return [
        "--into" if (word, after) == ("--region", "auto") else word
        for word, after in zip(words, (*words[1:], ""), strict=False)
    ]


def _with_overlap(words: list[str]) -> list[str]:
    """Return an append that keeps the values of the target, if an option asks for that."""
    if not {*_APPENDS} & {*words}:
        return words
    return [
        each for word in words for each in (("--overlap", "first") if word in _KEEPS else (word,))
    ]


def _with_mode(words: list[str]) -> list[str]:
    """Return the options without a mode of xarray, with its meaning."""
    if "--mode" not in words[:-1]:
        return words
    at = words.index("--mode")
    mode = words[at + 1]
    if mode == "w":
        raise click.UsageError("--mode is the form of DST; to replace DST, use --overwrite")
    if mode not in _MODES:
        return words
    own = [] if {*_CHANGES} & {*words} else _MODES[mode]
    return [*words[:at], *own, *words[at + 2 :]]


def _with_level(words: list[str]) -> list[str]:
    """Return the options with the level of a codec after its name, where both are options."""
    codec = next((at for at, word in enumerate(words) if word in _CODECS), len(words))
    level = next((at for at, word in enumerate(words) if word in _LEVELS), len(words))
    name, number = ("".join(words[at + 1 : at + 2]) for at in (codec, level))
    if not name.isalnum() or not number.isdigit():
        return words
    own = [*words[:codec], "--codec", f"{name}:{number}", *words[codec + 2 :]]
    del own[level : level + 2]
    return own


def refuse_misread_words(
    ctx: click.Context, sources: Sequence[str], target: str, values: Mapping[str, Any]
) -> None:
    """Raise `click.UsageError` for words that would have another meaning than elsewhere."""
    if not sources:
        raise click.UsageError(_missing_target(ctx, target))
    before = sources[-1]
    is_path = is_named(target, WITH_CDL) or target == "-" or "/" in target or os.path.exists(target)
    is_new = is_named(before, WITH_CDL) and not is_place(before) and not {*"*?["} & {*before}
    if len(sources) > 1 and is_new and not is_path:
        raise click.UsageError(
            f"{before} does not exist; if it is the target, no option takes {target!r} after it"
        )
    if "=" in (values["region"] or ""):
        raise click.UsageError(
            f"--region is the region of an S3 bucket; to select, use --isel {values['region']}, and"
            f" to write into a part of DST, --into {values['region']}"
        )
    names = ",".join(values["data_of"] or ())
    if names and {"-x", "-xv", "-vx"} & {*ctx.meta.get(WORDS, ())}:
        raise click.UsageError(
            "-x has no effect in nccopy, and -v only chooses data; to copy all but some variables,"
            f" use --exclude {names}"
        )


def _missing_target(ctx: click.Context, source: str) -> str:
    """Return the message for a line with one path."""
    from ncz.cli.misplaced_values import taken_by_option

    taken = taken_by_option(ctx, ctx.meta[WORDS])
    if taken is not None:
        return taken
    stem, end = os.path.splitext(source)
    store = f"{stem}.zarr"
    if end not in _FILES or not os.path.isfile(source) or os.path.lexists(store):
        store = "TARGET"
    return f"the target is missing; type: ncz copy {shlex.join((source, store))}"
