"""``ncz gen`` and ``ncz-gen``: options and arguments."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from ncz.cli.command import command
from ncz.cli.kind_options import chosen_kind, kind_option, kind_options
from ncz.cli.options import COMPATIBILITY, ignored_option, is_given, option, refused_option
from ncz.cli.source_options import locate, s3_options
from ncz.cli.spellings import arguments_of, given_arguments, spelling
from ncz.cli.target_options import (
    AUDIENCE,
    OVERWRITE,
    SHARDS,
    STORE,
    audience_of,
    given_modes,
    modes,
    zarr_format_option,
)
from ncz.cli.terminal import standard_input, terminal_of
from ncz.commands.gen import gen as create
from ncz.errors import Callbacks, Notice

SPELLINGS = {
    "name": spelling("-N", "--name", metavar="NAME", section="Text", common=True),
    **OVERWRITE,
    "header_only": spelling("-H", "--header", section="Output", common=True),
    "no_fill": spelling("-x", "--no-fill", section="Output"),
    **AUDIENCE,
    "modes": spelling(
        "--mode",
        metavar="MODES",
        section="Store",
        repeats=True,
        parse=modes,
        common=True,
        completes="modes",
    ),
    "separator": STORE["separator"],
    "consolidated": spelling(
        "--consolidated/--no-consolidated",
        section="Store",
        common=True,
        help="Write consolidated metadata, or none (default: in pure Zarr, and for xarray).",
    ),
    **STORE,
    "allow_loss": spelling("--allow-loss", section="Store", common=True),
    **SHARDS,
}

_ASK_FOR_OUTPUT = (
    *("kind", "old_kind", "kind3", "kind4", "kind5", "kind6", "kind7"),
    *("binary", "old_binary", "language"),
)
"""Parameters that make ncgen write a file, NAME.nc, even without ``-o``."""


def _check_language(_: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None and value != "b":
        raise click.BadParameter(
            f"ncz creates stores, not programs in {value!r}; omit -l, or use ncgen -l {value}",
            param=parameter,
        )


def _name_of_output(source: str) -> str:
    """Return the name that ncgen gives a file: the name of the text, with another suffix."""
    if source in ("", "-"):
        raise click.UsageError("no target was given; use -o TARGET, as the text has no name")
    return f"{os.path.splitext(os.path.basename(source))[0]}.nc"


@command(
    "gen",
    "ncz gen weather.cdl -o weather.zarr",
    "ncz gen weather.cdl -o weather.nc",
    "ncz dump weather.zarr | ncz gen - -o weather.zip --overwrite",
    'ncz-gen x.cdl -o "file:///data/x.zarr#mode=zarr,consolidated"',
)
@click.argument("source", metavar="CDL", default="")
@click.argument("second", metavar="[TARGET]", required=False)
@option(
    "-o",
    "--output",
    "target",
    metavar="TARGET",
    section="Output",
    common=True,
    help="Path or URL of the store or file to create.",
)
@option(
    "--check",
    is_flag=True,
    section="Text",
    common=True,
    help="Check the text, including data. Write nothing.",
)
@arguments_of(create, SPELLINGS)
@zarr_format_option("Zarr version to write: 2 (the default) or 3.")
@kind_options
@kind_option("-v", "--old-format-kind", "old_kind", section=COMPATIBILITY)
@ignored_option("-1", "--kind1", why="ncgen ignores it too")
@ignored_option("-b", "--binary", why="ncz writes no programs; without TARGET, x.cdl becomes x.nc")
@option(
    "-l",
    "--language",
    section=COMPATIBILITY,
    metavar="b",
    expose_value=False,
    callback=_check_language,
    help="Ignored, as -b. Other languages are an error.",
)
@ignored_option("-n", "--old-binary", why="it is an old form of -b")
@refused_option("-c", "c_program", why="ncz creates stores, not programs in C")
@refused_option("-f", "fortran_program", why="ncz creates stores, not programs in Fortran")
@ignored_option("-M", "--main-name", metavar="NAME", why="it names a function of a C program")
@ignored_option("-P", "--diskless", why="a store appears complete or not at all")
@ignored_option("-B", "--buffer-size", metavar="N", why="ncgen ignores it too")
@ignored_option("-W", "--upload-size", metavar="N", why="values are written by chunks")
@ignored_option("-d", "--parser-trace", why="errors name the line and column")
@ignored_option("-D", "--debug-level", metavar="N", why="see --debug")
@ignored_option("-L", "--log-level", metavar="N", why="see --debug")
@s3_options
def gen(
    ctx: click.Context,
    /,
    source: str,
    second: str | None,
    target: str | None,
    check: bool,
    **values: Any,
) -> None:
    """Create a store or a netCDF file from CDL text.

    CDL is a file, or - for standard input; it may also be JSON of ncz dump --json. Without TARGET,
    the text is only checked; with -b or a kind of file, x.cdl becomes x.nc. A TARGET that ends in
    .nc, .nc4 or .cdf is a netCDF file, one that ends in .zip a zip file, and any other a directory.
    Stores are NCZarr unless --mode zarr selects pure Zarr.
    """
    from ncz.commands.sources import is_cdl

    if second is not None and (target is not None or is_cdl(second)):
        raise click.UsageError(f"Got unexpected extra argument ({second})")
    target = second if target is None else target
    if target is None and any(is_given(ctx, name) for name in _ASK_FOR_OUTPUT):
        target = _name_of_output(source)
    if target is not None and check:
        raise click.UsageError("--check writes nothing; omit either --check or -o")
    if source == "" and sys.stdin.isatty():
        raise click.UsageError("no input was given; give a CDL file, or - for standard input")
    from ncz.cli.progress import ProgressBar

    terminal = terminal_of(ctx)
    terminal.allow_loss = values["allow_loss"]
    place = None if target is None else locate(ctx, target, creating=True)
    given = given_arguments(ctx, SPELLINGS)
    given["modes"] = given_modes(given, values["zarr_format"])
    given["audience"] = audience_of(place, given["modes"])
    with ProgressBar(terminal) as progress:
        create(
            standard_input() if source in ("", "-") else source,
            place,
            **given,
            kind=chosen_kind(),
            jobs=None,
            notify=Callbacks(terminal.notify, progress),
        )
    if target is None and not check:
        terminal.notify(
            Notice(
                "nothing-written",
                "the text is valid; nothing was written",
                hint="use -o TARGET to create a store",
            )
        )
