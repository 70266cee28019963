"""The options that two commands share, and the form of help.

A register, so that a letter never means two things by accident:

======================  ==========================  =====================================
``-q --quiet``          all                         no notices
``--debug``             all                         the traceback of an error
``--color WHEN``        all                         auto, always, never
``--version``           all                         versions, for a report of a fault
``--overwrite``         gen, copy                   replace an existing target
``-h``                  dump                        header only, as in ncdump
``-h N``                copy                        accepted: nccopy's chunk cache
``-H``                  gen                         header only, as in ncgen
======================  ==========================  =====================================

Help is ``--help`` alone, because ``-h`` has had its other meaning in ncdump for thirty years.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from ncz.cli.terminal import Terminal

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

WIDTH = 80
"""Columns of a help text, however wide the terminal is."""


class Command(click.Command):
    """A command whose help lists its options by section.

    `sections` maps a title to parameter names; what no section names stands under "Options".
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Sequence[str]] | None = None, **keywords: Any
    ) -> None:
        keywords.setdefault("context_settings", {}).setdefault("terminal_width", WIDTH)
        super().__init__(*args, **keywords)
        self.sections = dict(sections or {})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one definition list for each section, in the order of `sections`."""
        records: dict[str, list[tuple[str, str]]] = {title: [] for title in self.sections}
        title_of = {name: title for title, names in self.sections.items() for name in names}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                title = title_of.get(parameter.name or "", "Options")
                records.setdefault(title, []).append(record)
        for title, rows in records.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def examples(*lines: str) -> str:
    """The epilog of a help text: worked examples, kept line for line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _terminal(ctx: click.Context) -> Terminal:
    return ctx.ensure_object(Terminal)


def _set_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    _terminal(ctx).quiet |= value


def _set_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    _terminal(ctx).debug |= value


def _set_color(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        _terminal(ctx).color = value


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(versions())
        ctx.exit()


def versions() -> str:
    """The versions of ncz and of what its answers depend on, one a line."""
    import platform
    from importlib import metadata

    from ncz._version import __version__

    lines = [f"ncz {__version__}", f"python {platform.python_version()} on {platform.system()}"]
    needed = ("numpy", "cftime", "numcodecs", "fsspec", "s3fs", "lark", "click", "rich")
    for package in (*needed, "zlib-ng", "obstore"):
        try:
            lines.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{package} is not installed")
    return "\n".join(lines)


_COMMON = (
    click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=_set_quiet, is_eager=True,
        help="Print no notices, only errors.",
    ),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), metavar="WHEN",
        expose_value=False, callback=_set_color, is_eager=True,
        help="auto, always or never; auto heeds NO_COLOR and FORCE_COLOR.",
    ),
    click.option(
        "--debug", is_flag=True, expose_value=False, callback=_set_debug, is_eager=True,
        help="Show where in the program an error arose.",
    ),
    click.option(
        "--version", is_flag=True, expose_value=False, callback=_print_version, is_eager=True,
        help="Print the versions of ncz and its parts.",
    ),
)  # fmt: skip

COMMON_NAMES = ("quiet", "color", "debug", "version", "help")
"""Parameter names that every command has."""


def common_options(function: Decorated) -> Decorated:
    """Decorate a command with the options that all have; it gets no arguments for them."""
    for option in reversed(_COMMON):
        function = option(function)
    return function


overwrite_option = click.option(
    "--overwrite", is_flag=True, help="Replace the target if it is there; whole or not at all."
)

zarr_format_option = click.option(
    "--zarr-format",
    type=click.Choice(["2", "3"]),
    metavar="N",
    help="Version of Zarr to write: 2, which all read, or 3; as mode=v3.",
)
"""What the commands that make a store have in common, too."""
