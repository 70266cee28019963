"""Command lines in another order than ncz has, or with words that say nothing."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

_PROGRAMS = ("ncz", "cdo", "nco", "rclone", "aws", "gsutil", "s3cmd", "s5cmd", "mc", "zarr")
"""Programs whose names are typed before what ncz does as they do."""

_GROUPS = ("s3", "fs")
"""Words between the name of such a program and its command."""

_FILLERS = ("to", "into", "as", "in", "from", "->", "=>", "and", "with", "vs")
"""Words between paths that say nothing."""

_HELP = ("/?", "/h", "/help", "?", "-?", "--?", "-help", "--hlep", "--hepl")

_TABLES = (".csv",)


def is_place(word: str) -> bool:
    """Return whether a word is a URL, or a path that exists."""
    return "://" in word or os.path.lexists(word.partition("#")[0])


def arranged(args: Sequence[str], commands: Collection[str]) -> list[str]:
    """Return a command line with its command first, and without the name of another program.

    Parameters
    ----------
    args
        The words after ``ncz``.
    commands
        The commands that may come after the dataset.
    """
    words = list(args)
    if len(words) > 1 and words[0] in _PROGRAMS and not is_place(words[0]):
        del words[0]
        if len(words) > 1 and words[0] in _GROUPS:
            del words[0]
    if words[:1] and words[0] in _HELP:
        return ["--help"]
    if not words or words[0] in commands or not is_place(words[0]):
        return words
    for at, word in enumerate(words):
        if word in commands and not is_place(word):
            return [word, *words[:at], *words[at + 1 :]]
    return words


def without_fillers(args: Sequence[str]) -> list[str]:
    """Return a command line without words such as "to" between its paths."""
    words = [args[0]]
    for word, following in zip(args[1:], [*args[2:], "-"], strict=False):
        is_filler = word.lower() in _FILLERS and not os.path.lexists(word)
        before = words[-1] if len(words) > 1 else ""
        if is_filler and not following.startswith("-") and not before.startswith("-"):
            continue
        words.append(word)
    return words


def to_table(args: Sequence[str]) -> list[str]:
    """Return the line of ``dump`` for one of ``copy`` whose target is a table."""
    is_plain = len(args) == 3 and args[0] == "copy" and not args[1].startswith("-")
    if is_plain and args[2].lower().endswith(_TABLES):
        return ["dump", "--csv", args[1], "-o", args[2]]
    return list(args)


def with_whole_names(args: Sequence[str]) -> list[str]:
    """Return a command line in which the parts of a file name with spaces are one word."""
    words: list[str] = []
    rest = list(args)
    while rest:
        count = 1
        if not rest[0].startswith("-") and not is_place(rest[0]):
            several = range(min(len(rest), _MOST_PARTS), 1, -1)
            count = next((n for n in several if os.path.isfile(" ".join(rest[:n]))), 1)
        words.append(" ".join(rest[:count]))
        del rest[:count]
    return words


_MOST_PARTS = 6
