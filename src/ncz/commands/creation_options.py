"""Options that commands which create stores declare alike."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ncz.commands.fields import choice, option, words

if TYPE_CHECKING:
    from ncz.commands.shards import Shards


def modes(text: str, _: str = "") -> tuple[str, ...]:
    """Split the words of ``--mode``."""
    return tuple(text.split(",")) if text else ()


modes_option = partial(
    option,
    "--mode",
    default=(),
    metavar="MODES",
    section="Store",
    repeats=True,
    parse=modes,
    common=True,
    completes="modes",
)

consolidated_option = partial(
    option,
    "--consolidated/--no-consolidated",
    default=None,
    section="Store",
)

allow_loss_option = partial(
    option,
    "--allow-loss",
    default=False,
    section="Store",
    common=True,
    python="Whether to go on if the target cannot hold everything; notices name what is lost.",
)

separator_option = partial(
    option,
    "--separator",
    default=None,
    metavar="S",
    values=choice(".", "/"),
    section="Store",
    python='The character between the indices in the keys of chunks: "." or "/".',
)

OVERWRITE = option(
    "--overwrite",
    default=False,
    section="Output",
    common=True,
    environment="NCZ_OVERWRITE",
    help="Replace an existing store. NCZ_OVERWRITE=1 does the same.",
    python="Whether to replace an existing store.",
)
"""ncgen and nccopy replace their target without being asked. Scripts written for them need not
change: they can set the environment variable."""

AUDIENCE = option(
    "--for",
    default=(),
    metavar="READER,...",
    section="Store",
    repeats=True,
    parse=words,
    common=True,
    environment="NCZ_FOR",
    completes="readers",
    help="Write what programs read: xarray, netcdf-c, gdal, ... Also zarr-python, zarr-python-2,"
    " tensorstore, zarrs, zarrita.",
    python='Names of programs that must be able to read the target, such as "xarray".',
)

KIND = option(
    default=None,
    section="Output",
    python='The kind of netCDF file to write: "netCDF-4", "netCDF-4 classic model", "classic",'
    ' "64-bit offset" or "cdf5".',
)
"""`ncz.cli.kind_options.kind_options` has the options: netCDF's programs have several."""

ANNOTATIONS = option(
    "--no-annotations",
    default=True,
    section="Store",
    help="Do not note beside consolidated metadata what pure Zarr cannot say.",
    python="Whether pure Zarr notes beside consolidated metadata what pure Zarr cannot say.",
)

CHAR = option(
    "--char",
    default=None,
    metavar="DTYPE",
    values=choice(">S1", "|S1"),
    section="Store",
    help="dtype of char: >S1 (netCDF-C) or |S1 (zarr-python).",
    python='The dtype of char: ``">S1"`` or ``"|S1"``.',
)

TRUNCATE_STRINGS = option(
    "--truncate-strings",
    default=False,
    section="Store",
    help="Truncate strings that are longer than _nczarr_maxstrlen, with a notice.",
    python="Whether to truncate strings that are longer than declared.",
)


def _shards(text: str, _: str) -> tuple[Shards, ...]:
    from ncz.commands.shards import parse_shards

    return (parse_shards(text),)


SHARDS = option(
    "--shards",
    default=(),
    metavar="SPEC",
    repeats=True,
    parse=_shards,
    type="Words",
    section="Chunks and codecs",
    completes="chunks",
    help="Shards in Zarr V3: their largest size, such as 100MB, auto, dim/length,dim/,...,"
    " var:length,..., / (one shard) or none.",
    python='Chunkspecs of shards in Zarr V3, such as "time/1000,lat/" or "v:100,20", or their'
    ' largest size, such as "100MB"; "auto" chooses it, and "none" removes shards.',
)
