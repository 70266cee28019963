"""Paths that an option took as its value because its own value is missing."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from itertools import takewhile

import click

from ncz.cli.dataset_endings import WITH_CDL, is_named


def taken_by_option(ctx: click.Context, typed: Sequence[str]) -> str | None:
    """Return a message if the value of an option looks like the path or URL of a dataset.

    `typed` are the words of the command line.
    """
    for parameter in ctx.command.params:
        if not isinstance(parameter, click.Option) or parameter.metavar not in _NAMES:
            continue
        what, name = _NAMES[parameter.metavar]
        given = ctx.params.get(parameter.name or "")
        for value in given if isinstance(given, tuple) else (given,):
            if isinstance(value, str) and _is_path(value):
                words = list(typed)
                words.insert(words.index(value) if value in words else len(words), name)
                line = shlex.join((*ctx.command_path.split(), *words))
                has_all = any("--all" in each.opts for each in ctx.command.params)
                other = f"; for all of them, type --all for {parameter.opts[0]}" if has_all else ""
                return f"{parameter.opts[0]} takes {what}, and got {value!r}; type: {line}{other}"
    return None


def missing_value_message(ctx: click.Context, typed: Sequence[str], option: str) -> str | None:
    """Return the message for an option at the end of a line, which has no value.

    None for an option whose value is not a name in a dataset.
    """
    for parameter in ctx.command.params:
        if option in parameter.opts and parameter.metavar in _NAMES:
            what, name = _NAMES[parameter.metavar]
            line = shlex.join((*ctx.command_path.split(), *typed, name))
            return f"{option} takes {what}; type: {line}"
    return None


def refuse_divided_selection(typed: Sequence[str]) -> None:
    """Raise `click.UsageError` if a space divides a selection into several words."""
    for at, option in enumerate(typed):
        if option in ("--sel", "--isel"):
            parts = [*typed[at + 1 : at + 2], *takewhile(_is_selection, typed[at + 2 :])]
            if len(parts) > 1:
                line = shlex.join((option, ",".join(parts)))
                raise click.UsageError(f"{option} takes one list, with commas; type: {line}")


def _is_selection(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.replace("/", "_").isidentifier() and not _is_path(word)


_NAMES = {
    "DIM": ("a dimension", "time"),
    **dict.fromkeys(("V,...", "VAR,...", "GLOB,..."), ("names of variables", "VAR")),
    "G,...": ("names of groups", "GROUP"),
    "[V=]TYPE": ("a type", "short"),
}
"""Options that take names in a dataset: the kind of name, and an example."""


def _is_path(value: str) -> bool:
    return "://" in value or is_named(value, WITH_CDL) or os.path.exists(value)
