"""Answer a shell that asks how a line can be completed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import click
from click.shell_completion import CompletionItem, shell_complete

from ncz.cli.candidates import VALUES

FILES = frozenset({"store", "source", "sources", "target", "first", "second"})
"""Arguments that are paths, which the shell completes itself."""


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
