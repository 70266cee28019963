"""``ncz dump`` and ``ncz-dump``: options and arguments, with ncdump's letters and long names."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import click

from ncz.cdl.printer import LayoutError
from ncz.cli.command import Command, command
from ncz.cli.options import ignored_option, is_given, option, refused_option
from ncz.cli.source_options import (
    KEEP_GOING,
    NO_CONSOLIDATED,
    SELECTION,
    allow_loss_option,
    follow_links_option,
    locate_source,
    reference_options,
    s3_options,
)
from ncz.cli.spellings import Flag, arguments_of, given_arguments, integer, spelling
from ncz.cli.terminal import (
    Terminal,
    Write,
    as_read,
    columns,
    is_kept,
    plain_descriptor,
    print_lines,
    standard_output,
    terminal_of,
    written_through,
)
from ncz.commands.dump import Output
from ncz.commands.dump import dump as print_store
from ncz.errors import Callbacks, LossError, NczError, note_on_interrupt
from ncz.text.format_values import Precision
from ncz.text.names import RequestedData

if TYPE_CHECKING:
    from ncz.cdl.rows import Indices
    from ncz.errors import Progress


def _names(text: str, _: str) -> tuple[str, ...]:
    r"""Split a comma-separated list of names; ``\,`` is a comma within a name."""
    return tuple(name.replace("\\,", ",") for name in re.split(r"(?<!\\),", text))


def _whole_number(text: str, option: str) -> int:
    """Parse a decimal or, as ncdump does, a hexadecimal integer."""
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    if not re.fullmatch(r"[-+]?(?:0[xX][0-9a-fA-F]{1,15}|\d{1,18})", text):
        raise LayoutError(f"{text!r} is not an integer", option, "give one, such as 80")
    return int(text, 16 if "x" in text.lower() else 10)


def _digits(text: str, option: str) -> tuple[int | None, int | None]:
    """Parse the values of ``-p`` and ``-d``: ``F``, ``F,D`` or ``,D``."""
    first, _, second = text.partition(",")
    return (
        _whole_number(first, option) if first else None,
        _whole_number(second, option) if second else None,
    )


def _indices(text: str, option: str) -> Indices:
    """Return ``c`` or ``f``. Any word that begins with one of them is accepted, as in ncdump."""
    match text[:1].lower():
        case "c":
            return "c"
        case "f":
            return "f"
    raise LayoutError(f"{text!r} is not an index convention", option, "give c or f")


def _parse_letters(word: str, _: str) -> set[str]:
    """Return the letters of ``-X`` in lower case; ncdump does not distinguish the case."""
    letters = set(word.lower())
    if letters - set("fpm"):
        wrong = min(letters - set("fpm"))
        raise LayoutError(f"{wrong!r} is not a valid letter", "-X", "give F, p or m")
    return letters


SPELLINGS = {
    "view": spelling(
        section="View",
        flags=(
            Flag(("--json",), "json", "Print JSON, which ncz gen can read.", common=True),
            Flag(
                ("--csv",),
                "csv",
                "Print a table, a row for each point: times are dates.",
                common=True,
            ),
            Flag(("-x", "--ncml"), "ncml", "Print the header as NcML."),
            Flag(("--summary",), "summary", "Print a summary as xarray does.", common=True),
            Flag(("--tree",), "tree", "Print groups, variables and their lengths as a tree."),
        ),
    ),
    "kind": spelling(
        "-k",
        "--kind",
        section="View",
        common=True,
        help="Print only the kind of file, such as netCDF-4.",
    ),
    "header_only": spelling("-h", "--header", section="Selection", common=True),
    "coordinates": spelling("-c", "--coordinates", section="Selection", common=True),
    "variables": spelling(
        "-v",
        "--variables",
        metavar="V,...",
        section="Selection",
        repeats=True,
        parse=_names,
        common=True,
        completes="variables",
    ),
    "groups": spelling(
        "-g",
        "--group",
        metavar="G,...",
        section="Selection",
        repeats=True,
        parse=_names,
        common=True,
        completes="groups",
    ),
    "name": spelling("-n", "--name", metavar="NAME", section="Layout"),
    "line_length": spelling(
        "-l", "--line-length", metavar="N", section="Layout", parse=_whole_number
    ),
    "digits": spelling(
        "-p", "--precision", metavar="FLOAT,DOUBLE", section="Layout", parse=_digits, common=True
    ),
    "weak_digits": spelling(
        "-d",
        "--digits",
        metavar="F,D",
        section="Layout",
        parse=_digits,
        help="As -p, but the attribute C_format prevails.",
    ),
    "brief": spelling("-b", "--brief", metavar="c|f", section="Layout", parse=_indices),
    "full": spelling("-f", "--full", metavar="c|f", section="Layout", parse=_indices),
    "times": spelling(
        section="Layout",
        flags=(
            Flag(("-t", "--dates"), " ", "Print times as dates: 2000-01-31 06:30.", common=True),
            Flag(("-i", "--iso-dates"), "T", "Print times as ISO 8601 dates: 2000-01-31T06:30."),
        ),
    ),
    "special": spelling("-s", "--special", section="Storage", common=True),
    "fold_filters": spelling(
        "-F", "--filters", section="Storage", help="With -s: print all filters in _Filter."
    ),
    "extended": spelling(
        "-X",
        "--extended",
        metavar="F|p|m",
        repeats=True,
        section="Storage",
        parse=_parse_letters,
        help="F: print the type of _FillValue; p: omit _NCProperties; m: ignored.",
    ),
    "unpack": spelling("--unpack", section="View"),
    "jobs": spelling("-j", "--jobs", metavar="N", values=integer(1, 256), section="Output"),
    **KEEP_GOING,
    **NO_CONSOLIDATED,
    **SELECTION,
}

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
    if view in ("json", "summary", "tree", "csv"):
        unused += ["digits", "weak_digits"]
    if view == "csv":
        unused = [name for name in unused if name != "times"]  # a table has dates in any case
        unused += ["header_only", "coordinates", "name"]
    if view in ("summary", "tree"):
        unused += RequestedData.__annotations__
    for parameter in ctx.command.params:
        if parameter.name in unused and is_given(ctx, parameter.name):
            raise click.UsageError(
                f"{parameter.opts[0]} cannot be used with --{view}; omit it", ctx
            )


def _arguments(ctx: click.Context) -> dict[str, Any]:
    """Return the arguments of the function that the options give."""
    given = given_arguments(ctx, SPELLINGS)
    given.pop("jobs", None)
    letters = given.pop("extended", ())
    given |= {"typed_fill": "f" in letters, "properties": "p" not in letters}
    weak = given.pop("weak_digits", None)
    if weak is not None:
        given.setdefault("digits", Precision(weak[0], weak[1], over_attribute=False))
    if given.pop("kind", False):
        given["view"] = "kind"
    return given


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
    """Yield the function that writes to standard output or to a file, and its file descriptor.

    A file is written next to `target` and renamed at the end, so that it is complete or absent. A
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


class _Dump(Command):
    """The command, which takes h5dump's ``-d NAME`` for a variable, as digits are numbers."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; see `click.Command.parse_args`."""
        words = [
            "-v" if word == "-d" and re.match(r"/?[A-Za-z_][^,]*$", after) else word
            for word, after in zip(args, (*args[1:], ""), strict=False)
        ]
        return super().parse_args(ctx, words)


@command(
    "dump",
    "ncz dump -h weather.zarr",
    "ncz dump -v temperature,/model/lat weather.zip",
    "ncz dump --json weather.zarr | jq .dimensions",
    'ncz-dump -s "file:///data/x.zarr#mode=nczarr,file"',
    cls=_Dump,
)
@click.argument("store")
@arguments_of(print_store, SPELLINGS)
@option(
    "-a",
    "--attribute",
    "attributes",
    metavar="VAR:ATT",
    multiple=True,
    section="View",
    help="Print only the value of an attribute; :ATT is a global one.",
)
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
@ignored_option("-w", "--cache", why="it is for servers of OPeNDAP")
@ignored_option("-L", "--log-level", metavar="N", why="see --debug")
@refused_option("-K", "extended_kind", why="neither ncz nor ncdump knows extended kinds of Zarr")
@follow_links_option
@s3_options
@allow_loss_option
@reference_options
def dump(
    ctx: click.Context,
    /,
    store: str,
    attributes: tuple[str, ...],
    target: str,
    overwrite: bool,
    **values: Any,
) -> None:
    """Print a dataset as CDL text, JSON, NcML or a summary.

    -c, -v and -g select data; the whole header is printed. For help, use --help.

    If data cannot be read, the rest is printed, and the exit code is 1; -o then writes nothing.
    """
    _check_view(ctx, values["view"])
    if target.lower().endswith((".nc", ".nc3", ".nc4", ".cdf", ".zarr")):
        line = shlex.join(("ncz", "copy", store, target))
        raise click.UsageError(
            f"dump writes text, and {target} is not the name of one; type: {line}"
        )
    is_seen = target == "-" and sys.stdout.isatty()
    given = _arguments(ctx)
    terminal = terminal_of(ctx)
    source = locate_source(ctx, store)
    if attributes:
        from ncz.cli.attribute_values import value_lines

        print_lines(list(value_lines(source, attributes, terminal.notify)))
        return
    note = "the text is incomplete" if target == "-" else f"{target} was not changed"
    with (
        note_on_interrupt(note),
        _output(target, overwrite) as (to_target, descriptor),
        _progress(terminal, to_target, is_seen=is_seen) as (progress, write),
    ):
        notify = terminal.notify if is_kept(target) else as_read(terminal.notify)
        print_store(
            source,
            **given,
            width=columns() if is_seen else None,
            jobs=values["jobs"],
            allow_loss=True,
            target=Output(write, descriptor),
            notify=Callbacks(notify, progress),
        )
        if terminal.has_lost and target != "-":
            raise LossError(
                "not written, because part of the store cannot be read",
                target,
                "use --allow-loss to write the rest",
            )
