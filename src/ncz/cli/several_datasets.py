"""A command of one dataset that is given several: it is run for each, in their order."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import Any

import click

from ncz.cli.line_order import is_place
from ncz.cli.terminal import print_lines

_LEAST = {"dump": 2, "check": 3, "edit": 3}
"""Commands that take several datasets, and how many there must be: two may mean something else."""

_OF_ONE = ("-o", "--output", "--html")
"""Options with a file for one dataset."""


class ForEach(click.Command):
    """A command that is run once for each of several lines."""

    def __init__(self, command: click.Command, lines: Sequence[Sequence[str]]) -> None:
        super().__init__(command.name)
        self.command = command
        self.lines = lines

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command for each line; the exit code is the highest."""
        code = 0
        for *rest, dataset in self.lines:
            if self.name == "check":
                print_lines([f"{dataset}:"])
            try:
                line = [dataset, *rest]
                with self.command.make_context(self.name, line, parent=ctx.parent) as each:
                    self.command.invoke(each)
            except click.exceptions.Exit as end:
                code = max(code, end.exit_code)
        ctx.exit(code)


def for_each(command: click.Command, args: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command and the words to run it with, for what was typed after its name.

    Raises `click.UsageError` if two datasets are given to a command that changes one.
    """
    name = command.name or ""
    if name not in _LEAST:
        return command, args
    datasets = [at for at in _positions(command, args) if is_place(args[at])]
    folders = [args[at] for at in datasets] if name == "check" else []
    if len(folders) == 1:
        files = _files_in(folders[0])
        rest = [word for at, word in enumerate(args) if at not in datasets]
        return (ForEach(command, [[*rest, each] for each in files]), []) if files else (
            command, args,
        )  # fmt: skip
    if name == "edit" and len(datasets) == 2:
        line = shlex.join(("ncz", "edit", args[datasets[0]]))
        raise click.UsageError(
            f"edit changes one dataset where it is, or with -o NEW in a copy; type: {line} CHANGES"
        )
    if len(datasets) < _LEAST[name]:
        return command, args
    if any(word.partition("=")[0] in _OF_ONE for word in args):
        raise click.UsageError(f"{name} writes one dataset to a file; name one")
    rest = [word for at, word in enumerate(args) if at not in datasets]
    return ForEach(command, [[*rest, args[at]] for at in datasets]), []


def _files_in(folder: str) -> Sequence[str]:
    """Return the netCDF files in a folder that is no store."""
    from ncz.zmap.key import ROOT_DOCUMENTS

    if any(os.path.exists(os.path.join(folder, name)) for name in ROOT_DOCUMENTS):
        return []
    from ncz.commands.copy.expanded_sources import files_in

    return files_in(folder)


def _positions(command: click.Command, args: Sequence[str]) -> list[int]:
    """Return the places of the words that are no options, nor values of options."""
    with_value = {
        name
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.is_flag and not parameter.count
        for name in parameter.opts
    }
    found = []
    before = ""
    for at, word in enumerate(args):
        if not word.startswith("-") and before not in with_value:
            found.append(at)
        before = word
    return found
