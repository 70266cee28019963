"""``ncz copy`` and ``ncz-copy``: options, arguments, and how plans and results are printed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from ncz.cli.append import append, check_excluded
from ncz.cli.command import Command, command, fields_of, ignored, option, options_of
from ncz.cli.copy_output import plan_json, plan_text, summary_json
from ncz.cli.kind_options import chosen_kind, kind_options
from ncz.cli.source_options import (
    follow_links_option,
    locate,
    located,
    reference_options,
    s3_options,
)
from ncz.cli.target_options import audience_of, modes_of, zarr_format_option
from ncz.cli.terminal import TextOutput, standard_output, terminal_of, without_digits
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan
from ncz.errors import Callbacks, ignore_notice
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.zmap.location import Location


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
    check_excluded(ctx, target, values)
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
