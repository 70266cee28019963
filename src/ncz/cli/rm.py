"""``ncz rm``: remove datasets that ncz recognises, and nothing else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import command
from ncz.cli.options import json_option, option
from ncz.cli.source_options import locate, s3_options
from ncz.cli.spellings import arguments_of, given_arguments, spelling
from ncz.cli.terminal import print_json, print_lines, terminal_of, visible
from ncz.commands.rm import rm as remove
from ncz.errors import Callbacks, StoreMissing, ZmapError, quantity

if TYPE_CHECKING:
    from ncz.zmap.location import Location
    from ncz.zmap.removable import Removable

SPELLINGS = {
    "recursive": spelling(
        "-r",
        "--recursive",
        section="Selection",
        common=True,
        help="Remove the stores in the folder or prefix STORE, and leave the rest.",
    ),
    "pieces": spelling("--pieces", section="Selection", common=True),
    "older_than": spelling(
        "--older-than",
        metavar="AGE",
        section="Selection",
        common=True,
        help="Leave stores that changed later, such as 7d or 12h ago.",
    ),
    "dry_run": spelling(
        "--dry-run",
        section="Output",
        common=True,
        help="Print what would be removed, and remove nothing.",
    ),
}


@command(
    "rm",
    "ncz rm old.zarr results.nc",
    "ncz rm --pieces master.nca",
    "ncz rm --recursive --older-than 7d --dry-run s3://bucket/tests",
)
@click.argument("stores", metavar="STORE...", nargs=-1, required=True)
@arguments_of(remove, SPELLINGS)
@option(
    "-y",
    "--yes",
    is_flag=True,
    section="Output",
    common=True,
    help="Do not ask on a terminal.",
)
@option(
    "-f",
    "--force",
    is_flag=True,
    section="Selection",
    help="Ignore each STORE that does not exist.",
)
@json_option("Print the removed locations as JSON.")
@s3_options
def rm(
    ctx: click.Context,
    /,
    stores: tuple[str, ...],
    yes: bool,
    force: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Remove datasets that ncz recognises, and nothing else.

    The targets of references, links and aggregations stay. If the command is killed, the same
    command removes the rest. On a terminal it asks first; --recursive elsewhere needs --yes.
    """
    from ncz.cli.progress import ProgressBar

    terminal, dry_run = terminal_of(ctx), values["dry_run"]
    is_asking = is_terminal() and not yes
    locations = [locate(ctx, store) for store in stores]
    if force:
        locations = [location for location in locations if not _is_missing(location)]
    given = given_arguments(ctx, SPELLINGS)
    if values["recursive"] and not (is_asking or yes or dry_run):
        if values["older_than"] or not all(map(_is_store, locations)):
            raise click.UsageError("--recursive needs --yes, or a terminal where ncz can ask")
        del given["recursive"]

    def is_confirmed(found: list[Removable]) -> bool:
        for each in found:
            click.echo(visible(_line(each)), err=True)
        return click.confirm(f"Remove {len(found)} of these?", default=False, err=True)

    with ProgressBar(terminal) as progress:

        def ask(found: list[Removable]) -> bool:
            progress.hide()
            return not is_asking or is_confirmed(found)

        callbacks = Callbacks(terminal.notify, progress)
        found = remove(locations, **given, on_plan=ask, notify=callbacks)
    if as_json:
        rows = [
            {
                "place": each.location.display,
                "kind": each.kind,
                "objects": each.objects,
                "bytes": each.size,
            }
            for each in found
        ]
        print_json({"dry_run": dry_run, "removed": rows})
    elif dry_run:
        print_lines(f"would remove {_line(each)}" for each in found)


def _is_missing(location: Location) -> bool:
    from ncz.zmap.removable import examine

    try:
        examine(location)
    except StoreMissing:
        return True
    except ZmapError:
        return False
    return False


def _is_store(location: Location) -> bool:
    """Return whether a location is a store itself, and no folder with stores."""
    from ncz.zmap.removable import examine

    try:
        examine(location)
    except StoreMissing:
        raise
    except ZmapError:
        return False
    return True


def is_terminal() -> bool:
    """Return whether someone can answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()


def _line(found: Removable) -> str:
    """Return a line about a store: its location, kind and size."""
    count = quantity(found.objects, "object")
    return f"{found.location.display} ({found.kind}, {count}, {quantity(found.size, 'byte')})"
