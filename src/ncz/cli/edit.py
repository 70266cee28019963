"""``ncz edit``: change attributes and names of an existing store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ncz.cli.options import (
    COMMON_NAMES,
    S3_NAMES,
    Command,
    S3Options,
    common_options,
    examples,
    s3_options,
)
from ncz.cli.terminal import Terminal, pass_terminal, standard_output, visible

if TYPE_CHECKING:
    from ncz.commands.edit.structure import Change


@click.command(
    "edit",
    cls=Command,
    sections={
        "Changes": ("remove", "delete", "rename", "set_"),
        "Output": ("dry_run", "as_json"),
        "Remote stores": S3_NAMES,
        "Options": COMMON_NAMES,
    },
    epilog=examples(
        "ncz edit weather.zarr --set 'temperature:units = \"K\"'",
        "ncz edit weather.zip --delete :history --rename lat:name=lat:long_name",
        "ncz edit weather.zarr --remove pressure --rename dimension\\ x=lon",
        "ncz edit --dry-run s3://bucket/key --set ':levels = 1s, 2s'",
    ),
)
@click.argument("store", metavar="STORE")
@click.option("--remove", metavar="VAR", multiple=True, help="Remove a variable or group.")
@click.option("--delete", metavar="VAR:ATT", multiple=True, help="Delete an attribute.")
@click.option(
    "--rename",
    metavar="OLD=NEW",
    multiple=True,
    help="Rename an attribute (VAR:A=VAR:B), a variable and the dimension of its name, or a group;"
    " 'variable A=B' and 'dimension A=B' rename only one of the two.",
)
@click.option(
    "--set",
    "set_",
    metavar="CDL",
    multiple=True,
    help="Create or replace an attribute, written as in CDL: [TYPE] VAR:ATT = VALUES.",
)
@click.option("--dry-run", is_flag=True, help="Print what would change. Change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the changes as JSON.")
@s3_options
@common_options
@pass_terminal
def edit(
    terminal: Terminal,
    store: str,
    s3: S3Options,
    remove: tuple[str, ...],
    delete: tuple[str, ...],
    rename: tuple[str, ...],
    set_: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Change attributes and names of an existing store: all that is asked for, or nothing.

    VAR is a variable or a group, such as /g/v; without VAR, the attribute is global. Options can
    be repeated: --remove is done first, then --delete, --rename and --set. Types are those of CDL.
    NCZarr's notes and consolidated metadata are changed too. A zip file is written again.
    """
    from ncz.cli.progress import Progress
    from ncz.commands.edit.command import EditOptions
    from ncz.commands.edit.command import edit as carry_out

    if not (remove or delete or rename or set_):
        raise click.UsageError("nothing to change; use --set, --delete, --rename or --remove")
    options = EditOptions(
        source=s3.locate(terminal, store),
        remove=remove,
        delete=delete,
        rename=rename,
        set=set_,
        dry_run=dry_run,
    )
    with Progress(terminal) as progress:
        changes = carry_out(options, terminal.notify, progress)
    with standard_output() as write:
        if as_json:
            rows = [
                {
                    "kind": c.kind,
                    "node": f"/{c.node}",
                    "name": c.name,
                    "before": c.before,
                    "after": c.after,
                }
                for c in changes
            ]
            write((json.dumps({"dry_run": dry_run, "changes": rows}) + "\n").encode())
        elif dry_run:
            for change in changes:
                write(f"{visible(_line(change))}\n".encode())


def _line(change: Change) -> str:
    if change.kind != "attribute":
        verb = "remove" if change.after is None else "rename"
        to = "" if change.after is None else f" to {change.after}"
        return f"would {verb} {change.kind} {change.before}{to}"
    place = f"/{change.node}:{change.name}"
    if change.after is None:
        return f"would delete {place} (was {change.before})"
    was = "" if change.before is None else f" (was {change.before})"
    return f"would set {place} = {change.after}{was}"
