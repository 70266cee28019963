"""Answer the requests of a shell for completions of a line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import click
from click.shell_completion import CompletionItem, shell_complete

from ncz.cli.candidates import VALUES
from ncz.cli.named_datasets import urls
from ncz.cli.shell_words import join_urls, words_of

FILES = frozenset({"store", "source", "sources", "target", "first", "second"})
"""Arguments that are paths, which the shell completes itself, or URLs."""

NAMES = {"patterns": "keys", "names": "variables", "variable": "variables"}
"""Arguments that are names in a dataset, and their completion."""


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
        The request of the shell, such as "bash_complete".
    """
    is_bash = instruction.startswith("bash")
    if is_bash:
        join_urls(os.environ)
    words = words_of(os.environ.get("COMP_WORDS", ""))[1:]
    for known in _commands(command, words):
        for parameter in known.params:
            is_argument = isinstance(parameter, click.Argument)
            named = NAMES.get(parameter.name or "", "") if is_argument else ""
            complete = VALUES.get(getattr(parameter, "completes", None) or named)
            if complete is not None:
                parameter.shell_complete = partial(  # type: ignore[method-assign]
                    _values, words=words, complete=complete
                )
            elif parameter.name in FILES and is_argument:
                parameter.shell_complete = partial(  # type: ignore[method-assign]
                    _places, words=words, is_bash=is_bash
                )
    return shell_complete(command, {}, program, variable, instruction)


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
    # A shell shows names without escapes, and a newline ends a name.
    found = (value for value in complete(words, incomplete) if value.isprintable())
    return [CompletionItem(value) for value in found]


def _places(
    _: click.Context, incomplete: str, *, words: Sequence[str], is_bash: bool
) -> list[CompletionItem]:
    if "://" not in incomplete:
        return [CompletionItem(incomplete, type="file")]
    # Bash replaces the text after the last colon.
    start = incomplete.rfind(":") + 1 if is_bash else 0
    found = (url for url in urls(words, incomplete) if url.isprintable())
    return [CompletionItem(url[start:]) for url in found]
