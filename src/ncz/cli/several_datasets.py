"""Run a command that takes one dataset for several, in their order."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click

from ncz.cli.dataset_endings import is_named
from ncz.cli.line_order import is_place
from ncz.cli.named_datasets import options_of_servers
from ncz.cli.terminal import LOST, print_lines, terminal_of
from ncz.errors import NczError

_LEAST = {"dump": 2, "check": 3, "edit": 3, "ls": 2, "info": 2, "digest": 2}
"""Commands that take several datasets, and their smallest number: two may mean something else."""

_OF_FOLDERS = ("check", "digest")
"""Commands that take a folder for the datasets in it."""

_OF_ONE = ("-o", "--output", "--html")
"""Options with a file for one dataset."""


class ForEach(click.Command):
    """A command that is run once for each of several lines."""

    def __init__(
        self, command: click.Command, lines: Sequence[tuple[str, Sequence[str]]], code: int = 0
    ) -> None:
        super().__init__(command.name)
        self.command = command
        self.lines = lines
        """The dataset that is the heading of each line, or "", and its words."""
        self.code = code
        self.is_json = any("--json" in words for heading, words in lines if heading)
        """Whether the output is one JSON object of all headings; after an error one has null."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command for each line, after an error too; the exit code is the highest."""
        code = self.code
        for at, (heading, words) in enumerate(self.lines):
            if self.is_json:
                print_lines([f"{',' if at else '{'}{json.dumps(heading)}:"])
            elif heading:
                print_lines([f"{heading}:"])
            try:
                line = list(words)
                with self.command.make_context(self.name, line, parent=ctx.parent) as each:
                    self.command.invoke(each)
            except click.exceptions.Exit as end:
                code = max(code, end.exit_code)
            except NczError as error:
                if self.is_json:
                    print_lines(["null"])
                terminal_of(ctx).error(error)
                code = max(code, error.exit_code)
        if self.is_json:
            print_lines(["}"])
        ctx.exit(code)


def for_each(command: click.Command, args: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command and the words to run it with, from the words after its name.

    Raises `click.UsageError` if two datasets are given to a command that changes one.
    """
    name = command.name or ""
    if name not in (*_LEAST, "diff", "rm"):
        return command, args
    args = _with_matches(command, args)
    is_json = "--json" in args
    if name == "rm" or (name == "info" and not is_json):
        return command, args
    is_dataset = {"ls": _is_whole, "info": is_no_variable}.get(name, is_place)
    places = [at for at in _positions(command, args) if is_dataset(args[at])]
    datasets = [args[at] for at in places]
    rest = [word for at, word in enumerate(args) if at not in places]
    if name == "ls":
        _refuse_paths(args, datasets, rest)
    if name == "diff":
        return _each_pair(command, datasets, rest) or (command, args)
    if name in _OF_FOLDERS:
        is_deep = not {"-r", "-R", "--recursive", "--recurse"}.isdisjoint(rest)
        found = partial(_datasets_under, args=args) if is_deep else _files_in
        datasets = [path for each in datasets for path in list(found(each)) or [each]]
    is_as_typed = datasets == [args[at] for at in places]
    if name == "digest" and not (is_json and len(datasets) > 1):
        return command, args if is_as_typed else [*rest, *datasets]
    if name == "edit" and len(datasets) == 2:
        line = shlex.join(("ncz", "edit", datasets[0]))
        raise click.UsageError(
            f"edit changes one dataset where it is, or with -o NEW in a copy; type: {line} CHANGES"
        )
    if is_as_typed and len(datasets) < _LEAST[name]:
        return command, args
    if any(word.partition("=")[0] in _OF_ONE for word in args):
        raise click.UsageError(f"{name} writes one dataset to a file; name one")
    has_heading = is_json or name == "check" or (name == "ls" and "--sum" not in rest)
    lines = [(each if has_heading else "", [each, *rest]) for each in datasets]
    return ForEach(command, lines), []


def _refuse_paths(args: Sequence[str], datasets: Sequence[str], rest: Sequence[str]) -> None:
    """Raise `click.UsageError` for words of `ncz ls` that are paths of other files, and no keys."""
    first = next((word for word in args if not word.startswith("-")), "")
    files = [
        word
        for word in rest
        if word[:1] not in ("-", "/")
        and os.path.lexists(word)
        and (word == first or not os.path.lexists(os.path.join(first, word)))
    ]
    if files and len(datasets) + len(files) > 1:
        options = [word for word in rest if word.startswith("-")]
        line = shlex.join(("ncz", "ls", *options, *(datasets or ["."])))
        raise click.UsageError(f"{files[-1]} is no dataset, nor a key of one; type: {line}")


def _is_whole(word: str) -> bool:
    """Return whether a word of `ncz ls` is a dataset, and not a key in the one before."""
    return is_place(word) and ("://" in word or is_named(word))


def is_no_variable(word: str) -> bool:
    """Return whether a word of `ncz info` is a further dataset, and not the name of a variable."""
    return is_place(word) and not word.isidentifier()


def has_matches(word: str) -> bool:
    """Return whether a word is a pattern of URLs, which no shell expands."""
    return "://" in word and "*" in word.partition("#")[0]


def _with_matches(command: click.Command, args: list[str]) -> list[str]:
    """Return the words of a line with the URLs that its patterns match in place of these."""
    if not any(map(has_matches, args)):
        return args
    from ncz.commands.copy.expanded_sources import expand_sources
    from ncz.zmap.location import parse_location

    options = options_of_servers(args)
    places = {at for at in _positions(command, args) if has_matches(args[at])}
    return [
        each
        for at, word in enumerate(args)
        for each in (
            expand_sources(word, False, lambda url: parse_location(url, options=options))
            if at in places
            else (word,)
        )
    ]


def _each_pair(
    command: click.Command, folders: Sequence[str], rest: Sequence[str]
) -> tuple[click.Command, list[str]] | None:
    """Return the command that compares files of the same name; None unless both are folders."""
    found = [{os.path.basename(path): path for path in _files_in(each)} for each in folders]
    if len(found) != 2 or not all(found):
        return None
    first, second = found
    lines = [("", [path, second[name], *rest]) for name, path in first.items() if name in second]
    alone = [path for name, path in first.items() if name not in second]
    alone += [path for name, path in second.items() if name not in first]
    print_lines(f"only in one folder: {path}" for path in alone)
    return ForEach(command, lines, LOST if alone else 0), []


def _files_in(folder: str) -> Sequence[str]:
    """Return the netCDF files in a folder that is not a store."""
    if _is_store(folder):
        return []
    from ncz.commands.copy.expanded_sources import files_in

    return files_in(folder)


def _datasets_under(folder: str, args: Sequence[str]) -> Iterator[str]:
    """Yield the stores and the netCDF files in a folder, or below a URL, and in its folders."""
    from ncz.commands.copy.expanded_sources import FILES
    from ncz.system_errors import storage_errors

    if "://" in folder:
        from ncz.zmap.location import parse_location
        from ncz.zmap.stores_below import stores_below

        location = parse_location(folder, options=options_of_servers(args))
        yield from (below.display for below in stores_below(location))
        return
    if _is_store(folder):
        return
    with storage_errors(folder, "read"):
        for parent, folders, names in os.walk(folder, onerror=_raise):
            paths = [os.path.normpath(os.path.join(parent, name)) for name in sorted(folders)]
            yield from (path for path in paths if _is_store(path))
            folders[:] = [os.path.basename(path) for path in paths if not _is_store(path)]
            found = (name for name in sorted(names) if name.lower().endswith(FILES))
            yield from (os.path.normpath(os.path.join(parent, name)) for name in found)


def _raise(error: OSError) -> None:
    """Raise the error of a folder that cannot be listed, which `os.walk` would pass over."""
    raise error


def _is_store(folder: str) -> bool:
    from ncz.zmap.key import ROOT_DOCUMENTS

    return any(os.path.exists(os.path.join(folder, name)) for name in ROOT_DOCUMENTS)


def _positions(command: click.Command, args: Sequence[str]) -> list[int]:
    """Return the places of the words that are neither options nor values of options."""
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
