"""``ncz copy`` and ``ncz-copy``: options and arguments."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from ncz.cli.append import append, check
from ncz.cli.options import Command, common_options, examples, names_of
from ncz.cli.options.limits import Size, memory_option, threads_option
from ncz.cli.options.peer import chosen_kind, ignored, kind_options
from ncz.cli.options.pieces import PIECE_NAMES, piece_options
from ncz.cli.options.source import (
    REFERENCE_NAMES,
    S3_NAMES,
    SUBSET_NAMES,
    follow_links_option,
    reference_options,
    s3_options,
    subset_options,
)
from ncz.cli.options.target import (
    annotations_option,
    audience_option,
    char_option,
    inline_option,
    overwrite_store_option,
    record_size_option,
    shards_option,
    truncate_option,
)
from ncz.cli.terminal import (
    Terminal,
    TextOutput,
    pass_terminal,
    standard_input,
    standard_output,
)

if TYPE_CHECKING:
    from ncz.commands.copy.options import CopyOptions
    from ncz.commands.copy.plan import CopyPlan
    from ncz.commands.copy.reshape import Reshape


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
    others; from CDL, it is NCZarr in Zarr V2. DST appears complete or not at all. If it cannot hold
    everything, the losses are listed and nothing is written.
    """
    if not sources:
        raise click.UsageError("Missing argument 'DST'.")
    if len(sources) > 1 and given["concat"] is None:
        raise click.UsageError("several SRC need --concat")
    check(target, given)
    terminal.allow_loss = given["allow_loss"]
    from ncz.cli.output.copy import plan_json, plan_text, summary_json
    from ncz.cli.terminal.progress import Progress
    from ncz.commands.copy.command import copy as carry_out
    from ncz.commands.sources import is_cdl
    from ncz.zmap.location import shown

    s3 = given["s3"]
    source, *more = [
        text
        if text == "-" or is_cdl(text)
        else s3.locate(terminal, text, follow_links=given["follow_links"])
        for text in sources
    ]
    if target != "-" and not is_cdl(target):
        target = s3.locate(terminal, target, creating=True)

    if given["append"] is not None:
        append(terminal, _options(source, (), target, given), given)
        return
    dry_run, as_json = given["dry_run"], given["as_json"]
    is_seen = target == "-" and sys.stdout.isatty()
    with standard_output() as write, Progress(terminal, hidden=is_seen) as progress:

        def show(plan: CopyPlan) -> bool:
            if dry_run:
                write((plan_json(plan) if as_json else plan_text(plan)).encode())
            return not dry_run

        summary = carry_out(
            _options(source, tuple(more), target, given),
            (lambda _: None) if dry_run else terminal.notify,
            progress,
            show,
        )
        if as_json and not dry_run:
            write(summary_json(summary, source, target).encode())
    if not given["allow_loss"]:
        summary.refuse_damage(shown(target))


def _options(
    source: str, more: tuple[str, ...], target: str, given: Mapping[str, Any]
) -> CopyOptions:
    """Return the options of the command from those of the command line, by parameter name."""
    from ncz.commands.copy.options import CopyOptions

    modes = given["mode"].split(",") if given["mode"] else []
    if given["consolidated"]:
        modes.append("consolidated")
    if given["zarr_format"]:
        modes.append(f"v{given['zarr_format']}")
    return CopyOptions(
        source=standard_input() if source == "-" else source,
        target=cast("BinaryIO", TextOutput()) if target == "-" else target,
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
        audience=given["audience"],
        allow_loss=given["allow_loss"] or given["dry_run"],
        memory=given["memory"],
        threads=given["threads"],
        resume=given["resume"],
        verify=given["verify"] and not given["dry_run"],
        check_data=given["check_data"],
        keep_going=given["keep_going"],
        more_sources=more,
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
