"""``ncz ls`` and ``ncz-ls``: options and arguments, and the layout of listings."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import Command, command
from ncz.cli.listing import (
    content_lines,
    json_contents,
    json_lines,
    json_totals,
    long_line,
    safe,
    sum_line,
    total_lines,
    write_tree,
)
from ncz.cli.options import COMPATIBILITY, ignored_option, json_option, option
from ncz.cli.source_options import (
    allow_loss_option,
    follow_links_option,
    locate_dataset,
    reference_options,
    s3_options,
)
from ncz.cli.spellings import WholeNumber, arguments_of, choice, spelling
from ncz.cli.terminal import Terminal, standard_output, terminal_of, visible
from ncz.commands.key_patterns import LsOptions
from ncz.commands.ls import list_entries
from ncz.commands.ls import ls as list_keys
from ncz.errors import Callbacks, NczError, note_on_interrupt

if TYPE_CHECKING:
    from ncz.errors import Progress
    from ncz.zmap.location import Location


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


SPELLINGS = {
    "recursive": spelling("-r", "--recursive", section="Selection", common=True),
    "kinds": spelling(
        "--kind",
        metavar="KIND",
        values=choice("group", "array", "attributes", "chunk", "piece", "other"),
        repeats=True,
        section="Selection",
        common=True,
    ),
    "exclude": spelling(
        "--exclude", metavar="GLOB", repeats=True, section="Selection", common=True
    ),
    "long": spelling(
        "-l",
        "--long",
        section="Output",
        common=True,
        help="Print the size and the kind of each key, and where pieces and references lead.",
    ),
}

_form = partial(option, section="Output")
_objects = partial(option, section="Objects")
_zmapio = partial(option, section=COMPATIBILITY)


class _Ls(Command):
    """The command; a cluster such as ``-lah`` has its meaning in Unix."""

    def in_own_words(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace options of other programs by options of the command."""
        words: list[str] = []
        for word in args:
            is_listing = re.fullmatch(r"-[aAlhRr1sgGonp]{2,}", word) and {"l", "h"} & {*word}
            if not (is_listing or word == "-1"):
                words.append(word)
                continue
            words += ["-l"] if {"l", "s", "g", "o", "n"} & {*word} else []
            words += ["--human"] if "h" in word else []
            words += ["-r"] if {"r", "R"} & {*word} else []
        return super().in_own_words(ctx, words)


@command(
    "ls",
    "ncz ls weather.zarr",
    "ncz ls -l weather.zip '/temperature/*'",
    "ncz ls weather.zarr --cat /temperature/.zarray",
    "ncz ls --totals --human weather.zarr",
    "ncz ls --contents -r weather.zarr /time /lat --exclude .zattrs",
    cls=_Ls,
)
@click.argument("store", metavar="STORE", default=".")
@click.argument("patterns", metavar="[PREFIX|GLOB]...", nargs=-1)
@arguments_of(list_keys, SPELLINGS)
@_form("--human", is_flag=True, common=True, help="Print sizes as 1.2 MB.")
@_form("--tree", is_flag=True, common=True, help="Print a tree; with -r including every chunk.")
@_form(
    "--totals",
    is_flag=True,
    common=True,
    help="Print the objects, chunks and bytes of each group and array.",
)
@_form("--sum", "is_sum", is_flag=True, help="--totals with one line, for all of STORE.")
@_form(
    "--history",
    is_flag=True,
    help="Print the branches, the tags and the last snapshots of an Icechunk repository.",
)
@json_option("Print a JSON list of key, size, kind and target.")
@_form(
    "--references",
    is_flag=True,
    help="Print a reference set as JSON of version 0, with templates and gen expanded.",
)
@_objects(
    "--contents",
    is_flag=True,
    common=True,
    help="Print the listed objects, documents indented and chunks decoded.",
)
@_objects(
    "--most",
    type=WholeNumber(0),
    metavar="N",
    default=20,
    show_default=True,
    help="--contents with at most N lines per object and N values per line; 0 for all.",
)
@_objects(
    "--cat",
    completes="keys",
    metavar="KEY",
    common=True,
    help="Print one object, a document indented, and a chunk in hexadecimal.",
)
@_objects("--decode", is_flag=True, common=True, help="With --cat: print the values of a chunk.")
@_zmapio(
    "-x",
    "--objects",
    metavar="objdump",
    callback=_check_action,
    help="Print every object on one line: metadata as text, chunks as values.",
)
@_zmapio(
    "-t",
    "--type",
    "element_type",
    metavar="TYPE",
    help="-x with elements of this type: ubyte (the default), int, ..., string/N.",
)
@_zmapio("-F", "--format", "element_format", metavar="FMT", help="-x with this printf format.")
@_zmapio("-h", "--metadata-only", is_flag=True, help="-x without the values of chunks: (...).")
@_zmapio(
    "-X",
    "--extended",
    type=click.Choice(["m"]),
    metavar="m",
    help="-x without the text of .zmetadata.",
)
@ignored_option("-d", "--key-trace", why="it is for debugging zmapio")
@ignored_option("-T", "--trace-level", metavar="N", why="see --debug")
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
@ignored_option("--no-consolidated", why="ls never uses consolidated metadata")
@reference_options
def ls(
    ctx: click.Context,
    /,
    store: str,
    patterns: tuple[str, ...],
    human: bool,
    tree: bool,
    totals: bool,
    is_sum: bool,
    contents: bool,
    most: int,
    as_json: bool,
    references: bool,
    history: bool,
    cat: str | None,
    decode: bool,
    objects: str | None,
    element_type: str | None,
    element_format: str | None,
    metadata_only: bool,
    extended: str | None,
    **values: Any,
) -> None:
    """List the keys of a store, which need not be valid, or the variables of a netCDF file.

    Without -r, one level is listed. A PREFIX restricts the list to keys below it. In a GLOB, * and
    ? match within one name, and ** matches any number of names. Control characters in names are
    escaped, for example as \\x1b; --json prints the exact names.
    """
    terminal, long = terminal_of(ctx), values["long"]
    prints_all = bool(objects or element_type or element_format or metadata_only or extended)
    _check_options(ctx.params, prints_all=prints_all)
    location = locate_dataset(ctx, store)
    if prints_all:
        from ncz.commands import objects as all_objects

        described = all_objects.ObjectsOptions(
            source=location,
            type=element_type or "ubyte",
            format=element_format,
            values=not metadata_only,
            consolidated=extended is None,
        )
        with _output(terminal) as (progress, write):
            _write_lines(safe(all_objects.objects(described, progress)), write)
        return
    is_whole = values["recursive"]
    options = LsOptions(
        source=location,
        patterns=patterns,
        recursive=is_whole or tree,
        kinds=values["kinds"],
        exclude=values["exclude"],
        details=long or as_json or tree,
    )
    with _output(terminal, colored=tree) as (progress, write):
        if cat is not None:
            from ncz.commands.object_text import cat as print_object

            _write_lines(safe(print_object(location, cat, decode=decode)), write)
            return
        callbacks = Callbacks(terminal.notify, progress).partial()
        if history:
            _write_lines(_history(location), write)
            return
        if references:
            from ncz.commands.expansion import expand_set

            _write_lines(expand_set(options, callbacks), write)
            return
        if totals or is_sum:
            from ncz.commands.totals import total
            from ncz.commands.totals import totals as add_up

            rows = add_up(options, callbacks)
            if is_sum and not as_json:
                _write_lines([sum_line(total(rows), store, human)], write)
                return
            rows = iter([total(rows)]) if is_sum else rows
            _write_lines(json_totals(rows) if as_json else total_lines(rows, human), write)
            return
        if contents:
            from ncz.commands.object_text import contents as print_objects

            found = print_objects(options, most or None, callbacks)
            _write_lines(json_contents(found) if as_json else content_lines(found), write)
            return
        entries = list_entries(options, callbacks)
        if as_json:
            _write_lines(json_lines(entries), write)
        elif tree:
            write_tree(location.display, entries, is_whole, terminal, write)
        elif long:
            _write_lines((long_line(entry, human) for entry in entries), write)
        else:
            _write_lines((visible(entry.key) for entry in entries), write)


def _history(location: Location) -> Iterator[str]:
    """Return the lines about the history of a store; raise `NczError` if it keeps none."""
    from ncz.cli.description import history_lines
    from ncz.zmap.opening import history_of

    history = history_of(location)
    if history is None:
        raise NczError(
            "this is not an Icechunk repository, so it keeps no history", location.display,
            "a repository on a server needs #mode=icechunk",
        )  # fmt: skip
    return history_lines(history)


def _check_options(values: Mapping[str, Any], *, prints_all: bool) -> None:
    """Raise `click.UsageError` for options that cannot be used together.

    `prints_all` is true if options of zmapio print all objects.
    """
    selects = ("patterns", "recursive", "exclude", "kinds", "long", "as_json")
    has_keys = any(values[name] for name in selects)
    is_form = {
        name: values[name] for name in ("tree", "totals", "contents", "references", "history")
    }
    is_form["cat"] = values["cat"] is not None
    is_form["totals"] |= values["is_sum"]
    forms = [f"--{name}" for name, is_asked in is_form.items() if is_asked]
    if values["decode"] and not is_form["cat"]:
        raise click.UsageError("--decode can only be used with --cat")
    if is_form["cat"] and has_keys:
        raise click.UsageError("--cat prints one object; only --decode can be used with it")
    if len(forms) > 1:
        raise click.UsageError(f"{forms[0]} cannot be used with {forms[1]}")
    for name in ("references", "tree", "history"):
        if values[name] and (values["as_json"] or values["long"]):
            raise click.UsageError(f"--{name} cannot be used with --json or --long")
    if values["history"] and has_keys:
        raise click.UsageError("--history is about a whole repository; omit prefixes and globs")
    if prints_all and (has_keys or forms):
        raise click.UsageError("-x, -t, -F, -h and -X print all objects; omit other options")


@contextlib.contextmanager
def _output(
    terminal: Terminal, *, colored: bool = False
) -> Iterator[tuple[Progress, Callable[[bytes], object]]]:
    """Yield a progress bar, which the first line on a terminal ends, and a function that writes."""
    from ncz.cli.progress import progress_before

    with (
        note_on_interrupt("the list is incomplete"),
        standard_output(colored=colored) as to_output,
        progress_before(terminal, to_output, is_seen=sys.stdout.isatty()) as found,
    ):
        yield found


def _write_lines(lines: Iterable[str], write: Callable[[bytes], object]) -> None:
    source = iter(lines)
    while batch := list(islice(source, _LINES_PER_WRITE)):
        write(("\n".join(batch) + "\n").encode("utf-8", "surrogateescape"))
