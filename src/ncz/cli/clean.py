"""``ncz clean``: remove what an unfinished gen or copy left."""

from __future__ import annotations

import json

import click

from ncz.cli.options import (
    Command,
    S3Options,
    common_options,
    examples,
    json_option,
    option,
    s3_options,
)
from ncz.cli.terminal import Terminal, pass_terminal, standard_output, visible
from ncz.errors import note_if_interrupted


@click.command(
    "clean",
    cls=Command,
    epilog=examples(
        "ncz clean out.zarr",
        "ncz clean --dry-run out.zip",
        "ncz clean s3://bucket/key",
    ),
)
@click.argument("target", metavar="DST")
@option(
    "--dry-run",
    is_flag=True,
    section="Output",
    common=True,
    help="Print what would be removed. Remove nothing.",
)
@json_option("Print a report as JSON.")
@option(
    "--force",
    is_flag=True,
    section="Output",
    common=True,
    help="On a server, also if another computer began to write DST.",
)
@s3_options
@common_options
@pass_terminal
def clean(
    terminal: Terminal, target: str, s3: S3Options, dry_run: bool, as_json: bool, force: bool
) -> None:
    """Remove what a killed or failed command left for DST, and nothing else.

    DST itself stays as it is; if a store was being replaced and only the old one exists, it gets
    its name back. An interrupted ncz edit is completed. Nothing is removed while a command writes
    DST.
    """
    from ncz.cli.progress import Progress
    from ncz.commands.clean import clean as carry_out

    note = "nothing was changed" if dry_run else "run the same command again to remove the rest"
    with note_if_interrupted(note), Progress(terminal) as progress:
        found = carry_out(
            s3.locate(terminal, target), dry_run=dry_run, force=force, progress=progress
        )
    with standard_output() as write:
        if as_json:
            rows = [
                {"place": f.place, "action": f.action, "objects": f.objects, "bytes": f.size}
                for f in found
            ]
            write((json.dumps({"dry_run": dry_run, "found": rows}) + "\n").encode())
        else:
            verb = "would " if dry_run else ""
            for each in found:
                done = each.action if dry_run else f"{each.action.removesuffix('e')}ed"
                count = f"{each.objects} object{'s' * (each.objects != 1)}"
                line = visible(f"{verb}{done} {each.place} ({count})")
                write(f"{line}\n".encode())
