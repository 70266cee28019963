"""Commands and their options: sections of the help, and the options of every command.

This table lists the shared options, and the letters that differ between commands:

======================  ==========================  =====================================
``-q --quiet``          all                         print no notices
``--debug``             all                         print the traceback of an error
``--trace``             all                         print each read and write
``--color WHEN``        all                         auto, always or never
``--version``           all                         print versions, for bug reports
``--overwrite``         gen, dump, copy             replace an existing target
``--profile`` ...       all                         credentials and server of S3 URLs
``--for``               gen, copy, check            programs that must read the store
``--allow-loss``        dump, ls, copy              accept that something is lost
``--timeout``           all                         how long to wait for a server
``--follow-links``      dump, ls, copy              read links that lead out of the store
``-h``                  dump                        header only, as in ncdump
``-h``                  gen                         print help, as in ncgen
``-h``                  ls                          metadata only, as in zmapio
``-h N``                copy                        ignored: nccopy's chunk cache
``-H``                  gen                         header only, as in ncgen
======================  ==========================  =====================================

``-h`` has the meaning of netCDF's programs, so ``--help`` is the option that always prints help.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Literal, get_args

import click

from ncz.cli.terminal import terminal_of
from ncz.record import record

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
"""A function that adds an option to a command."""

WIDTH = 80
"""Width of help texts in columns, for any width of the terminal."""


ALL_HELP = "ncz.help_all"
"""The key of `click.Context.meta` that is set if help shows everything."""


WORDS = "ncz.words"
"""The key of `click.Context.meta` that has the words of the command line."""


Section = Literal[
    "View",
    "Selection",
    "Changes",
    "Checks",
    "Repair",
    "Tolerance",
    "Layout",
    "Storage",
    "Text",
    "Output",
    "Objects",
    "Joining",
    "Numbers",
    "Store",
    "Chunks and codecs",
    "Server",
    "Limits",
    "Aggregations",
    "For compatibility with netCDF's programs",
    "Input",
    "Reference sets",
    "Remote stores",
    "Options",
]
"""The sections of the help, in their order."""


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


COMPATIBILITY: Section = "For compatibility with netCDF's programs"


class ClickOption(click.Option):
    """An option with its section, its visibility, and the parser of its value.

    Parameters
    ----------
    section : Section
        The section of the help that lists it.
    common : bool
        Whether ``--help`` lists it; ``--help-all`` lists all.
    parse : callable, optional
        Turns the value that is given, and the long name of the option, into the value of a field;
        of an option that can be repeated, each value into a sequence.
    completes : str, optional
        The completion of its values, as a key of `ncz.cli.candidates.VALUES`.
    function : callable, optional
        The function whose docstring describes the option, if `help` does not.
    """

    def __init__(
        self,
        *args: Any,
        section: Section = "Options",
        common: bool = False,
        parse: Callable[[Any, str], Any] | None = None,
        completes: str | None = None,
        function: Callable[..., Any] | None = None,
        help: str | None = None,
        **keywords: Any,
    ) -> None:
        self.function = function
        super().__init__(*args, **keywords)
        self._help = help
        self.section = section
        self.common = common
        self.parse = parse
        self.completes = completes

    @property
    def help(self) -> str | None:
        """The help, which is read from the docstring of the function when it is needed."""
        if self._help is None and self.function is not None:
            from ncz.commands.keywords import descriptions_of

            self._help = descriptions_of(self.function).get(self.name or "")
        return self._help

    @help.setter
    def help(self, text: str | None) -> None:
        self._help = text

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return the value of the environment variable, or None if it is not set or empty.

        It turns a flag on or off; in click 8.2 any value turns it on.
        """
        return click.Parameter.resolve_envvar_value(self, ctx)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the value of the type of the option; a decimal comma is an error with a hint."""
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter as error:
            if not isinstance(value, str) or "," not in value:
                raise
            from ncz.text.decimal_comma import with_decimal_points

            with_point = with_decimal_points(value)
            try:
                super().type_cast_value(ctx, with_point)
            except click.BadParameter:
                raise error from None
            message = error.message.partition(";")[0].rstrip(".")
            hint = f"write {self.opts[-1]} {with_point}"
            raise click.BadParameter(f"{message}; {hint}", ctx, self) from None


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


def option(*names: str, **keywords: Any) -> Decorator:
    """Return a decorator that adds a `ClickOption`."""
    return click.option(*names, cls=ClickOption, **keywords)


def words(text: str, _: str = "") -> tuple[str, ...]:
    """Split a list with commas and spaces."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def split_names(text: str, _: str = "") -> tuple[str, ...]:
    """Split a list of names with commas; spaces belong to the names."""
    return tuple(name for name in text.split(",") if name)


def together(*decorators: Decorator) -> Decorator:
    """Return a decorator that adds several options, in this order."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return add


def json_option(help: str) -> Decorator:
    """Return a decorator that adds ``--json``; the command receives it as `as_json`."""
    return option("--json", "as_json", is_flag=True, section="Output", common=True, help=help)


def _check_number(_: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Raise `click.BadParameter` for a value that does not begin as a number or a size does."""
    if value is not None and not value.lstrip("+-")[:1].isdigit():
        raise click.BadParameter(f"{value!r} is not a number", param=parameter)


def ignored_option(*names: str, why: str, metavar: str | None = None) -> Decorator:
    """Return a decorator that adds an option without effect.

    Parameters
    ----------
    names
        The short and long names of the option.
    why
        Why it can be ignored, for the help text.
    metavar
        The name of its value; None for an option without a value. The value of "N" is a number, so
        that other words in this place are not ignored.
    """
    return option(
        *names,
        section=COMPATIBILITY,
        metavar=metavar,
        callback=_check_number if metavar == "N" else None,
        is_flag=metavar is None,
        expose_value=False,
        help=f"Ignored: {why}.",
    )


def refused_option(*names: str, why: str, metavar: str | None = None) -> Decorator:
    """Return a decorator that adds an option whose use is an error; `why` is the message."""

    def refuse(_: click.Context, parameter: click.Parameter, value: object) -> None:
        if value not in (None, False):
            raise click.BadParameter(f"{why}; omit {parameter.opts[0]}", param=parameter)

    return click.option(
        *names,
        metavar=metavar,
        is_flag=metavar is None,
        expose_value=False,
        hidden=True,
        callback=refuse,
    )


def is_given(ctx: click.Context, name: str) -> bool:
    """Return whether the command line or the environment sets an option."""
    return ctx.get_parameter_source(name) not in (None, click.core.ParameterSource.DEFAULT)


def examples(*lines: str) -> str:
    """Return the epilog of a help text, with each example on a separate line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _set_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    terminal_of(ctx).quiet |= value


def _set_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    terminal_of(ctx).debug |= value


def _set_color(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        terminal_of(ctx).color = value


def _set_trace(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        terminal_of(ctx).trace()


def print_version(
    ctx: click.Context, _: click.Parameter, value: bool, *, with_optional: bool = False
) -> None:
    """Print the versions and end the command; the callback of ``--version``."""
    if value and not ctx.resilient_parsing:
        from ncz._version import versions

        click.echo(versions(with_optional=with_optional))
        ctx.exit()


def _show_help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help())
        ctx.exit()


def _show_all(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[ALL_HELP] = True
        click.echo(ctx.get_help())
        ctx.exit()


_WHEN = ("auto", "always", "never")
"""When colours are printed."""

_common = functools.partial(ClickOption, expose_value=False, is_eager=True)

COMMON = (
    _common(
        ["-q", "--quiet"], is_flag=True, callback=_set_quiet, common=True,
        help="Print errors and losses, but no other notices.",
    ),
    _common(
        ["--color"], type=click.Choice(_WHEN), metavar="WHEN",
        callback=_set_color, help="When to print colours: auto, always or never.",
    ),
    _common(
        ["--debug"], is_flag=True, callback=_set_debug, help="Print the traceback of an error.",
    ),
    _common(
        ["--trace"], is_flag=True, callback=_set_trace,
        help="Print each read and write with its time.",
    ),
    _common(
        ["--version"], is_flag=True, callback=print_version,
        help="Print the versions of ncz and of its dependencies.",
    ),
    _common(
        ["--help-all"], is_flag=True, callback=_show_all, common=True,
        help="Show all options, and exit.",
    ),
)  # fmt: skip
"""The options that every command has; it receives no arguments for them."""


def help_option(command: click.Command, ctx: click.Context) -> click.Option | None:
    """Return the option ``--help`` of a command.

    click's own option requests a translation of its help whenever a command starts.
    """
    names = command.get_help_option_names(ctx)
    return _help_option(tuple(names)) if names and command.add_help_option else None


@functools.cache
def _help_option(names: tuple[str, ...]) -> click.Option:
    return _common(
        names,
        is_flag=True,
        callback=_show_help,
        help="Show this message and exit.",
    )


_FOREIGN = ("-", "NETCDF:", "HDF5:", "ZARR:", "/vsi", "time=:")
"""The beginnings of words that may be options or names of other programs."""


_REMOVING = ("--remove", "--delete", "--overwrite", "--yes")
"""Options that are never proposed for a word that is like them."""


_SET_FLAG = re.compile(r"(--[a-z-]+)=(true|false|yes|no|1|0|on|off)", re.IGNORECASE)
"""An option that may have no value, with one as in Python."""


def _as_flag(word: str, flags: set[str]) -> list[str]:
    """Return an option without a value for one that is set to true or to false."""
    found = _SET_FLAG.fullmatch(word)
    if found is None or found[1] not in flags:
        return [word]
    if found[2].lower() in ("true", "yes", "1", "on"):
        return [found[1]]
    opposite = f"--no-{found[1][2:]}"
    return [opposite] if opposite in flags else []


class Command(click.Command):
    """A command whose help lists its options in sections.

    ``--help`` fits a screen: it lists the options that are `common`, and ``--help-all`` every one.
    """

    def __init__(self, *args: Any, **keywords: Any) -> None:
        settings = keywords.setdefault("context_settings", {})
        settings.setdefault("terminal_width", WIDTH)
        settings.setdefault("help_option_names", ["-h", "--help"])
        super().__init__(*args, **keywords)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; options can have the names of other programs."""
        is_word = args == ["help"] and not os.path.lexists("help")
        if args == ["-h"] or is_word:  # -h is an option of some commands, as in netCDF's programs
            args = ["--help"]
        ctx.meta[WORDS] = tuple(args)
        args = [
            "--color=always" if word == "--color" and after not in _WHEN else word
            for word, after in zip(args, (*args[1:], ""), strict=False)
        ]
        if any(_SET_FLAG.fullmatch(word) for word in args):
            flags = self.flag_names(ctx)
            args = [each for word in args for each in _as_flag(word, flags)]
        if sum(not word.startswith("-") for word in args) > 1:
            from ncz.cli.line_order import with_whole_names

            args = with_whole_names(args)
        if "--sel" in args or "--isel" in args:
            from ncz.cli.misplaced_values import refuse_divided_selection

            refuse_divided_selection(args)
        try:
            rest = super().parse_args(ctx, self.in_own_words(ctx, args))
        except click.NoSuchOption as error:
            like = [each for each in self.own_names(ctx) if len(each) > 2 and each not in _REMOVING]
            raise click.NoSuchOption(error.option_name, possibilities=like, ctx=ctx) from None
        except click.BadOptionUsage as error:
            from ncz.cli.misplaced_values import missing_value_message

            line = missing_value_message(ctx, ctx.meta[WORDS], error.option_name)
            raise click.UsageError(line) if line else error from None
        except click.MissingParameter:
            from ncz.cli.misplaced_values import taken_by_option

            taken = taken_by_option(ctx, ctx.meta[WORDS])
            if taken is None:
                raise
            raise click.UsageError(taken) from None
        has_profile = ctx.params.get("profile") is not None
        if has_profile and ctx.params["anon"] and not ctx.resilient_parsing:
            raise click.UsageError("--profile and --anon cannot be used together", ctx)
        return rest

    def make_parser(self, ctx: click.Context) -> Any:
        """Return the parser of click, which finds options of one letter directly.

        It would look for names like theirs first, which takes longer than all else that it does.
        """
        parser = super().make_parser(ctx)
        getattr(parser, "_long_opt", {}).update(getattr(parser, "_short_opt", {}))
        return parser

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option ``--help``."""
        return help_option(self, ctx)

    def own_names(self, ctx: click.Context) -> set[str]:
        """Return the names of all options."""
        parameters = self.get_params(ctx)
        return {name for each in parameters for name in (*each.opts, *each.secondary_opts)}

    def flag_names(self, ctx: click.Context) -> set[str]:
        """Return the names of the options without a value."""
        options = (each for each in self.get_params(ctx) if isinstance(each, click.Option))
        return {name for each in options if each.is_flag for name in each.opts}

    def in_own_words(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace options of other programs by options of the command.

        Raises `click.UsageError` with the line to type for an option that ncz lacks.
        """
        own = self.own_names(ctx)
        if not any(w.startswith(_FOREIGN) and w.partition("=")[0] not in own for w in args) and (
            not any(_PARTS.get(before, "\n") in text for before, text in pairwise(args))
        ):
            return args
        from ncz.cli.programs.option_words import in_own_words

        return in_own_words(self.name or "", args, own, self.flag_names(ctx), ctx)

    def option_records(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the names and the help of the options, by the titles of their sections."""
        from ncz.cli.help_text import option_records

        return option_records(self, ctx, get_args(Section), is_whole=ALL_HELP in ctx.meta)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description, or the first paragraphs of it."""
        from ncz.cli.help_text import write_description

        write_description(self, formatter, is_whole=ALL_HELP in ctx.meta)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options for each section, in the order of `Section`."""
        from ncz.cli.help_text import write_options

        write_options(self.option_records(ctx), formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, or the first of them."""
        from ncz.cli.help_text import write_examples

        write_examples(self, formatter, is_whole=ALL_HELP in ctx.meta)


_PARTS = {"-d": ",", "--nearest": "="}
"""Options that people follow with a part of a dataset -> a character in the text of the part."""


def command(
    name: str, *lines: str, cls: type[Command] = Command
) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a command of a function, which receives the context first.

    `lines` are the examples of its help.
    """

    def make(function: Callable[..., None]) -> Command:
        command = click.command(name, cls=cls, epilog=examples(*lines))(
            click.pass_context(function)
        )
        command.params += COMMON
        return command

    return make


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
