"""Options of the commands that create a store: its readers, format and modes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import Decorator, option
from ncz.cli.kind_options import chosen_kind

if TYPE_CHECKING:
    from ncz.commands.copy.options import CopyOptions
    from ncz.commands.gen import GenOptions


def audience_of(target: object, modes: Sequence[str]) -> tuple[str, ...]:
    """Return the readers for whom a command writes a new store.

    They are those of ``--for``, or else of NCZ_FOR or ncz's own file, as far as the target is a
    Zarr store whose form its modes leave open.

    Parameters
    ----------
    target
        The location of the target, or what else the command writes to.
    modes
        The modes that options add to those of the location.
    """
    from ncz.commands.fields import words
    from ncz.formats.foreign_names import is_name_of_set
    from ncz.formats.kinds import CreateOptions
    from ncz.formats.opening import target_format
    from ncz.zmap.location import Location

    ctx = click.get_current_context()
    if ctx.get_parameter_source("audience") is click.core.ParameterSource.COMMANDLINE:
        return tuple(name for text in ctx.params["audience"] for name in words(text))
    if not isinstance(target, Location):
        return ()
    target = target.with_modes(modes)
    if target.modes & {"nczarr", "zarr", "v2", "v3"}:
        return ()
    if not is_name_of_set(target):
        form = target_format(target, CreateOptions(kind=chosen_kind()))
        if not form.is_stored_in_zmap:
            return ()
    from ncz.zmap.config_file import usual_readers

    return words(usual_readers(os.environ))


def zarr_format_option(help: str) -> Decorator:
    """Return the option ``--zarr-format`` of a command that creates a store."""
    return option(
        "--zarr-format",
        type=click.Choice(["2", "3"]),
        metavar="N",
        section="Store",
        common=True,
        help=help,
    )


def modes_of(options: CopyOptions | GenOptions, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the modes of a target, with those that other options stand for."""
    modes = list(options.modes)
    if options.consolidated:
        modes.append("consolidated")
    if given["zarr_format"]:
        modes.append(f"v{given['zarr_format']}")
    return tuple(modes)
