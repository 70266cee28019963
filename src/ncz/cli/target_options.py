"""Options of the commands that create a store: its readers, format and modes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.kind_options import chosen_kind, chosen_mode
from ncz.cli.options import Decorator, option
from ncz.cli.spellings import LITERAL, spelling, words

if TYPE_CHECKING:
    from ncz.commands.shards import Shards


def audience_of(target: object, modes: Sequence[str]) -> tuple[str, ...]:
    """Return the intended readers of a new store.

    They come from ``--for``, or else from NCZ_FOR or ncz's own file, as far as the target is a
    Zarr store whose form its modes leave open.

    Parameters
    ----------
    target
        The location of the target, or the stream that the command writes to.
    modes
        The modes that options add to the location's own.
    """
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.foreign_names import is_name_of_set
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


class _Version(click.Choice[str]):
    """A version, which may begin with a v."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the version without the v."""
        found: str = super().convert(str(value).lower().removeprefix("v"), param, ctx)
        return found


def zarr_format_option(help: str) -> Decorator:
    """Return the option ``--zarr-format`` of a command that creates a store."""
    return option(
        "--zarr-format",
        type=_Version(["2", "3"]),
        metavar="N",
        section="Store",
        common=True,
        help=help,
    )


def given_modes(given: Mapping[str, Any], zarr_format: str | None) -> tuple[str, ...]:
    """Return the modes of a target, including modes that other options mean."""
    modes = [*given.get("modes", ())]
    if kind := chosen_mode():
        modes.append(kind)
    if given.get("consolidated"):
        modes.append("consolidated")
    if zarr_format:
        modes.append(f"v{zarr_format}")
    return tuple(modes)


def modes(text: str, _: str = "") -> tuple[str, ...]:
    """Split the words of ``--mode``."""
    return tuple(text.split(",")) if text else ()


def _shards(text: str, _: str) -> tuple[Shards, ...]:
    from ncz.commands.shards import parse_shards

    return (parse_shards(text),)


OVERWRITE = {
    "overwrite": spelling(
        "--overwrite",
        section="Output",
        common=True,
        environment="NCZ_OVERWRITE",
        help="Replace an existing store. NCZ_OVERWRITE=1 does the same.",
    )
}
"""ncgen and nccopy replace their target without being asked. Scripts written for them need not
change: they can set the environment variable."""

AUDIENCE = {
    "audience": spelling(
        "--for",
        metavar="READER,...",
        section="Store",
        repeats=True,
        parse=words,
        common=True,
        environment="NCZ_FOR",
        completes="readers",
    )
}

STORE = {
    "annotations": spelling(
        "--no-annotations",
        section="Store",
        help="Write no annotations of metadata that pure Zarr cannot express.",
    ),
    "separator": spelling("--separator", metavar="S", values=LITERAL, section="Store"),
    "char": spelling("--char", metavar="DTYPE", values=LITERAL, section="Store"),
    "truncate_strings": spelling("--truncate-strings", section="Store"),
}

SHARDS = {
    "shards": spelling(
        "--shards",
        metavar="SPEC",
        repeats=True,
        parse=_shards,
        section="Chunks and codecs",
        completes="chunks",
    )
}
