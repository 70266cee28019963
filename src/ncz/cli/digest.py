"""``ncz digest``: print the digests of datasets, as text or as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import command
from ncz.cli.options import WORDS, json_option, option
from ncz.cli.source_options import (
    LIMITS,
    SELECTION,
    VARIABLES,
    locate_source,
    only_match,
    reference_options,
    s3_options,
)
from ncz.cli.spellings import arguments_of, given_arguments, spelling, split_names
from ncz.cli.terminal import LOST, print_json, print_lines, terminal_of
from ncz.commands.digest import digest as compute
from ncz.errors import Callbacks, NczError, note_on_interrupt
from ncz.system_errors import storage_errors

if TYPE_CHECKING:
    from ncz.commands.digest import Digest

SPELLINGS = {
    **VARIABLES,
    **SELECTION,
    "drop_attributes": spelling(
        "--drop-attribute", metavar="NAME,...", section="Selection", repeats=True, parse=split_names
    ),
    "decoded": spelling("--decoded", section="Selection", common=True),
    **LIMITS,
}


@command(
    "digest",
    "ncz digest weather.nc",
    "ncz digest weather.nc s3://bucket/weather.zarr",
    "ncz digest --all s3://bucket/weather.zarr",
    "ncz digest -v t2m,wind weather.zarr",
    "ncz digest --decoded --json weather.zarr",
)
@click.argument("sources", metavar="DATASET...", nargs=-1)
@arguments_of(compute, SPELLINGS)
@option(
    "--all",
    "lists_all",
    is_flag=True,
    section="Output",
    common=True,
    help="Print a line for each group and variable, too.",
)
@option(
    "-r",
    "--recursive",
    is_flag=True,
    section="Selection",
    common=True,
    help="Print digests of all stores and netCDF files in the folder DATASET and below it.",
)
@option(
    "--check",
    "list_file",
    metavar="FILE",
    section="Output",
    common=True,
    help="Compute the digests in FILE again, which ncz digest printed, and compare them.",
)
@json_option("Print the digests of all groups and variables as JSON.")
@s3_options
@reference_options
def digest(
    ctx: click.Context,
    /,
    sources: tuple[str, ...],
    lists_all: bool,
    recursive: bool,  # a folder is replaced by its contents (ncz.cli.several_datasets)
    list_file: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Print a digest of names, types, lengths, attributes and values.

    Two datasets with equal contents have the same digest, regardless of their formats, chunks,
    codecs and places. DATASET is a path or URL of anything that ncz reads; - is standard input.
    Each of several datasets has a line. docs/reference/digest.md specifies the digest.
    """
    if (list_file is None) == (not sources):
        from ncz.cli.misplaced_values import taken_by_option

        taken = taken_by_option(ctx, ctx.meta[WORDS])
        raise click.UsageError(taken or "give datasets, or --check with a file of digests")
    given = given_arguments(ctx, SPELLINGS)
    if list_file is not None:
        if as_json or lists_all:
            raise click.UsageError("--check cannot be used with --json and --all")
        _check(ctx, list_file, given)
        return
    for source in (only_match(ctx, each) for each in sources):
        found = _compute(ctx, source, given, "printed")
        if as_json:
            print_json(_as_json(found), indent=1)
        else:
            place = f"  {source}" if len(sources) > 1 else ""
            print_lines(_lines(found, source, lists_all, place))


def _compute(ctx: click.Context, source: str, given: Mapping[str, Any], done: str) -> Digest:
    """Return the digest of a dataset, and show the progress; `done` is said after an interrupt."""
    from ncz.cli.progress import ProgressBar

    terminal = terminal_of(ctx)
    with note_on_interrupt(f"not all digests were {done}"), ProgressBar(terminal) as progress:
        callbacks = Callbacks(terminal.notify, progress)
        return compute(locate_source(ctx, source), **given, notify=callbacks)


_LISTED = re.compile(r"([0-9a-f]{32})  (.+)")
"""A line of a digest: its value, and the path or URL of the dataset."""


def _check(ctx: click.Context, list_file: str, given: Mapping[str, Any]) -> None:
    """Print whether each dataset of a list still has its digest; exit with 1 if one has not."""
    with storage_errors(list_file, "read"), open(list_file, encoding="utf-8") as file:
        lines = [line.rstrip("\r\n") for line in file if line.strip()]
    listed = [_LISTED.fullmatch(line) for line in lines]
    if not lines or None in listed:
        at = f":{listed.index(None) + 1}" if lines else ""
        hint = "give a file that ncz digest printed"
        raise NczError("this is not a line of digests", f"{list_file}{at}", hint)
    failed = 0
    for value, source in (each.groups() for each in listed if each is not None):
        try:
            is_same = _compute(ctx, source, given, "compared").value == value
        except NczError as error:
            terminal_of(ctx).error(error)
            is_same = False
        failed += not is_same
        print_lines([f"{source}: {'OK' if is_same else 'FAILED'}"])
    if failed:
        ctx.exit(LOST)


def _lines(found: Digest, source: str, lists_all: bool, place: str) -> Iterator[str]:
    """Yield the digest of the whole, or the digests of its parts, which end with `place`."""
    if found.value is not None and not lists_all:
        yield f"{found.value}  {source}"
        return
    for path, value in (*found.groups.items(), *found.variables.items()):
        yield f"{value}  {path}{place}"


def _as_json(found: Digest) -> dict[str, object]:
    from ncz.digests.dataset import VERSION

    return {
        "format": "ncz-digest",
        "version": VERSION,
        "decoded": found.decoded,
        "digest": found.value,
        "groups": dict(found.groups),
        "variables": dict(found.variables),
    }
