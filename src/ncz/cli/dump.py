"""``ncz dump`` and ``ncz-dump``: options and arguments, with ncdump's letters and long names."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import command, fields_of, ignored, is_given, option, options_of, refused
from ncz.cli.source_options import (
    allow_loss_option,
    follow_links_option,
    locate,
    reference_options,
    s3_options,
)
from ncz.cli.terminal import (
    Terminal,
    Write,
    columns,
    plain_descriptor,
    standard_output,
    terminal_of,
    without_digits,
    written_through,
)
from ncz.commands.dump import DumpOptions
from ncz.errors import Callbacks, LossError, NczError, note_if_interrupted
from ncz.record import replace
from ncz.text.names import RequestedData

if TYPE_CHECKING:
    from ncz.errors import Progress

_CDL_SECTIONS = ("Layout", "Storage")
"""Sections whose options affect CDL only, except `_OF_ALL`."""

_OF_ALL = ("name", "digits", "weak_digits")


def _of_cdl(command: click.Command) -> list[str | None]:
    """Return the names of the parameters that affect CDL only."""
    return [
        parameter.name
        for parameter in command.params
        if getattr(parameter, "section", None) in _CDL_SECTIONS and parameter.name not in _OF_ALL
    ]


def _check_view(ctx: click.Context, view: str | None) -> None:
    """Raise `click.UsageError` for an option that the selected view does not use."""
    unused = [] if view is None else _of_cdl(ctx.command)
    if view in ("json", "summary"):
        unused += ["digits", "weak_digits"]
    if view == "summary":
        unused += RequestedData.__annotations__
    for parameter in ctx.command.params:
        if parameter.name in unused and is_given(ctx, parameter.name):
            raise click.UsageError(
                f"{parameter.opts[0]} cannot be used with --{view}; omit it", ctx
            )


def _progress(
    terminal: Terminal, write: Write, *, is_seen: bool
) -> AbstractContextManager[tuple[Progress, Write]]:
    """Return a progress bar, which is imported only if it can be shown, and how to write."""
    if not sys.stderr.isatty():
        from ncz.errors import NO_PROGRESS

        return contextlib.nullcontext((NO_PROGRESS, write))
    from ncz.cli.progress import progress_before

    return progress_before(terminal, write, is_seen=is_seen)


@contextlib.contextmanager
def _output(target: str, overwrite: bool) -> Iterator[tuple[Write, int | None]]:
    """Yield what writes to standard output or to a file, and the file descriptor behind it.

    A file is written beside `target` and renamed at the end, so that it is complete or absent. A
    device or a pipe is written directly, because a rename would replace it by a file.
    """
    if target == "-":
        with standard_output(buffered=False) as write:
            yield write, plain_descriptor()
        return
    if os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
        try:
            with open(target, "wb") as stream:
                yield written_through(stream), stream.fileno()
        except BrokenPipeError:
            raise
        except OSError as error:
            what = f"cannot write: {error.strerror or error}"
            raise NczError(what, location=target, hint="choose another target") from error
        return
    from ncz.zmap.local.creation import create_output

    with create_output(target, overwrite=overwrite) as stream:
        yield written_through(stream), stream.fileno()


@command(
    "dump",
    "ncz dump -h weather.zarr",
    "ncz dump -v temperature,/model/lat weather.zip",
    "ncz dump --json weather.zarr | jq .dimensions",
    'ncz-dump -s "file:///data/x.zarr#mode=nczarr,file"',
)
@click.argument("store")
@options_of(DumpOptions)
@option(
    "-o",
    "--output",
    "target",
    metavar="FILE",
    default="-",
    section="Output",
    common=True,
    help="File to write (default: standard output).",
)
@option(
    "--overwrite",
    is_flag=True,
    section="Output",
    common=True,
    help="Replace the target if it already exists.",
)
@ignored("-w", "--cache", why="it is for servers of OPeNDAP")
@ignored("-L", "--log-level", metavar="N", why="see --debug")
@refused("-K", "extended_kind", why="neither ncz nor ncdump knows extended kinds of Zarr")
@follow_links_option
@s3_options
@allow_loss_option
@reference_options
def dump(
    ctx: click.Context,
    /,
    store: str,
    target: str,
    overwrite: bool,
    **values: Any,
) -> None:
    """Print a store as CDL text, JSON, NcML or a summary.

    -c, -v and -g leave the header whole. -h is not help; use --help.

    If data cannot be read, the rest is printed, and the exit code is 1; -o then writes nothing.
    """
    from ncz.commands.dump import dump as print_store

    _check_view(ctx, values["view"])
    is_seen = target == "-" and sys.stdout.isatty()
    options = replace(
        DumpOptions(**fields_of(DumpOptions, ctx, values)),
        width=columns() if is_seen else None,
        jobs=values["jobs"],
        partial=True,
    )
    terminal = terminal_of(ctx)
    location = locate(ctx, store)
    note = "the text is incomplete" if target == "-" else f"{target} was not changed"
    with (
        note_if_interrupted(note),
        _output(target, overwrite) as (to_target, descriptor),
        _progress(terminal, to_target, is_seen=is_seen) as (progress, write),
    ):
        notify = without_digits(terminal.notify) if is_seen else terminal.notify
        print_store(location, options, write, Callbacks(notify, progress), descriptor)
        if terminal.has_lost and target != "-":
            raise LossError(
                "not written, because part of the store cannot be read",
                target,
                "use --allow-loss to write the rest",
            )
