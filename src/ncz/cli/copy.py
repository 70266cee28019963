"""``ncz copy``: the name is kept for it; this version says that it cannot copy yet."""

from __future__ import annotations

import click

from ncz.cli.options import Command, common_options
from ncz.errors import NczError


@click.command("copy", cls=Command, context_settings={"ignore_unknown_options": True}, hidden=True)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@common_options
def copy(arguments: tuple[str, ...]) -> None:
    """Not in this version: use ncz dump and ncz gen."""
    raise NczError(
        "this version of ncz has no copy yet",
        do="use 'ncz dump SOURCE | ncz gen - -o TARGET'",
    )
