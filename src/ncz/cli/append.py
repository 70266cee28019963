"""``ncz copy --append``: options that it excludes, and its output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.terminal import Terminal, standard_output, visible

if TYPE_CHECKING:
    from ncz.commands.append.plan import Addition
    from ncz.commands.copy.options import CopyOptions

_OF_NEW_STORES = (
    "overwrite", "resume", "mode", "zarr_format", "consolidated", "separator", "char", "fixed",
    "audience", "truncate_strings", "chunkspecs", "chunk_size", "least_chunk", "shards", "deflate",
    "shuffle", "filters", "codecs", "data_of", "only", "data_of_groups", "only_groups", "concat",
    "inline", "record_size", "dask", "keep_going", "check_data",
)  # fmt: skip
"""Options that say how a new store is written, or what of the source it gets."""


def check(target: str, given: Mapping[str, Any]) -> None:
    """Raise `click.UsageError` for options that exclude each other."""
    if target == "-" and given["as_json"]:
        raise click.UsageError("standard output cannot be both CDL and JSON; omit one of them")
    if target == "-" and (given["resume"] or given["verify"] or given["dry_run"]):
        raise click.UsageError("--resume, --verify and --dry-run need a store as DST, not CDL text")
    if given["truncate_strings"] and given["verify"]:
        raise click.UsageError("--truncate-strings changes values, which --verify would report")
    if given["dask"] is not None and given["resume"]:
        raise click.UsageError("--dask and --resume cannot be used together")
    if given["concat"] is not None and given["subset"] is not None:
        raise click.UsageError("--isel and --sel cannot be used with --concat; join first")
    if given["append"] is not None:
        parameters = {p.name: p for p in click.get_current_context().command.params}
        for name in _OF_NEW_STORES:
            source = click.get_current_context().get_parameter_source(name)
            if given[name] and source is click.core.ParameterSource.COMMANDLINE:
                option = parameters[name].opts[-1]
                raise click.UsageError(f"{option} cannot be used with --append: DST stays as it is")
        if target == "-":
            raise click.UsageError("--append needs an existing store as DST")


def append(terminal: Terminal, options: CopyOptions, given: Mapping[str, Any]) -> None:
    """Append to a store; print the plan, or a summary as JSON, if asked for."""
    from ncz.cli.output.copy import summary_json
    from ncz.cli.terminal.progress import Progress
    from ncz.commands.append.command import append as carry_out

    dry_run, as_json = given["dry_run"], given["as_json"]
    with standard_output() as write, Progress(terminal) as progress:

        def show(additions: list[Addition]) -> bool:
            if dry_run:
                write(_plan(additions, as_json=as_json).encode())
            return not dry_run

        summary = carry_out(options, terminal.notify, progress, show)
        if as_json and not dry_run:
            source = options.source if isinstance(options.source, str) else "-"
            write(summary_json(summary, source, str(options.target)).encode())


def _plan(additions: list[Addition], *, as_json: bool) -> str:
    rows = [
        {
            "variable": addition.array.fqn,
            "way": "recode" if addition.chunks is None else "raw",
            "from": addition.start,
            "to": addition.stop,
            "chunks": addition.count,
        }
        for addition in additions
    ]
    if as_json:
        return json.dumps({"append": rows}) + "\n"
    line = "{variable}  {way}  {from} to {to}  {chunks} chunks"
    return "".join(visible(line.format(**row)) + "\n" for row in rows)
