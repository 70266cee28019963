"""``ncz copy --append`` and ``--into``: options that they exclude, and their output."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.source_options import REFERENCE_NAMES, S3_NAMES
from ncz.cli.terminal import visible
from ncz.errors import quantity
from ncz.text.sizes import format_size

if TYPE_CHECKING:
    from ncz.commands.append.additions import Addition
    from ncz.commands.append.file import LongerVariable
    from ncz.commands.region.patch import Patch
    from ncz.formats.growth import Growth


_WITH_CHANGE = (
    "append", "into", "allow_loss", "memory", "threads", "verify", "dry_run", "as_json",
    *("isel", "sel", "nearest", "vars", "exclude", "pieces", "piece_format"),
    "attributes", "unpack", "repack", "tolerance", "sort", "overlap",
    *("follow_links", *S3_NAMES, *REFERENCE_NAMES),
)  # fmt: skip
"""Options that describe neither the form of a new store nor a part of the source."""


def check_change(ctx: click.Context, target: str, values: Mapping[str, Any]) -> None:
    """Raise `click.UsageError` for options that ``--append`` or ``--into`` excludes."""
    change = "--append" if values["append"] is not None else "--into"
    for parameter in ctx.command.params:
        name = parameter.name or ""
        is_typed = ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if values.get(name) and is_typed and name not in _WITH_CHANGE:
            option = parameter.opts[-1]
            raise click.UsageError(f"{option} cannot be used with {change}: DST stays unchanged")
    if target == "-":
        raise click.UsageError(f"{change} needs an existing store as DST")


def change_text(
    changes: Sequence[Addition | Growth | LongerVariable | Patch], *, as_json: bool
) -> str:
    """Return the plan of a change for ``--dry-run``."""
    rows = [change.row for change in changes]
    if as_json:
        is_region = any("indices" in row for row in rows)
        return json.dumps({"into" if is_region else "append": rows}) + "\n"
    lines = [*map(_plan_line, rows)]
    if any("bytes" in row for row in rows):
        lines.append(_forecast(rows))
    return "".join(visible(line) + "\n" for line in lines)


def _forecast(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the bytes that are written, their place, and the bytes that the store refers to."""
    names = ("bytes", "bytes_beside", "referred_bytes")
    size, beside, referred = (sum(row[name] for row in rows) for name in names)
    text = f"forecast: about {format_size(size)}"
    if beside:
        text += f", {format_size(beside)} of them in a folder next to the set,"
    return f"{text} and references to {format_size(referred)}" if referred else text


def _plan_line(row: Mapping[str, Any]) -> str:
    if "indices" in row:
        part = ", ".join(f"{first}:{stop}" for first, stop in row["indices"])
        return f"{row['variable']}  [{part}]  {quantity(row['chunks'], 'chunk')}"
    noun = "chunk" if "chunks" in row else "piece"
    count = quantity(row[f"{noun}s"], noun)
    return f"{row['variable']}  {row['way']}  {row['from']} to {row['to']}  {count}"
