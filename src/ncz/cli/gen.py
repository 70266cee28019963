"""``ncz gen`` and ``ncz-gen``: options and arguments."""

from __future__ import annotations

import sys

import click

from ncz.cli.options import (
    Command,
    S3Options,
    common_options,
    examples,
    overwrite_option,
    s3_options,
    zarr_format_option,
)
from ncz.cli.terminal import Terminal, pass_terminal, standard_input

NETCDF4_KINDS = ("netcdf-4", "nc4", "netcdf4", "hdf5", "enhanced", "3", "nczarr", "zarr")
"""Values of ``-k`` that are accepted: ncgen's names of netCDF-4, "3" among them, and two of ncz."""

DIGIT_KINDS = {"3": "classic", "5": "64-bit data", "6": "64-bit offset", "7": "netCDF-4 classic"}


def check_kind(_: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None and value.lower() not in NETCDF4_KINDS:
        raise click.BadParameter(
            f"a Zarr store holds netCDF-4 data, not {value!r}; omit {parameter.opts[0]}",
            param=parameter,
        )


def _refuse_digit(_: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        option = parameter.opts[0]
        kind = DIGIT_KINDS[option[1:]]
        raise click.BadParameter(
            f"a Zarr store holds netCDF-4 data, not {kind!r}; omit {option}", param=parameter
        )


def _check_language(_: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None and value != "b":
        raise click.BadParameter(
            f"ncz creates stores, not programs in {value!r}; omit -l", param=parameter
        )


@click.command(
    "gen",
    cls=Command,
    sections={
        "Input": ("check", "name"),
        "Output": ("target", "overwrite", "header_only", "no_fill"),
        "Store": ("mode", "zarr_format", "consolidated", "separator", "char"),
        "For compatibility with ncgen": ("kind", "four", "binary", "language"),
        "S3": ("profile", "endpoint_url", "region", "anon"),
        "Options": ("quiet", "color", "debug", "version", "help"),
    },
    epilog=examples(
        "ncz gen weather.cdl -o weather.zarr",
        "ncz dump weather.zarr | ncz gen - -o weather.zip --overwrite",
        'ncz-gen x.cdl -o "file:///data/x.zarr#mode=zarr,consolidated"',
    ),
)
@click.argument("source", metavar="CDL", default="")
@click.option("-o", "target", metavar="TARGET", help="Path or URL of the store to create.")
@click.option("--check", is_flag=True, help="Check the text, including data. Write nothing.")
@click.option("-N", "name", metavar="NAME", help="Name of the dataset, instead of the name in CDL.")
@overwrite_option
@click.option("-H", "header_only", is_flag=True, help="Write the header only, without data.")
@click.option("-x", "no_fill", is_flag=True, help="Do not fill missing data (no-fill mode).")
@click.option(
    "--mode", metavar="MODES", help="Comma-separated: nczarr, zarr, v3, noxarray, zip, ..."
)
@zarr_format_option
@click.option("--consolidated", is_flag=True, help="Also write consolidated metadata.")
@click.option(
    "--separator",
    type=click.Choice([".", "/"]),
    metavar="S",
    help="Separator in chunk keys: . or /.",
)
@click.option(
    "--char",
    type=click.Choice([">S1", "|S1"]),
    metavar="DTYPE",
    help="dtype of char: >S1 (netCDF-C) or |S1 (zarr-python).",
)
@click.option(
    "-k",
    "kind",
    metavar="KIND",
    expose_value=False,
    callback=check_kind,
    help="Ignored if it means netCDF-4, otherwise an error.",
)
@click.option(
    "-4",
    "four",
    is_flag=True,
    expose_value=False,
    help="Ignored: ncz always creates netCDF-4 data.",
)
@click.option(
    "-b", "binary", is_flag=True, expose_value=False, help="Ignored: ncz always creates a store."
)
@click.option(
    "-l",
    "language",
    metavar="b",
    expose_value=False,
    callback=_check_language,
    help="Ignored, as -b.",
)
@click.option("-3", "three", is_flag=True, expose_value=False, hidden=True, callback=_refuse_digit)
@click.option("-5", "five", is_flag=True, expose_value=False, hidden=True, callback=_refuse_digit)
@click.option("-6", "six", is_flag=True, expose_value=False, hidden=True, callback=_refuse_digit)
@click.option("-7", "seven", is_flag=True, expose_value=False, hidden=True, callback=_refuse_digit)
@s3_options
@common_options
@pass_terminal
def gen(
    terminal: Terminal,
    source: str,
    target: str | None,
    check: bool,
    name: str | None,
    overwrite: bool,
    header_only: bool,
    no_fill: bool,
    mode: str | None,
    zarr_format: str | None,
    consolidated: bool,
    separator: str | None,
    char: str | None,
    s3: S3Options,
) -> None:
    """Create a store from CDL text.

    CDL is a file, or - for standard input. It may also be JSON that ncz dump --json wrote. If
    TARGET ends in .zip, a zip file is written, otherwise a directory. The format is NCZarr unless
    --mode=zarr selects pure Zarr. The short option -h is not help; use --help.
    """
    if target is None and not check:
        raise click.UsageError("no target was given; use -o TARGET, or --check to write nothing")
    if target is not None and check:
        raise click.UsageError("--check writes nothing; omit either --check or -o")
    if source == "" and sys.stdin.isatty():
        raise click.UsageError("no input was given; give a CDL file, or - for standard input")
    from ncz.commands.gen import GenOptions
    from ncz.commands.gen import gen as make

    modes = mode.split(",") if mode else []
    if consolidated:
        modes.append("consolidated")
    if zarr_format:
        modes.append(f"v{zarr_format}")
    make(
        GenOptions(
            source=standard_input() if source in ("", "-") else source,
            target=None if target is None else s3.locate(terminal, target, creating=True),
            modes=tuple(modes),
            name=name,
            header_only=header_only,
            no_fill=no_fill,
            overwrite=overwrite,
            char=char,
            separator=separator,
            jobs=None,
        ),
        terminal.notify,
    )
