"""``ncz dump`` and ``ncz-dump``: options and arguments, with ncdump's letters and long names."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.options import (
    REFERENCE_NAMES,
    S3_NAMES,
    SUBSET_NAMES,
    Command,
    S3Options,
    allow_loss_option,
    common_options,
    examples,
    follow_links_option,
    ignored,
    keep_going_option,
    no_consolidated_option,
    option,
    own_fields,
    reference_options,
    refused,
    s3_options,
    subset_options,
)
from ncz.cli.terminal import (
    Terminal,
    Write,
    columns,
    plain_descriptor,
    standard_output,
    written_through,
)
from ncz.errors import LossError, NczError, StoreExists, note_if_interrupted

if TYPE_CHECKING:
    from ncz.cdl.print.rows import Indices
    from ncz.commands.dump import View
    from ncz.commands.subsets import Subset
    from ncz.model.progress import Progress
    from ncz.text.format_values import Precision


def _names(value: str | None, _: str) -> tuple[str, ...] | None:
    r"""Split a comma-separated list of names; ``\,`` is a comma within a name."""
    if value is None:
        return None
    return tuple(name.replace("\\,", ",") for name in re.split(r"(?<!\\),", value))


def _whole_number(text: str, option: str) -> int:
    """Parse a decimal or, as ncdump does, a hexadecimal integer."""
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    if not re.fullmatch(r"[-+]?(?:0[xX][0-9a-fA-F]{1,15}|\d{1,18})", text):
        raise NczError(f"{text!r} is not an integer", location=option, hint="give one, such as 80")
    return int(text, 16 if "x" in text.lower() else 10)


def _precision(precision: str | None, digits: str | None) -> Precision:
    """Parse the values of ``-p`` and ``-d``: ``F``, ``F,D`` or ``,D``. ``-p`` prevails."""
    from ncz.text.format_values import Precision

    is_p = precision is not None
    first, _, second = ((precision if is_p else digits) or "").partition(",")
    option = "--precision" if is_p else "--digits"
    return Precision(
        float=_whole_number(first, option) if first else None,
        double=_whole_number(second, option) if second else None,
        over_attribute=is_p,
    )


def _indices(text: str | None, option: str) -> Indices | None:
    """Return ``c`` or ``f``. Any word that begins with one of them is accepted, as in ncdump."""
    if text is None:
        return None
    match text[:1].lower():
        case "c":
            return "c"
        case "f":
            return "f"
    raise NczError(f"{text!r} is not an index convention", location=option, hint="give c or f")


def _extended(words: tuple[str, ...]) -> set[str]:
    """Return the letters of ``-X`` in lower case; ncdump does not distinguish the case."""
    letters = set("".join(words).lower())
    if letters - set("fpm"):
        raise NczError(
            f"{min(letters - set('fpm'))!r} is not a valid letter",
            location="-X",
            hint="give F, p or m",
        )
    return letters


_CDL_SECTIONS = ("Layout", "Storage")
"""Sections whose options affect CDL only, except `_OF_ALL`."""

_OF_ALL = ("name", "precision", "digits")


def _of_cdl(command: click.Command) -> list[str | None]:
    """Return the names of the parameters that affect CDL only."""
    return [
        parameter.name
        for parameter in command.params
        if getattr(parameter, "section", None) in _CDL_SECTIONS and parameter.name not in _OF_ALL
    ]


def _view(ctx: click.Context, view: str | None) -> View:
    """Return the selected view. Raise `click.UsageError` for an option that it does not use."""
    chosen: View = "cdl"
    match view:
        case "json" | "ncml" | "summary":
            chosen = view
    unused = [] if chosen == "cdl" else _of_cdl(ctx.command)
    if chosen in ("json", "summary"):
        unused += ["precision", "digits"]
    if chosen == "summary":
        unused += ["coordinates", "variables", "groups"]
    for parameter in ctx.command.params:
        if parameter.name in unused and _is_given(ctx, parameter.name):
            raise click.UsageError(
                f"{parameter.opts[0]} cannot be used with --{chosen}; omit it", ctx
            )
    return chosen


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def _progress(
    terminal: Terminal, write: Write, *, is_seen: bool
) -> AbstractContextManager[tuple[Progress, Write]]:
    """Return a progress bar, which is imported only if it can be shown, and how to write."""
    if not sys.stderr.isatty():
        from ncz.model.progress import NO_PROGRESS

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
    if os.path.lexists(target) and not overwrite:
        raise StoreExists("already exists", target, "use --overwrite to replace it")
    folder, name = os.path.split(target)
    partial = os.path.join(folder, f".ncz-{os.getpid()}-{name[:100]}.partial")
    try:
        try:
            with open(partial, "xb") as stream:
                yield written_through(stream), stream.fileno()
            os.replace(partial, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(partial)
            raise
    except (OSError, ValueError) as error:
        if isinstance(error, NczError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise NczError(
            f"cannot write: {reason}", location=target, hint="choose another target"
        ) from error


_view_option = partial(option, section="View")
_selection_option = partial(option, section="Data selection")
_layout_option = partial(option, section="Layout")
_storage_option = partial(option, section="Storage")
_output_option = partial(option, section="Output")


@click.command(
    "dump",
    cls=Command,
    sections={
        "View": (),
        "Data selection": SUBSET_NAMES,
        "Layout": (),
        "Storage": (),
        "Output": ("allow_loss",),
        "For compatibility with ncdump": ("cache", "log_level"),
        "Reference sets": REFERENCE_NAMES,
        "Remote stores": S3_NAMES,
        "Input": ("no_consolidated", "follow_links"),
        "Options": (),
    },
    epilog=examples(
        "ncz dump -h weather.zarr",
        "ncz dump -v temperature,/model/lat weather.zip",
        "ncz dump --json weather.zarr | jq .dimensions",
        'ncz-dump -s "file:///data/x.zarr#mode=nczarr,file"',
    ),
)
@click.argument("store")
@_view_option("--json", "view", flag_value="json", help="Print JSON, which ncz gen can read.")
@_view_option("-x", "--ncml", "view", flag_value="ncml", help="Print the header as NcML.")
@_view_option(
    "--summary", "view", flag_value="summary", help="Print a short summary like that of xarray."
)
@_view_option("-k", "--kind", is_flag=True, help="Print only the kind of file: netCDF-4.")
@_selection_option(
    "-h", "--header", "header_only", is_flag=True, help="Print the header only, without data."
)
@_selection_option(
    "-c", "--coordinates", is_flag=True, help="Print the data of coordinate variables only."
)
@_selection_option(
    "-v",
    "--variables",
    metavar="V,...",
    completes="variables",
    parse=_names,
    help="Print the data of these variables only. v and g/v match the end of a path, /g/v "
    "the whole path.",
)
@_selection_option(
    "-g",
    "--group",
    "groups",
    metavar="G,...",
    completes="groups",
    parse=_names,
    help="Print the data of these groups only: g, /g/h, /.",
)
@_layout_option(
    "-n", "--name", metavar="NAME", help="Name of the dataset, instead of the name of the store."
)
@_layout_option(
    "-l",
    "--line-length",
    metavar="N",
    default="80",
    parse=_whole_number,
    help="Maximum length of a line of data in bytes. The default is 80.",
)
@_layout_option(
    "-p", "--precision", metavar="F,D", help="Significant digits of float and double: 1 to 20."
)
@_layout_option("-d", "--digits", metavar="F,D", help="As -p, but the attribute C_format prevails.")
@_layout_option(
    "-b",
    "--brief",
    metavar="c|f",
    parse=_indices,
    help="Print the indices of each row, as in C or Fortran.",
)
@_layout_option(
    "-f",
    "--full",
    metavar="c|f",
    parse=_indices,
    help="Print the indices of each value, as in C or Fortran.",
)
@_layout_option(
    "-t", "--dates", "times", flag_value=" ", help="Print times as dates: 2000-01-31 06:30."
)
@_layout_option(
    "-i",
    "--iso-dates",
    "times",
    flag_value="T",
    help="Print times as ISO 8601 dates: 2000-01-31T06:30.",
)
@_storage_option(
    "-s", "--special", is_flag=True, help="Print virtual attributes: chunks, filters, ..."
)
@_storage_option(
    "-F", "--filters", "fold_filters", is_flag=True, help="With -s: print all filters in _Filter."
)
@_storage_option(
    "-X",
    "--extended",
    metavar="F|p|m",
    multiple=True,
    help="F: print the type of _FillValue; p: omit _NCProperties; m: ignored.",
)
@_output_option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Number of processes. The default is one per core.",
)
@_output_option(
    "-o",
    "--output",
    "target",
    metavar="FILE",
    default="-",
    help="File to write. The default is standard output, -.",
)
@_output_option("--overwrite", is_flag=True, help="Replace the target if it already exists.")
@ignored("-w", "--cache", why="it is for servers of OPeNDAP")
@ignored("-L", "--log-level", metavar="N", why="see --debug")
@refused("-K", "extended_kind", why="neither ncz nor ncdump knows extended kinds of Zarr")
@follow_links_option
@subset_options
@s3_options
@keep_going_option
@allow_loss_option
@no_consolidated_option
@reference_options
@common_options
@click.pass_context
def dump(
    ctx: click.Context,
    /,
    store: str,
    view: str | None,
    precision: str | None,
    digits: str | None,
    extended: tuple[str, ...],
    jobs: int | None,
    target: str,
    overwrite: bool,
    subset: Subset | None,
    s3: S3Options,
    follow_links: bool,
    no_consolidated: bool,
    **given: Any,
) -> None:
    """Print a store as CDL text, JSON, NcML or a summary.

    STORE is the path or URL of a directory or a zip file. The format is detected automatically.
    The options that select data do not affect the header. The short option -h is not help; use
    --help.

    If data cannot be read, the rest is printed, and the exit code is 1. A file of -o is then not
    written.
    """
    chosen = _view(ctx, view)
    from ncz.cdl.print.printer import CdlOptions
    from ncz.commands.dump import DumpOptions
    from ncz.commands.dump import dump as print_store

    letters = _extended(extended)
    options = CdlOptions(
        precision=_precision(precision, digits),
        properties="p" not in letters,
        typed_fill="f" in letters,
        **own_fields(CdlOptions, ctx, given),
    )
    terminal = ctx.ensure_object(Terminal)
    location = s3.locate(terminal, store, follow_links=follow_links)
    note = "the text is incomplete" if target == "-" else f"{target} was not changed"
    is_seen = target == "-" and sys.stdout.isatty()
    with (
        note_if_interrupted(note),
        _output(target, overwrite) as (to_target, descriptor),
        _progress(terminal, to_target, is_seen=is_seen) as (progress, write),
    ):
        width = columns() if is_seen else None
        print_store(
            location,
            DumpOptions(
                cdl=options,
                view=chosen,
                width=width,
                jobs=jobs,
                partial=True,
                consolidated=False if no_consolidated else None,
                subset=subset,
                **own_fields(DumpOptions, ctx, given),
            ),
            write,
            terminal.notify,
            progress,
            descriptor,
        )
        if terminal.has_lost and target != "-":
            raise LossError(
                "not written, because part of the store cannot be read",
                target,
                "use --allow-loss to write the rest",
            )
