"""Filters for the names of files, as in aws, rclone and rsync."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

Filters = Sequence[tuple[bool, str]]
"""Patterns in their order, and whether each of them includes the files that it matches."""


def without_filters(typed: Sequence[str]) -> tuple[list[str], Filters]:
    """Return the words without ``--include``, ``--exclude`` and ``--filter``, and the filters."""
    words: list[str] = []
    filters: list[tuple[bool, str]] = []
    rest = list(typed)
    while rest:
        word = rest.pop(0)
        option, equals, pattern = word.partition("=")
        if option not in ("--include", "--exclude", "--filter") or not (equals or rest):
            words.append(word)
            continue
        pattern = pattern if equals else rest.pop(0)
        sign, _, name = pattern.partition(" ")
        if option == "--filter" and sign in ("+", "-"):
            filters.append((sign == "+", name))
        elif option == "--filter":
            words += [option, pattern]  # rules of other kinds are not known
        else:
            filters.append((option == "--include", pattern))
    return words, filters


def filter_names(names: Iterable[str], filters: Filters, *, first_wins: bool) -> list[str]:
    """Return the names that filters leave.

    Parameters
    ----------
    names
        The names.
    filters
        The filters. If all of them include, they select only matching names.
    first_wins
        Whether the first filter that matches a name decides, as in rsync and rclone, and not the
        last one, as in aws.
    """
    ordered = filters if first_wins else [*reversed(filters)]
    otherwise = not all(includes for includes, _ in filters) or not filters

    def is_kept(name: str) -> bool:
        matching = (includes for includes, pattern in ordered if fnmatchcase(name, pattern))
        return next(matching, otherwise)

    return [name for name in names if is_kept(name)]
