"""``ncz copy`` and ``ncz-copy``: the command, from its arguments to its output."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.append import change_text, check_change
from ncz.cli.command import Command, command
from ncz.cli.copy_folders import target_in_folder
from ncz.cli.copy_habits import in_own_words, refuse_misread_words
from ncz.cli.copy_options import SPELLINGS
from ncz.cli.copy_output import copy_text, success_text, summary_json
from ncz.cli.kind_options import chosen_kind, kind_options
from ncz.cli.options import ignored_option, option
from ncz.cli.piped_copy import STANDARD_OUTPUT, check_piped, name_standard_output, pipe_file
from ncz.cli.source_options import (
    follow_links_option,
    locate,
    locate_source,
    reference_options,
    s3_options,
)
from ncz.cli.spellings import arguments_of, given_arguments
from ncz.cli.target_options import audience_of, given_modes, zarr_format_option
from ncz.cli.terminal import Write, standard_output, terminal_of, visible
from ncz.commands.copy.command import copy as copy_dataset
from ncz.commands.copy.exclusive import refuse_exclusive
from ncz.errors import Callbacks, ignore_notice, note_on_interrupt

if TYPE_CHECKING:
    from ncz.commands.sources import Source
    from ncz.zmap.location import Location


_LONG = 3.0
"""A copy that takes more seconds than this prints a summary on a terminal."""


class _Copy(Command):
    """The command, which takes some options of xarray, rsync and zarr-python."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; see `click.Command.parse_args`."""
        return super().parse_args(ctx, in_own_words(args))


@command(
    "copy",
    "ncz copy model.nc s3://bucket/model.zarr --cloud",
    "ncz copy --sel time=2026-01,lat=40:60 model.nc part.nc",
    "ncz copy in.zarr out.zarr -c time/100,lat/,lon/ --codec zstd:5",
    "ncz copy model.nc model.zarr",
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
@arguments_of(copy_dataset, SPELLINGS)
@option(
    "--json", "as_json", is_flag=True, section="Output", help="Print the plan or a summary as JSON."
)
@zarr_format_option("Zarr version: 2 or 3 (default: as SRC; 2 from netCDF).")
@kind_options
@ignored_option("-m", "--copy-buffer", metavar="N", why="see --memory")
@ignored_option("-h", "--chunk-cache", metavar="N", why="ncz has no chunk cache")
@ignored_option("-e", "--cache-elements", metavar="N", why="ncz has no chunk cache")
@ignored_option("-r", "--read-diskless", why="chunks are read when they are copied")
@ignored_option("-w", "--diskless", why="DST appears complete or not at all")
@ignored_option("-x", "--compute-caches", why="ncz has no chunk cache")
@ignored_option("-L", "--log-level", metavar="N", why="see --debug")
@follow_links_option
@s3_options
@reference_options
def copy(ctx: click.Context, /, sources: tuple[str, ...], target: str, **values: Any) -> None:
    """Copy a dataset to another store, to a netCDF file, or to or from CDL.

    SRC and DST are paths or URLs. DST is a Zarr store, unless it ends in .nc (netCDF), .json
    (reference set), .nca (aggregation), .icechunk or .cdl.

    For SRC and DST, - is standard input or output. DST appears complete or not at all. .nc4, .h5
    and .cdf are netCDF files too, and .parquet is a reference set. A store has the form of SRC,
    unless options choose another one; from a netCDF file it is pure Zarr V2, and from CDL NCZarr
    V2. If DST cannot represent everything, the losses are listed and nothing is written.
    """
    refuse_misread_words(ctx, sources, target, values)
    target = target_in_folder(ctx, sources, target, values)
    is_change = values["append"] is not None or bool(values["into"])
    if is_change:
        check_change(ctx, target, values)
    refuse_exclusive(values)
    terminal = terminal_of(ctx)
    terminal.allow_loss = values["allow_loss"]
    from ncz.cli.progress import ProgressBar
    from ncz.commands.sources import name_of

    several = _sources(ctx, sources, target, values)
    is_piped = target == "-"
    if is_piped:
        modes = given_modes(given_arguments(ctx, SPELLINGS), values["zarr_format"])
        check_piped(sources[0], (*modes, *(("zarr",) if values["cloud"] else ())), values)
    dry_run, as_json = values["dry_run"], values["as_json"]
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(pipe_file(modes)) if is_piped else target
        place = _target(ctx, path)
        given = _arguments(ctx, place, target, values)
        notify = name_standard_output(path, terminal.notify) if is_piped else terminal.notify
        is_silent = dry_run and not is_change
        start = time.monotonic()
        with standard_output() as write, ProgressBar(terminal) as progress:
            summary = copy_dataset(
                several,
                place,
                **given,
                on_plan=partial(_show, write, values) if dry_run else None,
                notify=Callbacks(ignore_notice if is_silent else notify, progress),
            )
            if as_json and not dry_run:
                done = summary.targets or {name_of(place): summary}
                for name, one in done.items():
                    write(summary_json(one, one.source or name_of(several[0]), name).encode())
    if not values["allow_loss"] and not is_change:
        summary.refuse_damage(STANDARD_OUTPUT if is_piped else name_of(place))
    seconds = time.monotonic() - start
    if not (dry_run or is_piped) and (values["verify"] or seconds > _LONG):
        terminal.succeed(success_text(summary, seconds))


def _sources(
    ctx: click.Context, sources: Sequence[str], target: str, values: Mapping[str, Any]
) -> list[Source]:
    """Return the locations of the sources; patterns and folders have several."""
    from ncz.commands.copy.expanded_sources import expand_sources

    is_joined = values["each"] or any(
        values[name] is not None for name in ("concat", "new_dimension", "append")
    )
    with note_on_interrupt(f"{target} was not changed"):
        return [
            locate_source(ctx, source)
            for text in sources
            for source in expand_sources(text, is_joined, lambda url: locate(ctx, url))
        ]


def _show(write: Write, values: Mapping[str, Any], plan: Any) -> bool:
    """Print the plan of a copy, or of a change in a target."""
    as_json = values["as_json"]
    if values["append"] is not None or values["into"]:
        write(change_text(plan, as_json=as_json).encode())
        return True
    is_divided = values["each"] or values["split"]
    heading = f"{visible(plan.place)}:\n" if is_divided and not as_json else ""
    write((heading + copy_text(plan, as_json=as_json)).encode())
    return True


def _target(ctx: click.Context, text: str) -> Location | str:
    """Return the location of the target, or the path of CDL text."""
    from ncz.commands.sources import is_cdl

    return text if is_cdl(text) else locate(ctx, text, creating=True)


def _arguments(
    ctx: click.Context,
    place: Location | str,
    target: str,
    values: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the arguments of the function from the options of the command line."""
    given = given_arguments(ctx, SPELLINGS)
    modes = given_modes(given, values["zarr_format"])
    form = [*modes, *(("zarr", "v3") if values["cloud"] else ())]
    given |= {
        "modes": modes,
        "audience": () if values["append"] else audience_of(place, form),
        "kind": chosen_kind(),
        "relative_to": values["relative_to"],
    }
    if _is_kept(ctx, target, values):
        given.pop("overwrite", None)
    return given


def _is_kept(ctx: click.Context, target: str, values: Mapping[str, Any]) -> bool:
    """Return whether NCZ_OVERWRITE does not apply, so that an existing target is kept.

    NCZ_OVERWRITE has the effect of nccopy, which writes no CDL, and neither resumes nor verifies.
    """
    from ncz.commands.sources import is_cdl

    source = ctx.get_parameter_source("overwrite")
    return source is click.core.ParameterSource.ENVIRONMENT and (
        values["resume"] or values["verify"] or is_cdl(target)
    )
