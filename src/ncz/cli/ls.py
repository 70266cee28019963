"""``ncz ls`` and ``ncz-ls``: options and arguments, and the layout of listings."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from ncz.cli.options import Command, common_options, examples
from ncz.cli.options.peer import ignored
from ncz.cli.options.source import (
    REFERENCE_NAMES,
    S3_NAMES,
    S3Options,
    allow_loss_option,
    follow_links_option,
    reference_options,
    s3_options,
)
from ncz.cli.output.ls import (
    content_lines,
    json_contents,
    json_lines,
    json_totals,
    long_line,
    safe,
    total_lines,
    write_tree,
)
from ncz.cli.terminal import (
    Terminal,
    pass_terminal,
    standard_output,
    visible,
)
from ncz.errors import note_if_interrupted, report_unreadable

if TYPE_CHECKING:
    from ncz.commands.ls.roles import Kind
    from ncz.model.progress import Progress

_LINES_PER_WRITE = 1000


def _check_action(_: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    match value and value.lower():
        case None | "objdump":
            return value
        case "clear":
            why = "ncz ls deletes nothing"
        case "none":
            why = "zmapio has nothing to do either"
        case _:
            why = f"{value!r} is not an action; use objdump"
    raise click.BadParameter(why, param=parameter)


def _print_help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help())
        ctx.exit()


@click.command(
    "ls",
    cls=Command,
    sections={
        "Keys": ("recursive", "kinds", "exclude"),
        "Form": ("long", "human", "tree", "totals", "as_json"),
        "Objects": ("contents", "most", "cat", "decode"),
        "All objects, as zmapio": (
            "objects",
            "element_type",
            "element_format",
            "metadata_only",
            "extended",
            "key_trace",
            "trace_level",
        ),
        "Reference sets": REFERENCE_NAMES,
        "Remote stores": S3_NAMES,
        "Options": ("follow_links", "allow_loss", "quiet", "color", "debug", "version", "help"),
    },
    epilog=examples(
        "ncz ls weather.zarr",
        "ncz ls -l weather.zip '/temperature/*'",
        "ncz ls weather.zarr --cat /temperature/.zarray",
        "ncz ls --totals --human weather.zarr",
        "ncz ls --contents -r weather.zarr /time /lat --exclude .zattrs",
    ),
)
@click.argument("store", metavar="STORE")
@click.argument("patterns", metavar="[PREFIX|GLOB]...", nargs=-1)
@click.option("-r", "--recursive", is_flag=True, help="List all levels, not only one.")
@click.option(
    "-l",
    "--long",
    is_flag=True,
    help="Print the size in bytes and the kind of each key, and where pieces are.",
)
@click.option("--human", is_flag=True, help="Print sizes as 1.2 MB.")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(["group", "array", "attributes", "chunk", "piece", "other"]),
    metavar="KIND",
    multiple=True,
    help="List only keys of this kind: group, array, attributes, chunk, piece or other.",
)
@click.option(
    "--exclude",
    metavar="GLOB",
    multiple=True,
    help="Leave out matching keys, and those below them; without a slash, names at any level.",
)
@click.option(
    "--totals",
    is_flag=True,
    help="Print the number of objects and chunks, and the bytes, of each group and array.",
)
@click.option(
    "--contents", is_flag=True, help="Print the listed objects: documents indented, chunks decoded."
)
@click.option(
    "--most",
    type=click.IntRange(0),
    metavar="N",
    default=20,
    show_default=True,
    help="--contents with at most N lines an object and N values a line; 0 for all.",
)
@click.option("--tree", is_flag=True, help="Print a tree; with -r including every chunk.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list of key, size and kind.")
@click.option(
    "--cat", metavar="KEY", help="Print one object: JSON indented, a chunk in hexadecimal."
)
@click.option("--decode", is_flag=True, help="With --cat: print the values of a chunk.")
@click.option(
    "-x",
    "--objects",
    metavar="objdump",
    callback=_check_action,
    help="Print every object on one line: metadata as text, chunks as values.",
)
@click.option(
    "-t",
    "--type",
    "element_type",
    metavar="TYPE",
    help="-x with elements of this type: ubyte (the default), int, ..., string/N.",
)
@click.option("-F", "--format", "element_format", metavar="FMT", help="-x with this printf format.")
@click.option("-h", "--metadata-only", is_flag=True, help="-x without the values of chunks: (...).")
@click.option(
    "-X",
    "--extended",
    type=click.Choice(["m"]),
    metavar="m",
    help="-x without the text of .zmetadata.",
)
@ignored("-d", "--key-trace", why="it is for debugging zmapio")
@ignored("-T", "--trace-level", metavar="N", why="see --debug")
@click.option(
    "-v",
    "usage",
    is_flag=True,
    is_eager=True,
    hidden=True,
    expose_value=False,
    callback=_print_help,
)
@follow_links_option
@s3_options
@allow_loss_option
@click.option(
    "--no-consolidated",
    is_flag=True,
    expose_value=False,
    help="Ignored: ls never uses consolidated metadata.",
)
@reference_options
@common_options
@pass_terminal
def ls(
    terminal: Terminal,
    store: str,
    patterns: tuple[str, ...],
    recursive: bool,
    kinds: tuple[Kind, ...],
    exclude: tuple[str, ...],
    long: bool,
    human: bool,
    tree: bool,
    totals: bool,
    contents: bool,
    most: int,
    as_json: bool,
    cat: str | None,
    decode: bool,
    objects: str | None,
    element_type: str | None,
    element_format: str | None,
    metadata_only: bool,
    extended: str | None,
    s3: S3Options,
    follow_links: bool,
) -> None:
    """List the keys of a store. The store need not be valid.

    Without -r, one level is listed. A PREFIX restricts the list to keys below it. In a GLOB, * and
    ? match within one name, and ** matches any number of names. The kinds of keys are group,
    array, attributes, chunk, piece (a part of an aggregation) and other. Control characters in
    names are escaped, for example as \\x1b; --json prints the exact names. Chunks are printed
    without decoding by -x, and decoded by --cat KEY --decode.
    """
    forms = [name for name, given in _forms(tree, totals, contents, cat) if given]
    if decode and cat is None:
        raise click.UsageError("--decode can only be used with --cat")
    if cat is not None and (patterns or recursive or long or as_json or exclude or kinds):
        raise click.UsageError("--cat prints one object; only --decode can be used with it")
    if len(forms) > 1:
        raise click.UsageError(f"{forms[0]} cannot be used with {forms[1]}")
    if tree and (as_json or long):
        raise click.UsageError("--tree cannot be used with --json or --long")
    store = s3.locate(terminal, store, follow_links=follow_links)
    if objects or element_type or element_format or metadata_only or extended:
        if patterns or recursive or long or as_json or forms or exclude or kinds:
            raise click.UsageError("-x, -t, -F, -h and -X print all objects; omit other options")
        from ncz.commands.ls import objects as all_objects

        described = all_objects.ObjectsOptions(
            source=store,
            type=element_type or "ubyte",
            format=element_format,
            values=not metadata_only,
            consolidated=extended is None,
        )
        with _output(terminal) as (progress, write):
            _write_lines(safe(all_objects.objects(described, progress)), write)
        return
    from ncz.commands.ls import command
    from ncz.zmap.location import parse_location

    on_error = report_unreadable(terminal.notify)
    with _output(terminal, colored=tree) as (progress, write):
        if cat is not None:
            from ncz.commands.ls.contents import cat as print_object

            _write_lines(safe(print_object(store, cat, decode=decode)), write)
            return
        options = command.LsOptions(
            source=store,
            patterns=patterns,
            exclude=exclude,
            kinds=kinds,
            recursive=recursive or tree,
            details=long or as_json or tree,
        )
        if totals:
            from ncz.commands.ls.totals import totals as add_up

            rows = add_up(options, on_error, terminal.notify, progress)
            _write_lines(json_totals(rows) if as_json else total_lines(rows, human), write)
            return
        if contents:
            from ncz.commands.ls.contents import contents as print_objects

            found = print_objects(options, most or None, on_error, terminal.notify, progress)
            _write_lines(json_contents(found) if as_json else content_lines(found), write)
            return
        entries = command.ls(options, on_error, terminal.notify, progress)
        if as_json:
            _write_lines(json_lines(entries), write)
        elif tree:
            write_tree(parse_location(store).display, entries, recursive, terminal, write)
        elif long:
            _write_lines((long_line(entry, human) for entry in entries), write)
        else:
            _write_lines((visible(entry.key) for entry in entries), write)


@contextlib.contextmanager
def _output(
    terminal: Terminal, *, colored: bool = False
) -> Iterator[tuple[Progress, Callable[[bytes], object]]]:
    """Yield a progress bar, which the first line on a terminal ends, and a function that writes."""
    from ncz.cli.terminal.progress import progress_before

    with (
        note_if_interrupted("the list is incomplete"),
        standard_output(colored=colored) as to_output,
        progress_before(terminal, to_output, is_seen=sys.stdout.isatty()) as found,
    ):
        yield found


def _forms(
    tree: bool, totals: bool, contents: bool, cat: str | None
) -> tuple[tuple[str, bool], ...]:
    return (
        ("--tree", tree),
        ("--totals", totals),
        ("--contents", contents),
        ("--cat", cat is not None),
    )


def _write_lines(lines: Iterable[str], write: Callable[[bytes], object]) -> None:
    source = iter(lines)
    while batch := list(islice(source, _LINES_PER_WRITE)):
        write(("\n".join(batch) + "\n").encode("utf-8", "surrogateescape"))
