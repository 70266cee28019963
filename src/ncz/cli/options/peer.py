"""Options of netCDF's programs, most of which have no effect in ncz.

A script written for ncgen, ncdump, nccopy or zmapio may give any of their options. An option that
ncz can leave out without changing the result is ignored, and its help says why. An option that asks
for something that ncz cannot write is refused with the reason; it is not listed in the help, but
in docs/drop-in.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.options import Decorator

if TYPE_CHECKING:
    from ncz.model.netcdf_kind import NetcdfKind

_ZARR_KINDS = ("nczarr", "zarr")
"""Values of ``-k`` for a Zarr store, which ncgen and nccopy do not have."""


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
            raise click.BadParameter(f"{why}; omit {parameter.opts[0]}", param=parameter)

    return click.option(
        *names,
        metavar=metavar,
        is_flag=metavar is None,
        expose_value=False,
        hidden=True,
        callback=refuse,
    )


def kind_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of ncgen and nccopy that choose the kind of netCDF file.

    `chosen_kind` returns what they choose.
    """
    for digit, (name, kind) in reversed(_DIGITS.items()):
        function = click.option(
            f"-{digit}",
            f"--{name}",
            f"kind{digit}",
            is_flag=True,
            flag_value=kind,
            default=None,
            expose_value=False,
            callback=_choose_kind,
            help=f"Write a netCDF file of the kind {kind}.",
        )(function)
    return kind_option("-k", "--kind", "--format-kind", "kind")(function)


def kind_option(*names: str) -> Decorator:
    """Return a decorator that adds an option with the name of a kind of netCDF file."""
    return click.option(
        *names,
        metavar="KIND",
        expose_value=False,
        callback=_choose_kind,
        help="Kind of netCDF file: nc3, nc4, nc5, nc6, nc7, or as ncdump -k prints it.",
    )


_DIGITS: dict[str, tuple[str, NetcdfKind]] = {
    "3": ("classic", "classic"),
    "4": ("netcdf4", "netCDF-4"),
    "5": ("cdf5", "cdf5"),
    "6": ("64-bit-offset", "64-bit offset"),
    "7": ("netcdf4-classic", "netCDF-4 classic model"),
}
"""The options -3 to -7 of ncgen and nccopy: their long names, and the kinds that they choose."""

_CHOSEN = "ncz.netcdf_kind"


def chosen_kind() -> NetcdfKind | None:
    """Return the kind of netCDF file that the options of the command choose, or None."""
    kind: NetcdfKind | None = click.get_current_context().meta.get(_CHOSEN)
    return kind


def _choose_kind(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is None or value.lower() in _ZARR_KINDS:
        return
    from ncz.model.netcdf_kind import KINDS, kind_of

    kind = kind_of(value)
    if kind is None:
        known = ", ".join(map(repr, KINDS))
        raise click.BadParameter(
            f"{value!r} is not a kind of netCDF file; use one of {known}", param=parameter
        )
    ctx.meta[_CHOSEN] = kind
