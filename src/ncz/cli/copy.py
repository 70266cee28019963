"""``ncz copy`` and ``ncz-copy``: options, arguments, and how plans and results are printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from ncz.cli.options import (
    PIECE_NAMES,
    REFERENCE_NAMES,
    S3_NAMES,
    SUBSET_NAMES,
    Command,
    S3Options,
    Size,
    annotations_option,
    audience_of,
    audience_option,
    char_option,
    chosen_kind,
    common_options,
    examples,
    follow_links_option,
    ignored,
    inline_option,
    kind_options,
    located,
    memory_option,
    names_of,
    overwrite_store_option,
    piece_options,
    record_size_option,
    reference_options,
    s3_options,
    shards_option,
    subset_options,
    threads_option,
    truncate_option,
)
from ncz.cli.terminal import (
    Terminal,
    TextOutput,
    pass_terminal,
    standard_output,
    visible,
)
from ncz.commands.copy.options import Summary
from ncz.commands.copy.plan import CopyPlan, VariablePlan
from ncz.errors import in_command_line
from ncz.model.chunks import ChunkLayout

if TYPE_CHECKING:
    from ncz.commands.append import Addition
    from ncz.commands.copy.options import CopyOptions
    from ncz.commands.copy.reshape import Reshape
    from ncz.zmap.location import Location

# ``ncz copy --append``: options that it excludes, and its output.

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
    from ncz.cli.progress import Progress
    from ncz.commands.append import append as carry_out

    dry_run, as_json = given["dry_run"], given["as_json"]
    with standard_output() as write, Progress(terminal) as progress:

        def show(additions: list[Addition]) -> bool:
            if dry_run:
                write(_plan(additions, as_json=as_json).encode())
            return not dry_run

        summary = carry_out(options, terminal.notify, progress, show)
        if as_json and not dry_run:
            write(summary_json(summary, options).encode())


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


@click.command(
    "copy",
    cls=Command,
    sections={
        "Selection": (*SUBSET_NAMES, "only", "data_of", "only_groups", "data_of_groups"),
        "Output": (
            "kind",
            "overwrite",
            "append",
            "resume",
            "verify",
            "check_data",
            "keep_going",
            "dry_run",
            "as_json",
        ),
        "Store": (
            "audience",
            "cloud",
            "mode",
            "zarr_format",
            "consolidated",
            "annotations",
            "separator",
            "char",
            "truncate_strings",
            "allow_loss",
            "fixed",
        ),
        "Chunks": ("chunkspecs", "chunk_size", "chunking", "least_chunk", "shards"),
        "Codecs": ("deflate", "shuffle", "filters", "codecs"),
        "Performance": ("memory", "threads", "dask"),
        "For compatibility with nccopy": (
            "kind3",
            "kind4",
            "kind5",
            "kind6",
            "kind7",
            "copy_buffer",
            "chunk_cache",
            "cache_elements",
            "read_diskless",
            "diskless",
            "compute_caches",
            "log_level",
        ),
        "Aggregations": PIECE_NAMES,
        "Reference sets": ("concat", "inline", "record_size", *REFERENCE_NAMES),
        "Input": ("follow_links",),
        "Remote stores": S3_NAMES,
        "Options": ("quiet", "color", "debug", "version", "help"),
    },
    epilog=examples(
        'ncz copy a.zarr "b.zip#mode=zarr,zip"',
        "ncz copy x.zip s3://bucket/key",
        "ncz copy in.zarr out.nc",
        "ncz copy in.zarr out.zarr -c time/100,lat/,lon/ -d 5 -s",
        "ncz copy in.zarr out.zarr --codec zstd:5 --chunk-size 10MB",
        "ncz copy in.zarr out.zarr --zarr-format 3 --shards time/1000,lat/,lon/",
        "ncz copy --dry-run in.zarr out.zarr",
        "ncz copy - out.zarr < x.cdl",
        "ncz copy --append time today.nc all.zarr",
        "ncz copy a.nc refs.json",
        "ncz copy a.nc b.nc all.json --concat time",
        "ncz copy in.zarr out.nca --mode cfa --max-piece 20MB",
    ),
)
@click.argument("sources", metavar="SRC...", nargs=-1)
@click.argument("target", metavar="DST")
@click.option(
    "-v",
    "--data-of",
    metavar="V,...",
    callback=names_of,
    help="Copy the data of these variables only.",
)
@click.option("-V", "--only", metavar="V,...", callback=names_of, help="Copy these variables only.")
@click.option(
    "-g",
    "--data-of-groups",
    metavar="G,...",
    callback=names_of,
    help="Copy the data of these groups only.",
)
@click.option(
    "-G", "--only-groups", metavar="G,...", callback=names_of, help="Copy these groups only."
)
@overwrite_store_option
@click.option(
    "--append", metavar="DIM", help="Append SRC to the store DST along this dimension, in place."
)
@click.option(
    "--resume",
    is_flag=True,
    help="Resume an interrupted copy; if interrupted, keep what was written.",
)
@click.option(
    "--verify", is_flag=True, help="Compare SRC and DST afterwards; if DST exists, only compare."
)
@click.option(
    "--check-data", is_flag=True, help="Decode chunks that are copied without decoding, as a check."
)
@click.option(
    "--keep-going",
    is_flag=True,
    help="Copy damaged chunks as they are, where chunks are not decoded, and skip pieces of an"
    " aggregation that cannot be read; then exit with 1, or with --allow-loss with 0.",
)
@click.option("--dry-run", is_flag=True, help="Print the plan and the losses. Write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the plan or a summary as JSON.")
@audience_option
@click.option(
    "--cloud",
    is_flag=True,
    help="Write pure Zarr V3 for object stores, in chunks of about 16 MB with blosc.",
)
@click.option(
    "--mode",
    metavar="MODES",
    help="Comma-separated: nczarr, zarr, v3, zip, reference, cfa, cf, ... (default: as SRC).",
)
@click.option(
    "--zarr-format",
    type=click.Choice(["2", "3"]),
    metavar="N",
    help="Zarr version to write: 2 or 3 (default: that of SRC).",
)
@click.option(
    "--consolidated/--no-consolidated",
    default=None,
    help="Write consolidated metadata (default: as SRC), or neither write them nor use those of"
    " SRC.",
)
@click.option(
    "--separator",
    type=click.Choice([".", "/"]),
    metavar="S",
    help="Separator in chunk keys: . or / (default: as SRC).",
)
@annotations_option
@char_option
@truncate_option
@click.option(
    "--allow-loss",
    is_flag=True,
    help="Copy even if DST cannot hold everything, or a part of SRC cannot be read.",
)
@click.option("-u", "--fixed", is_flag=True, help="Make unlimited dimensions fixed.")
@click.option(
    "-c",
    "--chunks",
    "chunkspecs",
    metavar="SPEC",
    multiple=True,
    help="Chunk lengths: dim/length,dim/,... or var:length,... or / for one chunk each.",
)
@click.option(
    "--chunk-size", type=Size(), metavar="SIZE", help="Largest size of a chunk, such as 10MB."
)
@click.option(
    "--chunking",
    type=click.Choice(["balanced", "netcdf"]),
    default="balanced",
    metavar="RULE",
    help="Shape for --chunk-size: balanced (for time series and maps alike) or netcdf.",
)
@click.option(
    "-M",
    "--min-chunk-size",
    "least_chunk",
    type=click.IntRange(0),
    metavar="N",
    help="Write a variable of fixed shape as one chunk if its chunks have less than N bytes.",
)
@shards_option
@click.option(
    "-d",
    "--deflate",
    type=int,
    metavar="N",
    help="zlib level, 0 to 9; 0 removes compression.",
)
@click.option("-s", "--shuffle", is_flag=True, help="Apply the shuffle filter before compression.")
@click.option(
    "-F",
    "--filter",
    "filters",
    metavar="SPEC",
    multiple=True,
    help="nccopy's filterspec: V|V,id,parameter,... or *,none or none.",
)
@click.option(
    "--codec",
    "codecs",
    metavar="SPEC",
    multiple=True,
    help="Codecs: zstd:5, shuffle+zlib:4, blosc:lz4:5, none or JSON. V=SPEC for one variable.",
)
@memory_option
@threads_option
@click.option(
    "--dask", metavar="ADDRESS", help="Address of a Dask scheduler whose workers write the chunks."
)
@kind_options
@ignored("-m", "--copy-buffer", metavar="N", why="see --memory")
@ignored("-h", "--chunk-cache", metavar="N", why="ncz has no chunk cache")
@ignored("-e", "--cache-elements", metavar="N", why="ncz has no chunk cache")
@ignored("-r", "--read-diskless", why="chunks are read when they are copied")
@ignored("-w", "--diskless", why="DST appears complete or not at all")
@ignored("-x", "--compute-caches", why="ncz has no chunk cache")
@ignored("-L", "--log-level", metavar="N", why="see --debug")
@click.option(
    "--concat",
    metavar="DIM",
    help="Join several SRC along this dimension, after checking that the rest agrees.",
)
@inline_option
@record_size_option
@piece_options
@follow_links_option
@subset_options
@s3_options
@reference_options
@common_options
@pass_terminal
def copy(terminal: Terminal, /, sources: tuple[str, ...], target: str, **given: Any) -> None:
    """Copy a dataset to another store, to a netCDF file, or to or from CDL.

    SRC and DST are paths or URLs; - is CDL text from standard input or to standard output. Chunks
    are copied without decoding where that is possible. If DST ends in .nc, .nc4 or .cdf, it is a
    netCDF file, of the kind that --kind chooses or netCDF-4. Otherwise it is a store with the Zarr
    version and the flavour (NCZarr or pure Zarr) of SRC, unless options or its fragment choose
    others; from a netCDF file it is pure Zarr V2, and from CDL NCZarr V2. DST appears complete or
    not at all. If it cannot hold everything, the losses are listed and nothing is written.
    """
    if not sources:
        raise click.UsageError("Missing argument 'DST'.")
    if len(sources) > 1 and given["concat"] is None:
        raise click.UsageError("several SRC need --concat")
    check(target, given)
    terminal.allow_loss = given["allow_loss"]
    from ncz.cli.progress import Progress
    from ncz.commands.copy.command import copy as carry_out
    from ncz.commands.sources import name_of

    options = _options(terminal, sources, target, given)
    if given["append"] is not None:
        append(terminal, options, given)
        return
    dry_run, as_json = given["dry_run"], given["as_json"]
    is_seen = target == "-" and sys.stdout.isatty()
    with standard_output() as write, Progress(terminal, hidden=is_seen) as progress:

        def show(plan: CopyPlan) -> bool:
            if dry_run:
                write((plan_json(plan) if as_json else plan_text(plan)).encode())
            return not dry_run

        summary = carry_out(
            options,
            (lambda _: None) if dry_run else terminal.notify,
            progress,
            show,
        )
        if as_json and not dry_run:
            write(summary_json(summary, options).encode())
    if not given["allow_loss"]:
        summary.refuse_damage(name_of(options.target))


def _target(terminal: Terminal, text: str, s3: S3Options) -> Location | str | BinaryIO:
    """Return the location of the target, or where CDL text is written."""
    from ncz.commands.sources import is_cdl

    if text == "-":
        return cast("BinaryIO", TextOutput())
    return text if is_cdl(text) else s3.locate(terminal, text, creating=True)


def _options(
    terminal: Terminal, sources: tuple[str, ...], target: str, given: Mapping[str, Any]
) -> CopyOptions:
    """Return the options of the command from those of the command line, by parameter name."""
    from ncz.commands.copy.options import CopyOptions

    s3, follow_links = given["s3"], given["follow_links"]
    source, *more = [located(one, s3, terminal, follow_links=follow_links) for one in sources]
    modes = given["mode"].split(",") if given["mode"] else []
    if given["consolidated"]:
        modes.append("consolidated")
    if given["zarr_format"]:
        modes.append(f"v{given['zarr_format']}")
    place = _target(terminal, target, s3)
    form = [*modes, *(("zarr", "v3") if given["cloud"] else ())]
    return CopyOptions(
        source=source,
        target=place,
        modes=tuple(modes),
        kind=chosen_kind(),
        consolidated=given["consolidated"],
        annotations=given["annotations"],
        reshape=_reshape(given),
        subset=given["subset"],
        overwrite=given["overwrite"] and not _is_kept(target, given),
        separator=given["separator"],
        char=given["char"],
        truncate_strings=given["truncate_strings"],
        audience=audience_of(place, form) if given["append"] is None else (),
        cloud=given["cloud"],
        allow_loss=given["allow_loss"] or given["dry_run"],
        memory=given["memory"],
        threads=given["threads"],
        resume=given["resume"],
        verify=given["verify"] and not given["dry_run"],
        check_data=given["check_data"],
        keep_going=given["keep_going"],
        more_sources=tuple(more),
        concat=given["concat"],
        append=given["append"],
        dry_run=given["dry_run"],
        inline=given["inline"],
        record_size=given["record_size"],
        pieces=given["pieces"],
        relative_to=given["s3"].keys.get("reference.relative_to"),
        dask=given["dask"],
    )


def _is_kept(target: str, given: Mapping[str, Any]) -> bool:
    """Return whether NCZ_OVERWRITE does not apply, so that an existing target is kept.

    It stands for what nccopy does. nccopy writes no CDL, and neither resumes nor verifies.
    """
    from ncz.commands.sources import is_cdl

    source = click.get_current_context().get_parameter_source("overwrite")
    return source is click.core.ParameterSource.ENVIRONMENT and (
        given["resume"] or given["verify"] or is_cdl(target)
    )


def _reshape(given: Mapping[str, Any]) -> Reshape:
    """Return what to change of the dataset."""
    from ncz.commands.copy.reshape import Reshape

    return Reshape(
        chunkspecs=given["chunkspecs"],
        shards=given["shards"],
        deflate=given["deflate"],
        shuffle=given["shuffle"],
        filters=given["filters"],
        codecs=given["codecs"],
        chunk_size=given["chunk_size"],
        least_chunk=given["least_chunk"],
        balanced=given["chunking"] == "balanced",
        fixed=given["fixed"],
        data_of=given["data_of"],
        only=given["only"],
        data_of_groups=given["data_of_groups"],
        only_groups=given["only_groups"],
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
    lines.append(f"target: {plan.target.form}")
    lines += [f"change: {change.message}" for change in plan.changes]
    lines += [f"loss: {in_command_line(notice.message)}" for notice in plan.losses]
    return "".join(visible(line) + "\n" for line in lines)


def _way(variable: VariablePlan) -> str:
    """Return the way, and how often chunks are read if that is more than once."""
    rechunk = variable.rechunk
    if rechunk is not None and rechunk.spills:
        return f"{variable.way}, 2 passes"
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
        "damaged": [
            {"location": error.location, "message": in_command_line(error.message)}
            for error in summary.damaged
        ],
    }
    return json.dumps(document) + "\n"
