"""Options for the pieces of a new aggregation."""

from __future__ import annotations

import functools
from typing import Any

import click

from ncz.cli.options import Decorated
from ncz.cli.options.limits import Size

PIECE_NAMES = ("max_piece", "piece_lengths", "piece_format")
"""Names of the parameters that `piece_options` adds."""

_OPTIONS = (
    click.option(
        "--max-piece",
        type=Size(),
        metavar="SIZE",
        help="With --mode cfa, cfa0.4 or cf: largest size of a piece (default: 50MB).",
    ),
    click.option(
        "--pieces",
        "piece_lengths",
        metavar="SPEC",
        help="Lengths of pieces instead: dim/length,... Other dimensions are not divided.",
    ),
    click.option(
        "--piece-format",
        type=click.Choice(["netcdf", "zarr"]),
        metavar="FORMAT",
        help="Format of pieces: netcdf or zarr (default: as DST).",
    ),
)


def piece_options(function: Decorated) -> Decorated:
    """Add the options; the command receives them as ``pieces``, a `PieceOptions`."""

    @functools.wraps(function)
    def command(
        *arguments: Any,
        max_piece: int | None,
        piece_lengths: str | None,
        piece_format: Any,
        **given: Any,
    ) -> Any:
        from ncz.formats.kinds import PieceOptions

        if max_piece is not None and piece_lengths is not None:
            raise click.UsageError("--max-piece and --pieces cannot be used together")
        pieces = PieceOptions(
            largest=max_piece, lengths=_lengths(piece_lengths or ""), format=piece_format
        )
        return function(*arguments, pieces=pieces, **given)

    decorated: Any = command
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _lengths(text: str) -> tuple[tuple[str, int], ...]:
    """Return the lengths by dimension, as in ``time/10,lat/90``."""
    found = []
    for part in filter(None, text.split(",")):
        name, slash, length = part.rpartition("/")
        if not (name and slash and length.isdecimal() and int(length)):
            raise click.UsageError(f"--pieces {text!r} is not valid; write dim/length,dim/length")
        found.append((name, int(length)))
    return tuple(found)
