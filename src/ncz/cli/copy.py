"""``ncz copy`` and ``ncz-copy``: the options of copy, and how its plan and its end are shown."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.gen import check_kind
from ncz.cli.options import Command, common_options, examples, overwrite_option, zarr_format_option
from ncz.cli.terminal import Terminal, pass_terminal, standard_input, standard_output

if TYPE_CHECKING:
    from ncz.commands.copy.command import CopyPlan

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?", re.IGNORECASE)


class Size(click.ParamType[int]):
    """A number of bytes: 1000, 10MB, 256MiB, 1.5G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes."""
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(str(value).strip())
        unit = {**_UNITS, **_BINARY}.get(match[2].lower()) if match else None
        if match is None or unit is None or float(match[1]) * unit < 1:
            self.fail(f"{value!r} is no size; write 10MB or 256MiB", param, ctx)
        return int(float(match[1]) * unit)


def _names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(name for name in value.split(",") if name)


@click.command(
    "copy",
    cls=Command,
    sections={
        "Input": ("only", "data_of", "only_groups", "data_of_groups"),
        "Output": ("overwrite", "resume", "verify", "dry_run", "json"),
        "Store": (
            "mode",
            "zarr_format",
            "consolidated",
            "separator",
            "char",
            "allow_loss",
            "fixed",
        ),
        "Chunks": ("chunkspecs", "chunk_size", "chunking"),
        "Codecs": ("deflate", "shuffle", "filters", "codecs"),
        "Work": ("memory", "threads", "dask"),
        "Of nccopy": ("kind", "buffer", "cache", "elements"),
        "Options": ("quiet", "color", "debug", "version", "help"),
    },
    epilog=examples(
        'ncz copy a.zarr "b.zip#mode=zarr,zip"',
        "ncz copy x.zip s3://bucket/key",
        "ncz copy in.zarr out.zarr -c time/100,lat/,lon/ -d 5 -s",
        "ncz copy in.zarr out.zarr --codec zstd:5 --chunk-size 10MB",
        "ncz copy --dry-run in.zarr out.zarr",
        "ncz copy - out.zarr < x.cdl",
    ),
)
@click.argument("source", metavar="SRC")
@click.argument("target", metavar="DST")
@click.option("-v", "data_of", metavar="V,...", callback=_names, help="Data of these variables.")
@click.option("-V", "only", metavar="V,...", callback=_names, help="These variables only.")
@click.option("-g", "data_of_groups", metavar="G,...", callback=_names, help="Data of these.")
@click.option("-G", "only_groups", metavar="G,...", callback=_names, help="These groups only.")
@overwrite_option
@click.option("--resume", is_flag=True, help="Go on with what was stopped; keep it if stopped.")
@click.option(
    "--verify", is_flag=True, help="Read both back and compare; copy first if DST is not there."
)
@click.option("--dry-run", is_flag=True, help="Print the plan: raw, recode, rechunk; and losses.")
@click.option("--json", "as_json", is_flag=True, help="Print the plan, or what was done, as JSON.")
@click.option("--mode", metavar="MODES", help="nczarr, zarr, file, zip, ...; as in #mode=MODES.")
@zarr_format_option
@click.option("--consolidated", is_flag=True, help="Write consolidated metadata too.")
@click.option(
    "--separator",
    type=click.Choice([".", "/"]),
    metavar="S",
    help=". or /, between the indices of a chunk's key.",
)
@click.option(
    "--char",
    type=click.Choice([">S1", "|S1"]),
    metavar="DTYPE",
    help="What char is stored as: >S1, or |S1 for zarr-python.",
)
@click.option("--allow-loss", is_flag=True, help="Go on where DST cannot hold everything.")
@click.option("-u", "fixed", is_flag=True, help="Make unlimited dimensions fixed.")
@click.option(
    "-c",
    "chunkspecs",
    metavar="SPEC",
    multiple=True,
    help="dim/length,dim/,...; var:length,...; / for one chunk each.",
)
@click.option("--chunk-size", type=Size(), metavar="SIZE", help="Bytes of the largest chunk: 10MB.")
@click.option(
    "--chunking",
    type=click.Choice(["balanced", "netcdf"]),
    default="balanced",
    metavar="RULE",
    help="balanced (series and maps cost the same) or netcdf, for --chunk-size.",
)
@click.option("-d", "deflate", type=int, metavar="N", help="zlib level, 0 to 9; 0: none.")
@click.option("-s", "shuffle", is_flag=True, help="Shuffle before compression.")
@click.option(
    "-F", "filters", metavar="SPEC", multiple=True, help="V|V,id,parameter,...; *,none; none."
)
@click.option(
    "--codec",
    "codecs",
    metavar="SPEC",
    multiple=True,
    help="zstd:5, shuffle+zlib:4, blosc:lz4:5, none, JSON; V=SPEC for one.",
)
@click.option("--memory", type=Size(), metavar="SIZE", help="Memory to keep to; 256MiB.")
@click.option("--threads", type=click.IntRange(1, 256), metavar="N", help="Threads; one a core.")
@click.option("--dask", metavar="ADDRESS", help="Let a Dask cluster's workers write the chunks.")
@click.option(
    "-k",
    "kind",
    metavar="KIND",
    expose_value=False,
    callback=check_kind,
    help="Accepted if it is netCDF-4: nc4.",
)
@click.option("-m", "buffer", metavar="N", expose_value=False, help="Accepted: see --memory.")
@click.option("-h", "cache", metavar="N", expose_value=False, help="Accepted: no chunk cache.")
@click.option("-e", "elements", metavar="N", expose_value=False, help="Accepted: no chunk cache.")
@click.option("-4", "four", is_flag=True, expose_value=False, hidden=True)
@click.option("-w", "diskless", is_flag=True, expose_value=False, hidden=True)
@click.option("-r", "read_whole", is_flag=True, expose_value=False, hidden=True)
@common_options
@pass_terminal
def copy(
    terminal: Terminal,
    source: str,
    target: str,
    data_of: tuple[str, ...] | None,
    only: tuple[str, ...] | None,
    data_of_groups: tuple[str, ...] | None,
    only_groups: tuple[str, ...] | None,
    overwrite: bool,
    resume: bool,
    verify: bool,
    dry_run: bool,
    as_json: bool,
    mode: str | None,
    zarr_format: str | None,
    consolidated: bool,
    separator: str | None,
    char: str | None,
    allow_loss: bool,
    fixed: bool,
    chunkspecs: tuple[str, ...],
    chunk_size: int | None,
    chunking: str,
    deflate: int | None,
    shuffle: bool,
    filters: tuple[str, ...],
    codecs: tuple[str, ...],
    memory: int | None,
    threads: int | None,
    dask: str | None,
) -> None:
    """Copy a store to another form or place, chunks as they are where that will do.

    SRC and DST are paths or URLs; - is CDL text, from standard input or to standard output.
    DST appears whole or not at all. What it cannot hold is listed, and stops the copy.
    """
    if target == "-" and as_json:
        raise click.UsageError("standard output cannot be both CDL and JSON; leave one out")
    if target == "-" and (resume or verify or dry_run):
        raise click.UsageError("CDL text has no --resume, --verify or --dry-run")
    if dask is not None and resume:
        raise click.UsageError("--dask has no --resume")
    from ncz.commands.copy.command import CopyOptions
    from ncz.commands.copy.command import copy as carry_out
    from ncz.commands.copy.reshape import Reshape

    modes = mode.split(",") if mode else []
    if consolidated:
        modes.append("consolidated")
    if zarr_format:
        modes.append(f"v{zarr_format}")
    reshape = Reshape(
        chunkspecs=chunkspecs,
        deflate=deflate,
        shuffle=shuffle,
        filters=filters,
        codecs=codecs,
        chunk_size=chunk_size,
        balanced=chunking == "balanced",
        fixed=fixed,
        data_of=data_of,
        only=only,
        data_of_groups=data_of_groups,
        only_groups=only_groups,
    )
    from ncz.cli.copy_plan import plan_json, plan_text, summary_json
    from ncz.cli.progress import Progress

    with standard_output() as write, Progress(terminal) as progress:

        def show(plan: CopyPlan) -> bool:
            if dry_run:
                write((plan_json(plan) if as_json else plan_text(plan)).encode())
            else:
                progress.expect(sum(v.chunks for v in plan.variables if v.transfer))
            return not dry_run

        summary = carry_out(
            CopyOptions(
                source=standard_input() if source == "-" else source,
                target=sys.stdout.buffer if target == "-" else target,
                modes=tuple(modes),
                reshape=reshape,
                overwrite=overwrite,
                separator=separator,
                char=char,
                allow_loss=allow_loss or dry_run,
                memory=memory,
                threads=threads,
                resume=resume,
                verify=verify and not dry_run,
                dask=dask,
            ),
            (lambda _: None) if dry_run else terminal.notify,
            progress.moved,
            show,
        )
        if as_json and not dry_run:
            write(summary_json(summary, source, target).encode())
