"""Options of other programs in a line of ncz, replaced by options of the command."""

from __future__ import annotations

import os
import re

import click

from ncz.cli.programs.gdal_names import is_gdal_name, path_and_variable
from ncz.cli.programs.habits import (
    answer_of,
    habit_of_option,
    joined_ranges,
    nearest_option,
    replacement,
    split_cluster,
    with_two_hyphens,
)
from ncz.cli.programs.nco_subsets import selections_of


def in_own_words(
    command: str, args: list[str], own: set[str], flags: set[str], ctx: click.Context
) -> list[str]:
    """Replace options of other programs by the `own` options of a command.

    `flags` are options without a value.

    Raises
    ------
    click.UsageError
        For an option that ncz lacks; the message has the line to type.
    """
    words: list[str] = []
    front: list[str] = []
    last: list[str] = []
    slabs: list[str] = []
    rest = list(args)
    while rest and rest[0] != "--":
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if is_gdal_name(word):
            path, variable = path_and_variable(word)
            words += [path, *(("--vars", variable) if variable and "--vars" in own else ())]
            continue
        if name in _HYPERSLABS and rest and _is_hyperslab(rest[0]) and "--isel" in own:
            slabs.append(rest.pop(0))
            continue
        if name in own or _is_no_option(name):
            words.append(word)
            if word == "--nearest" and rest and _is_selection(rest[0]):
                words.append("--sel")  # the point is typed as its value
            continue
        following = value if equals else (rest[0] if rest else "")
        habit = habit_of_option(command, name, following)
        if habit is None:
            options = split_cluster(word, command, flags, own)
            if options:
                rest = [*options, *rest]
            else:
                words.append(_nearest_word(word, own))
            continue
        if not equals and rest and habit.takes_value(f"{name}={following}"):
            value = rest.pop(0)
            rest, value = habit.with_numbers(value, rest)
            rest, value = habit.as_range(value, rest)
        elif equals:
            rest, value = habit.as_range(value, rest)
        if habit.runs and habit.has_parts(value):
            place = last if habit.is_target else front if habit.is_first else words
            place.extend(replacement(habit, value))
        elif not ctx.resilient_parsing:
            raise click.UsageError(answer_of(habit, name, [*words, *rest], value, command))
    if slabs:
        paths = [word for word in args if os.path.exists(word)]
        words += selections_of(slabs, paths if len(paths) == 1 else ())
    return [*front, *joined_ranges(words), *rest, *last]


_HYPERSLABS = ("-d", "--dmn", "--hyperslab")
"""Options of NCO for a part of a dimension."""


def _is_hyperslab(text: str) -> bool:
    """Return whether a text is a dimension and its limits, as in NCO: ``time,0,2``."""
    limit = r"[-+]?[0-9.][0-9.eE+:T-]*"
    return re.fullmatch(rf"[A-Za-z_]\w*,({limit})?(,({limit})?){{0,2}}", text) is not None


def _is_selection(word: str) -> bool:
    """Return whether a word selects by coordinates, as in ``lat=10,lon=50``."""
    return re.match(r"[A-Za-z_]\w*=", word) is not None and not os.path.lexists(word)


def _is_no_option(name: str) -> bool:
    """Return whether a word is a name, a number below zero, or - for standard input."""
    return not name.startswith("-") or name == "-" or name[1:].replace(".", "", 1).isdigit()


def _nearest_word(word: str, own: set[str]) -> str:
    """Return the option of ncz that a word means, or the word itself."""
    whole = with_two_hyphens(word, own)
    if whole is not None:
        return whole
    name, equals, value = word.partition("=")
    nearest = nearest_option(name, own)
    return word if nearest is None else f"{nearest}{equals}{value}"
