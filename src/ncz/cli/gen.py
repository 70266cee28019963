"""``ncz gen`` and ``ncz-gen``: the options of gen."""

from __future__ import annotations

import sys

import click

from ncz.cli.options import Command, common_options, examples, overwrite_option, zarr_format_option
from ncz.cli.terminal import Terminal, pass_terminal, standard_input

NETCDF4_KINDS = ("netcdf-4", "nc4", "netcdf4", "hdf5", "enhanced", "3", "nczarr", "zarr")
"""What ncgen's ``-k`` calls the one kind that a Zarr store can be, and two words of our own.

"3" is ncgen's number for it.
"""

DIGIT_KINDS = {"3": "classic", "5": "64-bit data", "6": "64-bit offset", "7": "netCDF-4 classic"}


def check_kind(_: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None and value.lower() not in NETCDF4_KINDS:
        raise click.BadParameter(
            f"a Zarr store is of kind netCDF-4, not {value!r}; leave {parameter.opts[0]} out",
            param=parameter,
        )


def _refuse_digit(_: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        option = parameter.opts[0]
        kind = DIGIT_KINDS[option[1:]]
        raise click.BadParameter(
            f"a Zarr store is of kind netCDF-4, not {kind!r}; leave {option} out", param=parameter
        )


def _check_language(_: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None and value != "b":
        raise click.BadParameter(
            f"ncz makes stores, not programs in {value!r}; leave -l out", param=parameter
        )


@click.command(
    "gen",
    cls=Command,
    sections={
        "Input": ("check", "name"),
        "Output": ("target", "overwrite", "header_only", "no_fill"),
        "Store": ("mode", "zarr_format", "consolidated", "separator", "char"),
        "Of ncgen": ("kind", "four", "binary", "language"),
        "Options": ("quiet", "color", "debug", "version", "help"),
    },
    epilog=examples(
        "ncz gen weather.cdl -o weather.zarr",
        "ncz dump weather.zarr | ncz gen - -o weather.zip --overwrite",
        'ncz-gen x.cdl -o "file:///data/x.zarr#mode=zarr,consolidated"',
    ),
)
@click.argument("source", metavar="CDL", default="")
@click.option("-o", "target", metavar="TARGET", help="Path or URL of the store to make.")
@click.option("--check", is_flag=True, help="Check the text, data too; make nothing.")
@click.option("-N", "name", metavar="NAME", help="Name of the dataset, in place of the text's.")
@overwrite_option
@click.option("-H", "header_only", is_flag=True, help="Write the header only, no data.")
@click.option("-x", "no_fill", is_flag=True, help="Leave what is not given undefined: no fill.")
@click.option(
    "--mode", metavar="MODES", help="nczarr, zarr, noxarray, file, zip, ...; as in #mode=MODES."
)
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
@click.option(
    "-k",
    "kind",
    metavar="KIND",
    expose_value=False,
    callback=check_kind,
    help="Accepted if it is netCDF-4: nc4.",
)
@click.option("-4", "four", is_flag=True, expose_value=False, help="Accepted: netCDF-4.")
@click.option("-b", "binary", is_flag=True, expose_value=False, help="Accepted: not a program.")
@click.option(
    "-l",
    "language",
    metavar="b",
    expose_value=False,
    callback=_check_language,
    help="Accepted if it is b, as -b.",
)
@click.option("-3", "three", is_flag=True, expose_value=False, hidden=True, callback=_refuse_digit)
@click.option("-5", "five", is_flag=True, expose_value=False, hidden=True, callback=_refuse_digit)
@click.option("-6", "six", is_flag=True, expose_value=False, hidden=True, callback=_refuse_digit)
@click.option("-7", "seven", is_flag=True, expose_value=False, hidden=True, callback=_refuse_digit)
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
) -> None:
    """Make a store from CDL text: a file, or - for standard input.

    TARGET ends in .zip for a zip file; any other path is a directory. It holds NCZarr unless
    --mode=zarr asks for Zarr alone. An existing target needs --overwrite. Help is --help only.
    """
    if target is None and not check:
        raise click.UsageError("say what to make with -o TARGET, or only --check the text")
    if target is not None and check:
        raise click.UsageError("--check makes nothing; leave it or -o out")
    if source == "" and sys.stdin.isatty():
        raise click.UsageError("give a CDL file, or - for standard input")
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
            target=target,
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
