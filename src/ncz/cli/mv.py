"""``ncz mv``: rename or move datasets."""

from __future__ import annotations

from typing import Any

import click

from ncz.cli.command import command
from ncz.cli.options import option
from ncz.cli.source_options import locate, s3_options
from ncz.cli.terminal import terminal_of
from ncz.errors import Callbacks


@command(
    "mv",
    "ncz mv old.zarr new.zarr",
    "ncz mv monday.nc tuesday.nc days/",
    "ncz mv model.zarr s3://bucket/model.zarr",
)
@click.argument("sources", metavar="SRC...", nargs=-1, required=True)
@click.argument("target", metavar="DST")
@option(
    "--overwrite",
    is_flag=True,
    section="Output",
    common=True,
    help="Replace DST if it exists.",
)
@s3_options
def mv(
    ctx: click.Context, /, sources: tuple[str, ...], target: str, overwrite: bool, **_: Any
) -> None:
    """Rename or move a dataset.

    DST is the new name, or an existing folder. The format does not change. On one file system the
    dataset is renamed; elsewhere it is copied and compared, and SRC is then removed.
    """
    from ncz.cli.progress import ProgressBar
    from ncz.commands.mv import mv as move

    terminal = terminal_of(ctx)
    with ProgressBar(terminal) as progress:
        move(
            sources,
            target,
            lambda text, creating: locate(ctx, text, creating=creating),
            Callbacks(terminal.notify, progress),
            overwrite=overwrite,
        )
