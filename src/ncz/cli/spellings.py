"""The spellings of a function's arguments on the command line, and their values."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal

import click

from ncz.cli.options import ClickOption, Decorator, Section, option, together
from ncz.record import record


@record
class Values:
    """The values that an option takes on the command line."""

    kind: Literal["text", "integer", "number", "size", "choice", "literal"] = "text"
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


TEXT = Values()
LITERAL = Values("literal")
"""The texts of the ``Literal`` that is the type of the argument."""
SIZE = Values("size")
"""A number of bytes, such as 10MB."""


def integer(least: int | None = None, most: int | None = None) -> Values:
    """Return the integers of a range."""
    return Values("integer", least, most)


def number(least: int | None = None) -> Values:
    """Return the numbers from `least`."""
    return Values("number", least)


def choice(*words: str) -> Values:
    """Return these words."""
    return Values("choice", choices=words)


@record
class Flag:
    """An option without a value that chooses one of several values of a field."""

    names: tuple[str, ...]
    value: str
    help: str
    common: bool = False


class Spelling:
    """The spelling of an argument on the command line; see `spelling`.

    Its attributes are the arguments of `spelling`. It is not a record, because a command declares
    dozens of them whenever it starts.
    """

    names: tuple[str, ...]
    section: Section
    metavar: str | None
    values: Values
    repeats: bool
    flags: tuple[Flag, ...]
    parse: Callable[[Any, str], object] | None
    common: bool
    environment: str | None
    completes: str | None
    gather: Callable[[Any], object] | None
    help: str | None

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.__dict__ = arguments


Spellings = Mapping[str, Spelling]
"""The spellings of the arguments of a command, in the order of the help."""


def spelling(
    *names: str,
    section: Section = "Options",
    metavar: str | None = None,
    values: Values = TEXT,
    repeats: bool = False,
    flags: tuple[Flag, ...] = (),
    parse: Callable[[Any, str], object] | None = None,
    common: bool = False,
    environment: str | None = None,
    completes: str | None = None,
    gather: Callable[[Any], object] | None = None,
    help: str | None = None,
) -> Spelling:
    """Return the spelling of an argument.

    Parameters
    ----------
    names
        The short and long names on the command line, and "--x/--no-x" for a flag with both. A flag
        "--no-x" sets False. Empty for `flags`.
    section
        The title of the section of the help.
    metavar
        The name of the value in the help. None means a flag.
    values
        The values that it takes.
    repeats
        Whether the option can be repeated. The argument is then a tuple of all values.
    flags
        Options without a value; each sets the argument to a value.
    parse
        Turns the value on the command line, and the name of the option, into the argument.
        If the option `repeats`, it turns each value into a sequence, and the argument has all of
        them.
    common
        Whether ``--help`` shows it. ``--help-all`` shows every option.
    environment
        An environment variable with the value.
    completes
        The completion of its values in a shell, as a key of `ncz.cli.candidates.VALUES`.
    gather
        Turns all values of an option that `repeats` into the argument.
    help
        The help, for a value that is written differently than in Python, and for an option that
        Python does not have. By default it is the description in the docstring.
    """
    return Spelling(locals())


class Size(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """A number of bytes: 1000, 10MB, 256MiB, 1.5G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        if isinstance(value, int):
            return value
        from ncz.text.sizes import parse_size

        size = parse_size(str(value))
        if size is None:
            self.fail(f"{value!r} is not a valid size; write 10MB or 256MiB", param, ctx)
        return size


class Number(click.FloatRange):
    """A number in a range, which excludes NaN."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        number: float = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


class WholeNumber(click.IntRange):
    """A whole number in a range, which errors name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        try:
            number: int = super().convert(value, param, ctx)
        except click.BadParameter:
            limits = (
                f"of at least {self.min}" if self.max is None else f"from {self.min} to {self.max}"
            )
            self.fail(f"{value!r} is not a whole number {limits}", param, ctx)
        return number


def words(text: str, _: str = "") -> tuple[str, ...]:
    """Split a list with commas and spaces."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def split_names(text: str, _: str = "") -> tuple[str, ...]:
    """Split a list of names with commas; spaces belong to the names."""
    return tuple(name for name in text.split(",") if name)


def arguments_of(function: Callable[..., Any], spellings: Spellings) -> Decorator:
    """Return a decorator that adds the options of the arguments of a function.

    The command receives their values by the names of the arguments; see `given_arguments`.
    """
    added: list[Decorator] = []
    for name, spelling in spellings.items():
        if spelling.names:
            added.append(_spelled_option(function, name, spelling))
        added += [
            option(
                *flag.names,
                name,
                section=spelling.section,
                common=flag.common,
                flag_value=flag.value,
                help=flag.help,
            )
            for flag in spelling.flags
        ]
    return together(*added)


def _spelled_option(function: Callable[..., Any], name: str, spelling: Spelling) -> Decorator:
    keywords: dict[str, Any] = {}
    if spelling.metavar is not None:
        keywords = {
            "metavar": spelling.metavar,
            "multiple": spelling.repeats,
            "type": _type_of(spelling.values, function, name),
        }
        if name == "memory":
            keywords["callback"] = _budget
    elif "/" in spelling.names[0]:
        keywords["default"] = None
    elif spelling.names[0].startswith("--no-"):
        keywords |= {"flag_value": False, "default": None}
    else:
        keywords["is_flag"] = True
    return option(
        *spelling.names,
        name,
        section=spelling.section,
        common=spelling.common,
        parse=spelling.parse,
        completes=spelling.completes,
        envvar=spelling.environment,
        help=spelling.help,
        function=function,
        **keywords,
    )


def given_arguments(ctx: click.Context, spellings: Spellings) -> dict[str, Any]:
    """Return the arguments of a function that the options of a command give, parsed."""
    given = {}
    for parameter in ctx.command.params:
        name = parameter.name or ""
        value = ctx.params.get(name)
        if name not in spellings or value is None or not isinstance(parameter, ClickOption):
            continue
        if value is False and parameter.flag_value is not False and not parameter.secondary_opts:
            continue  # a flag that is not given
        if parameter.multiple:
            if not value:
                continue
            if parameter.parse:
                lists = (parameter.parse(text, parameter.opts[-1]) for text in value)
                value = tuple(each for found in lists for each in found)
        elif parameter.parse:
            value = parameter.parse(value, parameter.opts[-1])
        gather = spellings[name].gather
        given[name] = value if gather is None else gather(value)
    return given


def _type_of(values: Any, function: Callable[..., Any] | None = None, name: str = "") -> Any:
    if values.kind == "literal" and function is not None:
        from ncz.commands.keywords import annotations_of, choices_of

        return click.Choice(choices_of(annotations_of(function)[name]))
    match values.kind:
        case "size":
            return Size()
        case "choice":
            return click.Choice(values.choices)
        case "number":
            return click.FLOAT if values.least is None else Number(values.least)
        case "integer" if values.least is None:
            return click.INT
        case "integer":
            return WholeNumber(values.least, values.most)
    return click.STRING


def _budget(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    """Return the size that is given, or else the budget of S3netCDF4's configuration file."""
    from ncz.zmap.s3netcdf4 import read_budgets

    return read_budgets(os.environ).memory if value is None else value
