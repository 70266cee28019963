"""``ncz clean``: remove leftovers of an unfinished gen or copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import command
from ncz.cli.options import json_option, option
from ncz.cli.source_options import locate, s3_options
from ncz.cli.terminal import print_json, print_lines, terminal_of
from ncz.errors import note_on_interrupt

if TYPE_CHECKING:
    from ncz.zmap.claim import Leftover


@command(
    "clean",
    "ncz clean out.zarr",
    "ncz clean --dry-run out.zip",
    "ncz clean s3://bucket/key",
)
@click.argument("target", metavar="DST")
@option(
    "--dry-run",
    is_flag=True,
    section="Output",
    common=True,
    help="Print what would be removed, and remove nothing.",
)
@json_option("Print a report as JSON.")
@option(
    "--force",
    is_flag=True,
    section="Output",
    common=True,
    help="On a server, also remove leftovers of other computers.",
)
@s3_options
def clean(
    ctx: click.Context, /, target: str, dry_run: bool, as_json: bool, force: bool, **_: Any
) -> None:
    """Remove leftovers of a killed or failed command for DST, and nothing else.

    DST itself stays unchanged; if a store was being replaced and only the old one exists, it gets
    its name back. An interrupted ncz edit is completed. Nothing is removed while a command writes
    DST.
    """
    from ncz.cli.progress import ProgressBar
    from ncz.commands.clean import clean as carry_out

    note = "nothing was changed" if dry_run else "run the same command again to remove the rest"
    with note_on_interrupt(note), ProgressBar(terminal_of(ctx)) as progress:
        found = carry_out(locate(ctx, target), dry_run=dry_run, force=force, progress=progress)
    if as_json:
        rows = [
            {"place": f.place, "action": f.action, "objects": f.objects, "bytes": f.size}
            for f in found
        ]
        print_json({"dry_run": dry_run, "found": rows})
    else:
        print_lines(_line(each, dry_run) for each in found)


def _line(found: Leftover, dry_run: bool) -> str:
    done = f"would {found.action}" if dry_run else f"{found.action.removesuffix('e')}ed"
    return f"{done} {found.place} ({found.objects} object{'s' * (found.objects != 1)})"
