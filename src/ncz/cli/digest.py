"""``ncz digest``: print the digests of datasets, as text or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import arguments_given, arguments_of, command, json_option, option, spelled
from ncz.cli.source_options import (
    LIMITS,
    SELECTION,
    VARIABLES,
    located,
    reference_options,
    s3_options,
)
from ncz.cli.terminal import print_json, print_lines, terminal_of
from ncz.commands.digest import digest as compute
from ncz.errors import Callbacks, note_if_interrupted

if TYPE_CHECKING:
    from ncz.commands.digest import Digest

SPELLINGS = {
    **VARIABLES,
    **SELECTION,
    "decoded": spelled("--decoded", section="Selection", common=True),
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
@click.argument("sources", metavar="DATASET...", nargs=-1, required=True)
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
    help="Take each store and each netCDF file in the folder DATASET and in its folders.",
)
@json_option("Print the digests of all groups and variables as JSON.")
@s3_options
@reference_options
def digest(
    ctx: click.Context,
    /,
    sources: tuple[str, ...],
    lists_all: bool,
    recursive: bool,  # a folder is replaced by what is in it (ncz.cli.several_datasets)
    as_json: bool,
    **values: Any,
) -> None:
    """Print a digest of names, types, lengths, attributes and values.

    Two datasets have the same digest if their contents are equal, whatever their formats, chunks,
    codecs and places are. DATASET is a path or URL of anything that ncz reads; - is CDL text from
    standard input. Each of several datasets has a line. docs/reference/digest.md specifies the
    digest.
    """
    from ncz.cli.progress import ProgressBar

    terminal = terminal_of(ctx)
    given = arguments_given(ctx, SPELLINGS)
    for source in sources:
        with note_if_interrupted("not all digests were printed"), ProgressBar(terminal) as progress:
            callbacks = Callbacks(terminal.notify, progress)
            found = compute(located(ctx, source), **given, notify=callbacks)
        if as_json:
            print_json(_as_json(found), indent=1)
        else:
            place = f"  {source}" if len(sources) > 1 else ""
            print_lines(_lines(found, source, lists_all, place))


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
