"""Answer a shell that asks how a line can be completed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, shell_complete

if TYPE_CHECKING:
    from ncz.model.tree import Dataset

# The values that options take.

Complete = Callable[[Sequence[str], str], Sequence[str]]
"""Return the completions of a word, given all words of the line and the start of the word."""

FILES = frozenset({"store", "source", "sources", "target", "first", "second"})
"""Arguments that are paths, which the shell completes itself."""


def _one(known: Callable[[], Iterable[str]], _: Sequence[str], start: str) -> list[str]:
    return [value for value in known() if value.startswith(start)]


def _listed(known: Callable[[Sequence[str]], Iterable[str]], words: Sequence[str], start: str,
            *, after: str = "") -> list[str]:  # fmt: skip
    """Complete the last name of a list with commas; `after` follows each name."""
    before, comma, last = start.rpartition(",")
    earlier = set(before.split(","))
    return [
        f"{before}{comma}{name}{after}"
        for name in dict.fromkeys(known(words))
        if name.startswith(last) and name not in earlier
    ]


def _variables(words: Sequence[str]) -> list[str]:
    from ncz.model.tree import variables_by_fqn

    return _names(words, lambda dataset: [fqn for fqn, _ in variables_by_fqn(dataset.root)])


def _groups(words: Sequence[str]) -> list[str]:
    from ncz.model.tree import walk

    return _names(words, lambda dataset: [fqn for fqn, _ in walk(dataset.root) if fqn])


def _dimensions(words: Sequence[str]) -> list[str]:
    from ncz.model.tree import dimensions_by_fqn

    return _names(words, lambda dataset: list(dimensions_by_fqn(dataset.root)))


def _names(words: Sequence[str], fqns_of: Callable[[Dataset], list[str]]) -> list[str]:
    """Return names in the first local dataset on the line: those of the root without a slash."""
    from ncz.errors import NczError
    from ncz.formats.opening import open_dataset
    from ncz.zmap.location import parse_location

    for word in words:
        if word.startswith("-") or not os.path.exists(word.partition("#")[0]):
            continue
        try:
            with open_dataset(parse_location(word)) as opened:
                fqns = fqns_of(opened.dataset)
        except NczError:
            continue
        return [fqn[1:] if fqn.count("/") == 1 else fqn for fqn in fqns]
    return []


def _modes(_: Sequence[str]) -> Iterable[str]:
    from ncz.zmap.location import MODES

    return MODES


def _readers(_: Sequence[str]) -> Iterable[str]:
    from ncz.formats.zarr.readers import READERS

    return READERS


def _codecs() -> Iterable[str]:
    from ncz.codec.catalogue import short_names

    return short_names()


def _kinds() -> Iterable[str]:
    return ("nc3", "nc4", "nc5", "nc6", "nc7")


VALUES: Mapping[str, Complete] = {
    "variables": partial(_listed, _variables),
    "groups": partial(_listed, _groups),
    "selection": partial(_listed, _dimensions, after="="),
    "chunks": partial(_listed, _dimensions, after="/"),
    "modes": partial(_listed, _modes),
    "readers": partial(_listed, _readers),
    "codecs": partial(_one, _codecs),
    "kinds": partial(_one, _kinds),
}
"""What an option `completes` -> what completes its values."""


def answer(command: click.Command, program: str, variable: str, instruction: str) -> int:
    """Print the completions of the line in the environment, and return the exit code.

    Parameters
    ----------
    command
        The command of the program.
    program
        The name of the program.
    variable
        The environment variable with the instruction.
    instruction
        What the shell asks for, such as "bash_complete".
    """
    words = _words()
    for known in _commands(command, words):
        for parameter in known.params:
            complete = VALUES.get(getattr(parameter, "completes", None) or "")
            if complete is not None:
                parameter.shell_complete = partial(  # type: ignore[method-assign]
                    _values, words=words, complete=complete
                )
            elif parameter.name in FILES and isinstance(parameter, click.Argument):
                parameter.shell_complete = partial(_files)  # type: ignore[method-assign]
    return shell_complete(command, {}, program, variable, instruction)


def _words() -> list[str]:
    """Return the words of the line, without the program."""
    line = os.environ.get("COMP_WORDS", "")
    try:
        return shlex.split(line)[1:]
    except ValueError:  # a quote that is still open
        return line.split()[1:]


def _commands(command: click.Command, words: Sequence[str]) -> Iterator[click.Command]:
    """Yield the commands that the line calls."""
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        called = [c for c in (command.get_command(context, word) for word in words) if c]
        yield from called[:1]


def _values(
    _: click.Context,
    incomplete: str,
    *,
    words: Sequence[str],
    complete: Callable[[Sequence[str], str], Sequence[str]],
) -> list[CompletionItem]:
    # A shell shows names as they are, and takes a newline for the end of one.
    found = (value for value in complete(words, incomplete) if value.isprintable())
    return [CompletionItem(value) for value in found]


def _files(_: click.Context, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]
