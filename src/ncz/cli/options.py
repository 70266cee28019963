"""Options of click with a section of the help, and the options of every command.

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
from collections.abc import Callable
from typing import Any, Literal

import click

from ncz.cli.terminal import terminal_of

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


def option(*names: str, **keywords: Any) -> Decorator:
    """Return a decorator that adds a `ClickOption`."""
    return click.option(*names, cls=ClickOption, **keywords)


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


WHEN = ("auto", "always", "never")
"""When colours are printed."""

_common = functools.partial(ClickOption, expose_value=False, is_eager=True)

COMMON = (
    _common(
        ["-q", "--quiet"], is_flag=True, callback=_set_quiet, common=True,
        help="Print errors and losses, but no other notices.",
    ),
    _common(
        ["--color"], type=click.Choice(WHEN), metavar="WHEN",
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
