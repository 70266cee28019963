"""Options that several commands share, and the layout of help texts.

`source` has the options of commands that read, `target` of those that create a store, `limits`
memory and threads, `dataset` several of these together, and `peer` those of netCDF's programs.

This table lists the shared options, and the letters that differ between commands:

======================  ==========================  =====================================
``-q --quiet``          all                         print no notices
``--debug``             all                         print the traceback of an error
``--trace``             all                         print what is read and written
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

import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from ncz.cli.terminal import Terminal

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
"""A function that adds an option to a command."""

WIDTH = 80
"""Width of help texts in columns, whatever the width of the terminal."""


class Command(click.Command):
    """A command whose help lists its options in sections.

    Parameters
    ----------
    sections : mapping of str to sequence of str, optional
        The names of the parameters in each section, by title. Parameters that no section names
        are listed under "Options".
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Sequence[str]] | None = None, **keywords: Any
    ) -> None:
        settings = keywords.setdefault("context_settings", {})
        settings.setdefault("terminal_width", WIDTH)
        settings.setdefault("help_option_names", ["-h", "--help"])
        super().__init__(*args, **keywords)
        self.sections = dict(sections or {})

    def option_records(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the names and the help of the options, by the titles of their sections."""
        records: dict[str, list[tuple[str, str]]] = {title: [] for title in self.sections}
        title_of = {name: title for title, names in self.sections.items() for name in names}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                title = title_of.get(parameter.name or "", "Options")
                records.setdefault(title, []).append(record)
        return {title: rows for title, rows in records.items() if rows}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options for each section, in the order of `sections`."""
        for title, rows in self.option_records(ctx).items():
            with formatter.section(title):
                formatter.write_dl(rows)


def examples(*lines: str) -> str:
    """Return the epilog of a help text, with each example on a line of its own."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def terminal_of(ctx: click.Context) -> Terminal:
    """Return the settings of a run for messages."""
    return ctx.ensure_object(Terminal)


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


def print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the versions and end the command; the callback of ``--version``."""
    if value and not ctx.resilient_parsing:
        click.echo(versions())
        ctx.exit()


def versions() -> str:
    """Return the versions of ncz and of its dependencies, one per line."""
    import platform

    from ncz._version import __version__

    lines = [f"ncz {__version__}", f"python {platform.python_version()} on {platform.system()}"]
    needed = ("numpy", "cftime", "numcodecs", "fsspec", "s3fs", "lark", "click", "rich")
    installed = _installed()
    for package in (*needed, "zlib-ng", "obstore"):
        version = installed.get(package)
        lines.append(f"{package} {version}" if version else f"{package} is not installed")
    return "\n".join(lines)


def _installed() -> dict[str, str]:
    """Return the versions of the installed packages, from the names of their metadata folders.

    `importlib.metadata`, which reads the files in them, takes as long to import as click. It is
    used only if packages are installed in a zip file.
    """
    if any(map(os.path.isfile, sys.path)):
        from importlib import metadata

        return {_normal(each.name): each.version for each in metadata.distributions()}
    found: dict[str, str] = {}
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for entry in os.listdir(folder or "."):
                name, _, version = entry.rpartition(".")[0].partition("-")
                if entry.endswith((".dist-info", ".egg-info")) and version:
                    found.setdefault(_normal(name), version.partition("-")[0])
    return found


def _normal(package: str) -> str:
    """Return the name of a package as ``pip`` compares it."""
    return package.lower().replace("_", "-").replace(".", "-")


_COMMON = (
    click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=_set_quiet, is_eager=True,
        help="Print errors and losses only, no other notices.",
    ),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), metavar="WHEN",
        expose_value=False, callback=_set_color, is_eager=True,
        help="auto, always or never. auto honours NO_COLOR and FORCE_COLOR.",
    ),
    click.option(
        "--debug", is_flag=True, expose_value=False, callback=_set_debug, is_eager=True,
        help="Print the traceback of an error.",
    ),
    click.option(
        "--trace", is_flag=True, expose_value=False, callback=_set_trace, is_eager=True,
        help="Print what is read and written, with times; as NCTRACING=1.",
    ),
    click.option(
        "--version", is_flag=True, expose_value=False, callback=print_version, is_eager=True,
        help="Print the versions of ncz and of its dependencies.",
    ),
)  # fmt: skip

COMMON_NAMES = ("quiet", "color", "debug", "trace", "version", "help")
"""Names of the parameters that every command has."""


def common_options(function: Decorated) -> Decorated:
    """Add the options that every command has; the command receives no arguments for them."""
    for option in reversed(_COMMON):
        function = option(function)
    return function


def names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Return the names of a list with commas; empty if the option is not given."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


def names_of(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Return the names of a list with commas; None if the option is not given."""
    return None if value is None else tuple(name for name in value.split(",") if name)
