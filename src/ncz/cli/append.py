"""``ncz copy --append``: options that it excludes, and its output."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.source_options import REFERENCE_NAMES, S3_NAMES
from ncz.cli.terminal import visible
from ncz.errors import counted

if TYPE_CHECKING:
    from ncz.commands.append.additions import Addition
    from ncz.formats.growth import Growth


_WITH_APPEND = (
    "append", "allow_loss", "memory", "threads", "verify", "dry_run", "as_json",
    *("isel", "sel", "nearest", "vars", "exclude", "pieces", "piece_format"),
    "attributes", "unpack", "repack", "tolerance", "sort", "overlap",
    *("follow_links", *S3_NAMES, *REFERENCE_NAMES),
)  # fmt: skip
"""Options that do not say how a new store is written, or what of the source it gets."""


def check_append(ctx: click.Context, target: str, values: Mapping[str, Any]) -> None:
    """Raise `click.UsageError` for options that ``--append`` excludes."""
    for parameter in ctx.command.params:
        name = parameter.name or ""
        is_typed = ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if values.get(name) and is_typed and name not in _WITH_APPEND:
            option = parameter.opts[-1]
            raise click.UsageError(f"{option} cannot be used with --append: DST stays as it is")
    if target == "-":
        raise click.UsageError("--append needs an existing store as DST")


def addition_text(additions: Sequence[Addition | Growth], *, as_json: bool) -> str:
    """Return the plan of an addition for ``--dry-run``."""
    rows = [addition.row for addition in additions]
    if as_json:
        return json.dumps({"append": rows}) + "\n"
    return "".join(visible(_plan_line(row)) + "\n" for row in rows)


def _plan_line(row: Mapping[str, Any]) -> str:
    noun = "chunk" if "chunks" in row else "piece"
    count = counted(row[f"{noun}s"], noun)
    return f"{row['variable']}  {row['way']}  {row['from']} to {row['to']}  {count}"
