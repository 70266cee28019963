"""Options that choose the kind of netCDF file, as in ncgen and nccopy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ncz.cli.options import COMPATIBILITY, Decorator, Section, option, together

if TYPE_CHECKING:
    from ncz.model.netcdf_kinds import NetcdfKind


_ZARR_KINDS = ("nczarr", "zarr")
"""Values of ``-k`` for a Zarr store, which ncgen and nccopy do not have."""


def kind_option(*names: str, section: Section = "Output") -> Decorator:
    """Return a decorator that adds an option with the name of a kind of netCDF file."""
    return option(
        *names,
        section=section,
        completes="kinds",
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
_MODE = "ncz.zarr_kind"


def chosen_kind() -> NetcdfKind | None:
    """Return the kind of netCDF file that the options of the command choose, or None."""
    kind: NetcdfKind | None = click.get_current_context().meta.get(_CHOSEN)
    return kind


def chosen_mode() -> str | None:
    """Return the mode of a Zarr store that the option for a kind chooses, or None."""
    ctx = click.get_current_context(silent=True)
    mode: str | None = None if ctx is None else ctx.meta.get(_MODE)
    return mode


def _choose_kind(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is None:
        return
    if value.lower() in _ZARR_KINDS:
        ctx.meta[_MODE] = value.lower()
        return
    from ncz.model.netcdf_kinds import KINDS, kind_of
    from ncz.zmap.fragment import MODES

    kind = kind_of(value)
    if kind is None:
        if value.lower() in MODES:
            raise click.BadParameter(
                f"{value!r} is not a kind of netCDF file; use --mode {value.lower()}",
                param=parameter,
            )
        known = ", ".join(map(repr, KINDS))
        raise click.BadParameter(
            f"{value!r} is not a kind of netCDF file; use one of {known}", param=parameter
        )
    ctx.meta[_CHOSEN] = kind


kind_options = together(
    kind_option("-k", "--kind", "--format-kind", "kind"),
    *(
        option(
            f"-{digit}",
            f"--{name}",
            f"kind{digit}",
            section=COMPATIBILITY,
            is_flag=True,
            flag_value=kind,
            default=None,
            expose_value=False,
            callback=_choose_kind,
            help=f"Write a netCDF file of the kind {kind}.",
        )
        for digit, (name, kind) in _DIGITS.items()
    ),
)
"""The options of ncgen and nccopy that choose the kind of netCDF file; see `chosen_kind`."""
