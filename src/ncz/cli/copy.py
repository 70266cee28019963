"""``ncz copy`` and ``ncz-copy``: options, arguments, and how plans and results are printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from ncz.cli.command import Command, command, fields_of, ignored, option, options_of
from ncz.cli.kind_options import chosen_kind, kind_options
from ncz.cli.source_options import (
    REFERENCE_NAMES,
    S3_NAMES,
    follow_links_option,
    locate,
    located,
    reference_options,
    s3_options,
)
from ncz.cli.target_options import audience_of, modes_of, zarr_format_option
from ncz.cli.terminal import (
    Terminal,
    TextOutput,
    standard_output,
    terminal_of,
    visible,
    without_digits,
)
from ncz.commands.copy.options import PROGRAM_MEMORY, CopyOptions
from ncz.commands.copy.plan import CopyPlan, VariablePlan
from ncz.commands.copy.summary import Summary
from ncz.errors import Callbacks, counted, ignore_notice, in_command_line
from ncz.model.chunks import ChunkLayout
from ncz.record import replace
from ncz.text.sizes import format_size

if TYPE_CHECKING:
    from ncz.commands.append.additions import Addition
    from ncz.formats.aggregation.growth import Growth
    from ncz.zmap.location import Location

# ``ncz copy --append``: options that it excludes, and its output.

_WITH_APPEND = (
    "append", "allow_loss", "memory", "threads", "verify", "dry_run", "as_json",
    *("isel", "sel", "nearest", "vars", "exclude", "pieces", "piece_format"),
    "attributes", "unpack", "repack", "tolerance", "sort", "overlap",
    *("follow_links", *S3_NAMES, *REFERENCE_NAMES),
)  # fmt: skip
"""Options that do not say how a new store is written, or what of the source it gets."""


def check(ctx: click.Context, target: str, values: Mapping[str, Any]) -> None:
    """Raise `click.UsageError` for options that exclude each other."""
    if target == "-" and values["as_json"]:
        raise click.UsageError("standard output cannot be both CDL and JSON; omit one of them")
    if target == "-" and (values["resume"] or values["verify"] or values["dry_run"]):
        raise click.UsageError("--resume, --verify and --dry-run need a store as DST, not CDL text")
    if values["truncate_strings"] and values["verify"]:
        raise click.UsageError("--truncate-strings changes values, which --verify would report")
    if values["dask"] is not None and values["resume"]:
        raise click.UsageError("--dask and --resume cannot be used together")
    if values["max_piece"] is not None and values["pieces"]:
        raise click.UsageError("--max-piece and --pieces cannot be used together")
    if values["concat"] is not None and values["new_dimension"] is not None:
        raise click.UsageError("--concat and --new-dimension cannot be used together")
    if values["append"] is not None:
        for parameter in ctx.command.params:
            name = parameter.name or ""
            is_typed = ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
            if values.get(name) and is_typed and name not in _WITH_APPEND:
                option = parameter.opts[-1]
                raise click.UsageError(f"{option} cannot be used with --append: DST stays as it is")
        if target == "-":
            raise click.UsageError("--append needs an existing store as DST")


def append(terminal: Terminal, options: CopyOptions, values: Mapping[str, Any]) -> None:
    """Append to a store; print the plan, or a summary as JSON, if asked for."""
    from ncz.cli.progress import ProgressBar
    from ncz.commands.append.command import append as carry_out

    dry_run, as_json = values["dry_run"], values["as_json"]
    with standard_output() as write, ProgressBar(terminal) as progress:

        def show(additions: Sequence[Addition | Growth]) -> bool:
            if dry_run:
                write(_plan(additions, as_json=as_json).encode())
            return not dry_run

        summary = carry_out(options, Callbacks(terminal.notify, progress), show)
        if as_json and not dry_run:
            write(summary_json(summary, options).encode())


def _plan(additions: Sequence[Addition | Growth], *, as_json: bool) -> str:
    rows = [addition.row for addition in additions]
    if as_json:
        return json.dumps({"append": rows}) + "\n"
    return "".join(visible(_plan_line(row)) + "\n" for row in rows)


def _plan_line(row: Mapping[str, Any]) -> str:
    noun = "chunk" if "chunks" in row else "piece"
    count = counted(row[f"{noun}s"], noun)
    return f"{row['variable']}  {row['way']}  {row['from']} to {row['to']}  {count}"


class _Copy(Command):
    """The command; what ncks's ``-d`` selects is an error that names ``--isel`` and ``--sel``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; see `click.Command.parse_args`."""
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter as error:
            if error.param is None or error.param.name != "deflate" or "," not in error.message:
                raise
            hint = "to select, use --isel time=0:2 or --sel lat=50:60"
            raise click.BadParameter(
                f"{error.message.rstrip('.')}; {hint}", ctx, error.param
            ) from None


@command(
    "copy",
    "ncz copy model.nc model.zarr",
    "ncz copy model.nc s3://bucket/model.zarr --cloud",
    "ncz copy in.zarr out.zarr -c time/100,lat/,lon/ --codec zstd:5",
    'ncz copy a.zarr "b.zip#mode=zarr,zip"',
    "ncz copy in.zarr out.nc",
    "ncz copy in.zarr out.zarr -c time/100,lat/,lon/ -d 5 -s",
    "ncz copy in.zarr out.zarr --codec zstd:5 --chunk-size 10MB",
    "ncz copy in.zarr out.zarr --zarr-format 3 --shards time/1000,lat/,lon/",
    "ncz copy --dry-run in.zarr out.zarr",
    "ncz copy - out.zarr < x.cdl",
    "ncz copy --append time today.nc all.zarr",
    "ncz copy temperature.nc wind.nc weather.zarr",
    "ncz copy a.nc refs.json",
    "ncz copy a.nc b.nc all.json --concat time",
    "ncz copy in.zarr out.nca --mode cfa --max-piece 20MB",
    cls=_Copy,
)
@click.argument("sources", metavar="SRC...", nargs=-1)
@click.argument("target", metavar="DST")
@options_of(CopyOptions)
@option(
    "--json", "as_json", is_flag=True, section="Output", help="Print the plan or a summary as JSON."
)
@zarr_format_option("Zarr version to write: 2 or 3 (default: as SRC).")
@kind_options
@ignored("-m", "--copy-buffer", metavar="N", why="see --memory")
@ignored("-h", "--chunk-cache", metavar="N", why="ncz has no chunk cache")
@ignored("-e", "--cache-elements", metavar="N", why="ncz has no chunk cache")
@ignored("-r", "--read-diskless", why="chunks are read when they are copied")
@ignored("-w", "--diskless", why="DST appears complete or not at all")
@ignored("-x", "--compute-caches", why="ncz has no chunk cache")
@ignored("-L", "--log-level", metavar="N", why="see --debug")
@follow_links_option
@s3_options
@reference_options
def copy(ctx: click.Context, /, sources: tuple[str, ...], target: str, **values: Any) -> None:
    """Copy a dataset to another store, to a netCDF file, or to or from CDL.

    SRC and DST are paths or URLs; - is CDL text. A DST that ends in .nc is a netCDF file, any other
    a store. It appears complete or not at all.

    Names in .nc4 and .cdf are netCDF files, too. A store is stored as SRC is, unless options choose
    another form; from a netCDF file it is pure Zarr V2, and from CDL NCZarr V2. If DST cannot hold
    everything, the losses are listed and nothing is written.
    """
    if not sources:
        raise click.UsageError("Missing argument 'DST'.")
    check(ctx, target, values)
    terminal = terminal_of(ctx)
    terminal.allow_loss = values["allow_loss"]
    from ncz.cli.progress import ProgressBar
    from ncz.commands.copy.command import copy as carry_out
    from ncz.commands.sources import name_of

    options = _options(ctx, sources, target, values)
    if values["append"] is not None:
        append(terminal, options, values)
        return
    dry_run, as_json = values["dry_run"], values["as_json"]
    is_seen = target == "-" and sys.stdout.isatty()
    notify = without_digits(terminal.notify) if is_seen else terminal.notify
    with standard_output() as write, ProgressBar(terminal, hidden=is_seen) as progress:

        def show(plan: CopyPlan) -> bool:
            if dry_run:
                write((plan_json(plan) if as_json else plan_text(plan)).encode())
            return not dry_run

        summary = carry_out(
            options,
            Callbacks(ignore_notice if dry_run else notify, progress),
            show,
        )
        if as_json and not dry_run:
            write(summary_json(summary, options).encode())
    if not values["allow_loss"]:
        summary.refuse_damage(name_of(options.target))


def _target(ctx: click.Context, text: str) -> Location | str | BinaryIO:
    """Return the location of the target, or where CDL text is written."""
    from ncz.commands.sources import is_cdl

    if text == "-":
        return cast("BinaryIO", TextOutput())
    return text if is_cdl(text) else locate(ctx, text, creating=True)


def _options(
    ctx: click.Context, sources: tuple[str, ...], target: str, values: Mapping[str, Any]
) -> CopyOptions:
    """Return the options of the command from those of the command line, by parameter name."""
    source, *more = [located(ctx, one) for one in sources]
    options = CopyOptions(
        source=source,
        target=_target(ctx, target),
        more_sources=tuple(more),
        relative_to=values["relative_to"],
        **fields_of(CopyOptions, ctx, values),
    )
    modes = modes_of(options, values)
    form = [*modes, *(("zarr", "v3") if options.cloud else ())]
    return replace(
        options,
        modes=modes,
        audience=() if options.append else audience_of(options.target, form),
        kind=chosen_kind(),
        overwrite=options.overwrite and not _is_kept(ctx, target, values),
        allow_loss=options.allow_loss or options.dry_run,
        verify=options.verify and not options.dry_run,
    )


def _is_kept(ctx: click.Context, target: str, values: Mapping[str, Any]) -> bool:
    """Return whether NCZ_OVERWRITE does not apply, so that an existing target is kept.

    It stands for what nccopy does. nccopy writes no CDL, and neither resumes nor verifies.
    """
    from ncz.commands.sources import is_cdl

    source = ctx.get_parameter_source("overwrite")
    return source is click.core.ParameterSource.ENVIRONMENT and (
        values["resume"] or values["verify"] or is_cdl(target)
    )


# How the command line prints the plan of a copy, and its result.


def plan_text(plan: CopyPlan) -> str:
    """Return one line for each variable, one for the target's form, each change and each loss."""
    rows = [("variable", "way", "chunks", "from", "to")]
    for variable in plan.variables:
        layout = variable.array.layout
        to = _stored(layout)
        source = "-"
        if variable.transfer is not None:
            ours = variable.transfer.source.layout
            source = _stored(ours)
        rows.append((variable.array.fqn, _way(variable), str(variable.chunks), source, to))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = [
        "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[4]])
        for row in rows
    ]
    lines.append(f"memory: at most {format_size(plan.memory + PROGRAM_MEMORY)}")
    lines.append(f"target: {plan.target.form}")
    lines += [f"change: {change.message}" for change in plan.changes]
    lines += [f"loss: {in_command_line(notice.message)}" for notice in plan.losses]
    return "".join(visible(line) + "\n" for line in lines)


def _way(variable: VariablePlan) -> str:
    """Return the way, and how often chunks are read if that is more than once."""
    rechunk = variable.rechunk
    if rechunk is not None and rechunk.spills:
        return f"{variable.way}, {format_size(rechunk.spill_size)} temporary"
    if rechunk is not None and rechunk.reads > 1:
        return f"{variable.way}, {rechunk.reads} reads"
    return variable.way


def _stored(layout: ChunkLayout) -> str:
    """Return the shape and the codecs of chunks, and the shape of their shards."""
    most = "" if layout.lengths is None else "up to "
    if layout.shard is None:
        return f"{most}{_shape(layout.chunks)} {_codecs(layout.codecs)}"
    shard = f"in shards of {most}{_shape(layout.chunks)}"
    more = f" {_codecs(layout.codecs)}" if layout.codecs else ""
    return f"{_shape(layout.shard.chunks)} {_codecs(layout.shard.codecs)} {shard}{more}"


def _shape(chunks: tuple[int, ...]) -> str:
    return "x".join(map(str, chunks)) or "scalar"


def _codecs(codecs: tuple[Any, ...]) -> str:
    return "+".join(str(codec.id) for codec in codecs) or "none"


def plan_json(plan: CopyPlan) -> str:
    """Return the plan as JSON, for scripts."""
    document = {
        "variables": [
            {
                "name": v.array.fqn,
                "way": v.way,
                "chunks": v.chunks,
                "bytes": v.size,
                **_stored_json(v.array.layout),
                **({"irregular": True} if v.array.layout.lengths is not None else {}),
                "reads": v.rechunk.reads if v.rechunk else 1,
                "temporary_bytes": v.rechunk.spill_size if v.rechunk else 0,
            }
            for v in plan.variables
        ],
        "memory_bytes": plan.memory + PROGRAM_MEMORY,
        **plan.target.details,
        "changes": [
            {"message": change.message, "requested": change.requested} for change in plan.changes
        ],
        "losses": [in_command_line(notice.message) for notice in plan.losses],
    }
    return json.dumps(document, indent=2) + "\n"


def _stored_json(layout: ChunkLayout) -> dict[str, Any]:
    """Return the members that say how chunks are stored, and their shards if there are any."""
    if layout.shard is None:
        codecs = [codec.to_json() for codec in layout.codecs]
        return {"chunk_shape": list(layout.chunks), "codecs": codecs}
    return {
        "chunk_shape": list(layout.shard.chunks),
        "shard_shape": list(layout.chunks),
        "codecs": [codec.to_json() for codec in layout.shard.codecs],
    }


def summary_json(summary: Summary, options: CopyOptions) -> str:
    """Return what was done as JSON on one line, for scripts."""
    from ncz.commands.sources import name_of

    document = {
        "source": name_of(options.source),
        "target": name_of(options.target),
        "variables": summary.variables,
        "raw": summary.ways.get("raw", 0),
        "recode": summary.ways.get("recode", 0),
        "rechunk": summary.ways.get("rechunk", 0),
        "chunks": summary.chunks,
        "bytes": summary.size,
        "chunks_kept": summary.kept,
        "values_compared": summary.compared,
        "read_by": summary.read_by,
        "damaged": [
            {"location": error.location, "message": in_command_line(error.message)}
            for error in summary.damaged
        ],
    }
    return json.dumps(document) + "\n"
