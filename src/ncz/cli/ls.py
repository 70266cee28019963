"""``ncz ls`` and ``ncz-ls``: options and arguments, and the layout of listings."""

from __future__ import annotations

import json
import sys
from collections import Counter
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
from ncz.cli.terminal import Terminal, pass_terminal, standard_output, visible
from ncz.errors import report_unreadable

if TYPE_CHECKING:
    from rich.tree import Tree

    from ncz.commands.ls import Entry

_LINES_PER_WRITE = 1000
_STYLES = {"group": "bold blue", "array": "green", "attributes": "yellow", "chunk": "dim"}


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
        "Keys": ("recursive",),
        "Form": ("long", "tree", "as_json"),
        "One object": ("cat", "decode"),
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
    ),
)
@click.argument("store", metavar="STORE")
@click.argument("pattern", metavar="[PREFIX|GLOB]", default="")
@click.option("-r", "--recursive", is_flag=True, help="List all levels, not only one.")
@click.option(
    "-l",
    "--long",
    is_flag=True,
    help="Print the size in bytes and the kind of each key, and where pieces are.",
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
    pattern: str,
    recursive: bool,
    long: bool,
    tree: bool,
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
    if decode and cat is None:
        raise click.UsageError("--decode can only be used with --cat")
    if cat is not None and (pattern or recursive or long or tree or as_json):
        raise click.UsageError("--cat prints one object; only --decode can be used with it")
    if tree and (as_json or long):
        raise click.UsageError("--tree cannot be used with --json or --long")
    store = s3.locate(terminal, store, follow_links=follow_links)
    if objects or element_type or element_format or metadata_only or extended:
        if pattern or recursive or long or tree or as_json or cat is not None:
            raise click.UsageError("-x, -t, -F, -h and -X print all objects; omit other options")
        from ncz.commands import objects as all_objects

        lines = all_objects.objects(
            all_objects.ObjectsOptions(
                source=store,
                type=element_type or "ubyte",
                format=element_format,
                values=not metadata_only,
                consolidated=extended is None,
            )
        )
        with standard_output() as write:
            _write_lines(_safe(lines), write)
        return
    from ncz.commands import ls as command
    from ncz.zmap.location import parse_location

    with standard_output(colored=tree) as write:
        if cat is not None:
            _write_lines(_safe(command.cat(store, cat, decode=decode)), write)
            return
        options = command.LsOptions(
            source=store,
            pattern=pattern,
            recursive=recursive or tree,
            details=long or as_json or tree,
        )
        entries = command.ls(options, report_unreadable(terminal.notify))
        if as_json:
            _write_lines(_json_lines(entries), write)
        elif tree:
            _write_tree(parse_location(store).display, entries, recursive, terminal, write)
        elif long:
            _write_lines(map(_long_line, entries), write)
        else:
            _write_lines((visible(entry.key) for entry in entries), write)


def _write_lines(lines: Iterable[str], write: Callable[[bytes], object]) -> None:
    source = iter(lines)
    while batch := list(islice(source, _LINES_PER_WRITE)):
        write(("\n".join(batch) + "\n").encode("utf-8", "surrogateescape"))


def _safe(lines: Iterable[str]) -> Iterable[str]:
    """Return the lines of an object, with control characters escaped on a terminal only."""
    return map(visible, lines) if sys.stdout.isatty() else lines


def _long_line(entry: Entry) -> str:
    size = "-" if entry.size is None else str(entry.size)
    line = f"{size:>12}  {entry.kind:<10}  {visible(entry.key)}"
    return f"{line}  {visible(' or '.join(entry.places))}" if entry.places else line


def _json_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Return a JSON list with one entry per line, which diff can compare."""
    line = "["
    for entry in entries:
        if line != "[":
            line += ","
        yield line
        members = {k: v for k, v in entry._asdict().items() if k != "places" or v}
        line = f" {json.dumps(members)}"
    yield line
    yield "]"


def _write_tree(
    store: str,
    entries: Iterable[Entry],
    all_chunks: bool,
    terminal: Terminal,
    write: Callable[[bytes], object],
) -> None:
    import io

    from rich.console import Console

    page = io.StringIO()
    colored = terminal.colored(sys.stdout)
    console = Console(
        file=page, width=10_000, force_terminal=colored, no_color=not colored, legacy_windows=False
    )
    console.print(_tree(store, entries, all_chunks), soft_wrap=True)
    write(page.getvalue().encode("utf-8", "surrogateescape"))


def _tree(store: str, entries: Iterable[Entry], all_chunks: bool) -> Tree:
    """Return the entries as a rich tree. Chunks are counted unless `all_chunks` is true."""
    from rich.text import Text
    from rich.tree import Tree

    def branch(parent: Tree, label: str, kind: str | None) -> Tree:
        return parent.add(Text(label, _STYLES.get(kind or "", "")))

    top = Tree(Text(visible(store), "bold"))
    folders = {"": top}
    arrays: set[str] = set()
    chunks: list[str] = []

    def folder(path: str) -> Tree:
        missing = []
        while path not in folders:
            missing.append(path)
            path = path.rpartition("/")[0]
        for below in reversed(missing):
            parent, _, name = below.rpartition("/")
            folders[below] = branch(folders[parent], visible(name) + "/", None)
        return folders[missing[0] if missing else path]

    for key, _, kind, _ in entries:
        path, _, name = key.rpartition("/")
        if kind == "chunk" and not all_chunks:
            chunks.append(path)
            continue
        if kind == "array":
            arrays.add(path)
        branch(folder(path), visible(name), kind)
    for path, count in Counter(_array_above(path, arrays) for path in chunks).items():
        branch(folder(path), f"{count} chunk{'s' if count > 1 else ''}", "chunk")
    return top


def _array_above(path: str, arrays: set[str]) -> str:
    """Return the path of the array that the folder of chunks `path` belongs to."""
    while path and path not in arrays:
        path = path.rpartition("/")[0]
    return path
