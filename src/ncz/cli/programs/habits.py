"""The ncz line to type for the words of other programs: commands and options.

The table is ``habits.txt``. It is read only for a word that ncz does not know.
"""

from __future__ import annotations

import importlib.resources
import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence

from ncz.record import record

_PLACE = re.compile(r"\{(\w+|\*|\.\.\.)(?::([^}]*))?\}")
"""A placeholder for typed text, and its default."""


OMIT = "omit"
"""The line of an option that ncz does not need."""


@record(kw_only=True)
class Habit:
    """A row of the table.

    Attributes
    ----------
    words
        Commands or options that mean the same.
    program
        The program that people know them from.
    commands
        The commands of ncz where an option is met; none for all.
    line
        The line to type, which begins with "ncz", or the line that ncz runs instead.
    other
        Other ways to do it, mostly in other programs.
    """

    words: tuple[str, ...]
    program: str
    commands: tuple[str, ...]
    line: str
    other: str

    @property
    def runs(self) -> bool:
        """Whether ncz runs the line itself, if it is complete."""
        return bool(self.line) and not self.line.startswith("ncz ")

    def is_complete(self, typed: Sequence[str], value: str) -> bool:
        """Return whether all places of the line, and no others, were given something.

        `fill_template` describes the parameters.
        """
        parts = value.split(",") if value else []
        letters = {name for name, _ in _PLACE.findall(self.line)}
        numbers = {int(name) for name in letters if name.isdigit()}
        if not letters.isdisjoint({"...", "rest"}):
            return "v" in letters or not parts
        paths = _paths(typed)
        wanted = sum(letter in letters for letter in "abcde")
        has_paths = "*" in letters or (numbers == {*range(1, len(paths) + 1)})
        has_values = bool(parts) if "v" in letters else len(parts) == wanted
        return has_paths and has_values and len(paths) == len(typed) and (bool(paths) or not typed)

    def has_parts(self, value: str) -> bool:
        """Return whether a value has as many parts as the line of an option has places for."""
        wanted = {name for name, _ in _PLACE.findall(self.line)} & {*"abcde"}
        return not wanted or len(value.split(",")) == len(wanted)

    def as_range(self, value: str, rest: Sequence[str]) -> tuple[list[str], str]:
        """Return the words that follow a value, and the range of a coordinate that it means.

        The limits may be two words, or have a comma between them.
        """
        if not re.fullmatch(r"--sel \w+=\{v\}", self.line) or ":" in value.partition("T")[0]:
            return list(rest), value
        first, comma, last = value.partition(",")
        if comma and "," not in last and _is_limit(first) and _is_limit(last):
            return list(rest), f"{first}:{last}"
        if rest and _is_limit(value) and _is_limit(rest[0]) and not os.path.lexists(rest[0]):
            return list(rest[1:]), f"{value}:{rest[0]}"
        return list(rest), value

    def with_numbers(self, value: str, rest: Sequence[str]) -> tuple[list[str], str]:
        """Return the words that follow a value, and the value with the numbers that belong to it.

        GDAL has each side of a box as a separate word.
        """
        wanted = {name for name, _ in _PLACE.findall(self.line)} & {*"abcde"}
        count = len(wanted) - 1
        more = list(rest[:count])
        if not wanted or "," in value or not all(map(_is_number, (value, *more))):
            return list(rest), value
        return list(rest[count:]), ",".join((value, *more))

    @property
    def is_option(self) -> bool:
        """Whether the words are options."""
        return self.words[0].startswith("-")

    @property
    def least_paths(self) -> int:
        """The number of paths that must be typed; other rows need more."""
        places = _PLACE.finditer(self.line)
        return max((int(p[1]) for p in places if p[1].isdigit() and p[2] is None), default=0)

    @property
    def is_target(self) -> bool:
        """Whether the value of an option is the last argument of the command."""
        return self.line == "{last}"

    @property
    def is_first(self) -> bool:
        """Whether the value of an option is the first argument of the command."""
        return self.line == "{front}"

    def takes_value(self, pair: str) -> bool:
        """Return whether an option is followed by a value, as `pair` is written with "="."""
        places = {name for name, _ in _PLACE.findall(f"{self.line} {self.other}")}
        words = map(plain_option, self.words)
        return plain_option(pair) in words or not places.isdisjoint(
            {"v", *"abcde", "last", "first", "front", "drop"}
        )


def _is_limit(word: str) -> bool:
    """Return whether a word is a number or a date."""
    return re.fullmatch(r"[+-]?[0-9.][0-9.eE+:TZ-]*", word) is not None


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", word) is not None


def habits() -> Iterator[Habit]:
    """Yield all rows of the table."""
    table = importlib.resources.files("ncz.cli.programs").joinpath("habits.txt").read_text("utf-8")
    for row in table.splitlines():
        if row and not row.startswith("#"):
            words, program, commands, line, other = (*map(str.strip, row.split("|")), "")[:5]
            yield Habit(
                words=tuple(words.split()),
                program=program,
                commands=tuple(commands.split()),
                line=line,
                other=other,
            )


_MODULES = re.compile(r"^(xarray|xr|zarr|ncz|netcdf4|h5py|nc)\.(?=[a-z])")
"""The name of a package of Python before a function's name."""


def habit_of_command(word: str, typed: Sequence[str]) -> Habit | None:
    """Return the entry for a word that was typed, with others, in place of a command of ncz."""
    name = _MODULES.sub("", word.partition(",")[0].lower())
    names = {name, name.replace("_", "-"), re.sub("[-.]", "_", name)}
    count = len(_paths(typed))
    for each in habits():
        if not each.is_option and not names.isdisjoint(each.words) and each.least_paths <= count:
            return each
    return None


def habit_of_option(command: str, name: str, value: str) -> Habit | None:
    """Return the entry for an option that a command does not have.

    A row for the option with this value comes first, then one with its codec, and one for the
    command. A row with the word as typed comes before one with its plural.
    """
    rows = [each for each in habits() if each.is_option]
    codec = re.split("[:+]", value)[0]
    for word in (f"{name}={value}", f"{name}={codec}", name):
        plain = plain_option(word)
        alike = [each for each in rows if plain in map(plain_option, each.words)]
        found = sorted(alike, key=lambda each: word not in each.words)
        for each in found:
            if command in each.commands:
                return each
        for each in found:
            if not each.commands:
                return each
    return None


def plain_option(word: str) -> str:
    """Return a long option with hyphens and in the singular, as others may write it."""
    if not word.startswith("--"):
        return word
    name, equals, value = word.partition("=")
    return f"{name.lower().replace('_', '-').rstrip('s')}{equals}{value}"


def nearest_option(name: str, own: Collection[str]) -> str | None:
    """Return the option of a command that a long name means: another spelling, or its beginning.

    None if none exists, or several; options that remove or replace are never meant.
    """
    options = [each for each in own if each.startswith("--")]
    plain = plain_option(name)
    same = [each for each in options if plain_option(each) == plain]
    found = same or [each for each in options if len(plain) >= _LEAST and each.startswith(plain)]
    return found[0] if len(found) == 1 and found[0] not in _KEPT else None


def split_cluster(
    word: str, command: str, flags: Collection[str], own: Collection[str]
) -> list[str]:
    """Return the options of a cluster such as ``-la``; none if it is something else.

    Parameters
    ----------
    word
        The typed word.
    command
        The command of ncz.
    flags, own
        The options of the command without a value, and all of them.
    """
    if re.fullmatch("-[A-Za-z0-9]{2,}", word) is None:
        return []
    option, number = word[:2], word[2:]
    if number.isdigit() and option not in own:
        habit = habit_of_option(command, option, number)
        return [option, number] if habit is not None and habit.takes_value(option) else []
    options = [f"-{letter}" for letter in word[1:]]
    is_known = all(each in flags or habit_of_option(command, each, "") for each in options)
    if not is_known or (options[0] in own and options[0] not in flags):
        return []
    return [] if all(each in flags for each in options) else options


def joined_ranges(words: Sequence[str]) -> list[str]:
    """Return options with the start and the end of a range of times in one option."""
    starts = [word for word in words if re.fullmatch("time=[^:]+:", word)]
    ends = [word for word in words if re.fullmatch("time=:[^:]+", word)]
    if len(starts) != 1 or len(ends) != 1:
        return [*words]
    at = words.index(ends[0])
    rest = [*words[: at - 1], *words[at + 1 :]]
    return [f"{word}{ends[0][6:]}" if word == starts[0] else word for word in rest]


def with_two_hyphens(word: str, own: Collection[str]) -> str | None:
    """Return a long option that was typed with one hyphen; None for any other word."""
    name = word.partition("=")[0]
    is_long = name[:2] != "--" and len(name) > _SHORTEST and f"-{name}" in own
    return f"-{word}" if is_long else None


_SHORTEST = 4
"""The longest option with one hyphen that is never a long one."""

_LEAST = 6
"""The length of the shortest abbreviation of an option, with its hyphens."""

_KEPT = ("--overwrite", "--remove", "--delete", "--yes", "--fix", "--allow-loss")
"""Options that nobody gets without writing them."""


def fill_template(template: str, typed: Sequence[str], value: str = "", command: str = "") -> str:
    """Return a template filled with the typed words, as text for a shell.

    Parameters
    ----------
    template
        A line of the table, or an alternative.
    typed
        The words that were typed after the command, without the option that is replaced.
    value
        The value of the option, or the text after the first comma of the word.
    command
        The command that was typed.
    """
    paths = _paths(typed)
    numbers = {int(name) for name, _ in _PLACE.findall(template) if name.isdigit() and name != "0"}
    rest = list(typed)
    for number in sorted(numbers, reverse=True):
        if number <= len(paths):
            rest.remove(paths[number - 1])
    parts = [part.strip() for part in value.split(",")] if value else []
    texts: Mapping[str, Sequence[str]] = {
        "*": paths,
        "...": typed,
        "rest": rest,
        "v": [value] if value else [],
        "command": [command] if command else [],
        "0": paths[-1:] if len(paths) > 1 else [],
        **{str(number): paths[number - 1 : number] for number in numbers},
        **{letter: parts[at : at + 1] for at, letter in enumerate("abcde")},
    }

    def fill(place: re.Match[str]) -> str:
        name, otherwise = place[1], place[2]
        found = texts.get(name, ())
        return shlex.join(found) if found else otherwise or ""

    return re.sub(r"  +", " ", _PLACE.sub(fill, template)).strip()


def _paths(typed: Sequence[str]) -> list[str]:
    """Return the words that can be paths: no options, nor the numbers of options."""
    return [
        word
        for word in typed
        if word == "-"
        or not (word.startswith("-") or (_is_number(word) and not os.path.lexists(word)))
    ]


def answer_of(habit: Habit, word: str, typed: Sequence[str], value: str, command: str = "") -> str:
    """Return the message for a word that ncz does not run: the line to type, or an alternative.

    `fill_template` describes the parameters; `word` is the one that was typed.
    """
    line = fill_template(habit.line, typed, value, command)
    if habit.is_option and habit.runs:
        return f"ncz has no {word!r}; use {line}"
    line = f"ncz {line}" if habit.runs and line else line
    other = fill_template(habit.other, typed, value, command)
    if line:
        return f"ncz has no {word!r}; type: {line}" + (f"; {other}" if other else "")
    return f"ncz has no {word!r}; {other}"


def replacement(habit: Habit, value: str) -> list[str]:
    """Return the options of ncz that replace an option of another program, without "omit"."""
    if habit.line == OMIT:
        return []
    parts = {"v": value, **dict(zip("abcde", value.split(","), strict=False))}
    line = _PLACE.sub(
        lambda place: shlex.quote(parts.get(place[1], value) or place[2] or ""), habit.line
    )
    return shlex.split(line)
