"""Lines of other programs, and the lines of ncz that they become."""

from __future__ import annotations

import shlex

import click

from ncz.cli import load
from ncz.cli.programs.operators import line_of
from ncz.cli.terminal import Terminal


def parsed(line: list[str]) -> click.Context:
    """Parse a command line of ncz, which raises `click.UsageError` if an option is unknown."""
    name, *rest = line
    return load(name).make_context(f"ncz {name}", rest, obj=Terminal())


def check_line(line: str, ours: str | None) -> None:
    """Check that a line becomes a valid line of ncz, or None."""
    word, *typed = shlex.split(line)
    found = line_of(word, typed)
    assert found == (None if ours is None else shlex.split(ours))
    if found is not None:
        assert parsed(found).params
