"""Options of netCDF's programs that have no effect in ncz, or none that a Zarr store can have.

A script written for ncgen, ncdump, nccopy or zmapio may give any of their options. An option that
ncz can leave out without changing the result is ignored, and its help says why. An option that asks
for something else than a Zarr store is refused with the reason; it is not listed in the help, but
in docs/drop-in.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import click

from ncz.cli.options import Decorator

NETCDF4_KINDS = ("netcdf-4", "nc4", "netcdf4", "hdf5", "enhanced", "3", "nczarr", "zarr")
"""Values of ``-k`` that are accepted: ncgen's names of netCDF-4, "3" among them, and two of ncz."""

_DIGIT_KINDS = {"3": "classic", "5": "64-bit data", "6": "64-bit offset", "7": "netCDF-4 classic"}


def ignored(*names: str, why: str, metavar: str | None = None) -> Decorator:
    """Return a decorator that adds an option without effect.

    Parameters
    ----------
    names
        The short and long names of the option.
    why
        Why it can be ignored, for the help text.
    metavar
        The name of its value; None for an option without a value.
    """
    return click.option(
        *names,
        metavar=metavar,
        is_flag=metavar is None,
        expose_value=False,
        help=f"Ignored: {why}.",
    )


def refused(*names: str, why: str, metavar: str | None = None) -> Decorator:
    """Return a decorator that adds an option whose use is an error; `why` is the message."""

    def refuse(_: click.Context, parameter: click.Parameter, value: object) -> None:
        if value not in (None, False):
            _refuse(parameter, why)

    return click.option(
        *names,
        metavar=metavar,
        is_flag=metavar is None,
        expose_value=False,
        hidden=True,
        callback=refuse,
    )


def kind_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of ncgen and nccopy that choose the kind of netCDF file."""
    for digit, kind in _DIGIT_KINDS.items():
        function = refused(f"-{digit}", f"kind{digit}", why=_not_netcdf4(kind))(function)
    four = ignored("-4", "--netcdf4", why="ncz always creates netCDF-4 data")
    return kind_option("-k", "--format-kind", "kind")(four(function))


def kind_option(*names: str) -> Decorator:
    """Return a decorator that adds an option with the name of a kind of netCDF file."""

    def check(_: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None and value.lower() not in NETCDF4_KINDS:
            _refuse(parameter, _not_netcdf4(value))

    return click.option(
        *names,
        metavar="KIND",
        expose_value=False,
        callback=check,
        help="Ignored if it means netCDF-4, otherwise an error.",
    )


def _not_netcdf4(kind: str) -> str:
    return f"a Zarr store holds netCDF-4 data, not {kind!r}"


def _refuse(parameter: click.Parameter, why: str) -> NoReturn:
    raise click.BadParameter(f"{why}; omit {parameter.opts[0]}", param=parameter)
