"""The command line: words, options, colours, exit codes. The only folder that knows click and rich.

``ncz`` is a group whose commands are imported when they are used, so that ``ncz --help`` costs
click and nothing more.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from importlib import import_module
from typing import NoReturn

import click

from ncz.cli.options import WIDTH, common_options, examples
from ncz.cli.terminal import heed_signals, run

COMMANDS = {
    "gen": ("ncz.cli.gen:gen", "Make a store from CDL text (netCDF's ncgen)."),
    "dump": ("ncz.cli.dump:dump", "Print a store as CDL text (netCDF's ncdump)."),
    "ls": ("ncz.cli.ls:ls", "List the keys of a store, valid or not."),
    "copy": ("ncz.cli.copy:copy", "Copy a store to another form or place (netCDF's nccopy)."),
    "consolidate": (
        "ncz.cli.consolidate:consolidate",
        "Write consolidated metadata to a store, in place.",
    ),
}
"""Command -> where its click object stands, and its line in the list."""


def load(name: str) -> click.Command:
    """Import the click command of that name."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    command = getattr(import_module(module), attribute)
    assert isinstance(command, click.Command)
    return command


class Commands(click.Group):
    """The group ``ncz``; each command is imported when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        return load(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which there are."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            known = ", ".join(self.list_commands(ctx))
            raise click.UsageError(f"no command {args[0]!r}; there are {known}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


@click.group(
    cls=Commands,
    context_settings={"terminal_width": WIDTH},
    epilog=examples(
        "ncz gen weather.cdl -o weather.zarr",
        "ncz dump -h weather.zarr",
        "ncz ls -r weather.zarr",
        'ncz copy weather.zarr "weather.zip#mode=zarr"',
    ),
)
@common_options
def ncz() -> None:
    """netCDF's text tools, native to Zarr and NCZarr.

    A store is a path or a URL: a directory, a .zip, and what it holds is found by looking. Each
    command has its own help: ncz gen --help. Four are programs too: ncz-gen, ncz-dump, ncz-ls,
    ncz-copy.
    """


def _begin() -> None:
    """What is right for a process that is ours alone."""
    heed_signals()
    # numpy would start threads for algebra, of which there is none; and threads forbid to fork.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(100_000, 20, 20)  # a header makes many objects, and none of them is garbage


def _end(code: int) -> NoReturn:
    gc.freeze()  # what is left goes with the process; nobody needs to look through it
    if any(thread.name.startswith("ncz-") for thread in threading.enumerate()):
        # They wait for a server, for what nobody wants any more; Python would wait for them.
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def main() -> NoReturn:
    """Entry point of ``ncz``."""
    _begin()
    _end(run(ncz, "ncz"))


def _main(name: str) -> NoReturn:
    _begin()
    _end(run(load(name), f"ncz-{name}"))


def main_gen() -> NoReturn:
    """Entry point of ``ncz-gen``."""
    _main("gen")


def main_dump() -> NoReturn:
    """Entry point of ``ncz-dump``."""
    _main("dump")


def main_ls() -> NoReturn:
    """Entry point of ``ncz-ls``."""
    _main("ls")


def main_copy() -> NoReturn:
    """Entry point of ``ncz-copy``."""
    _main("copy")
