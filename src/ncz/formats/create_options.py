"""Options of a new dataset, as users choose them.

The record passes unchanged from the commands to the writers of a format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.netcdf_kinds import NetcdfKind


class StoreKeywords(TypedDict, total=False):
    """Options of a new dataset: the fields of `CreateOptions` that functions take.

    Attributes
    ----------
    overwrite
        Replace an existing store.
    kind
        The kind of netCDF file to write: "netCDF-4", "netCDF-4 classic model", "classic", "64-bit
        offset" or "cdf5".
    audience
        Write a form that programs read: xarray, netcdf-c, gdal, ... Also zarr-python,
        zarr-python-2, tensorstore, zarrs, zarrita.
    consolidated
        Write consolidated metadata, or none (default: in pure Zarr, for xarray, and as the source
        of a copy).
    annotations
        Store metadata that pure Zarr cannot express as annotations, next to the consolidated
        metadata (default: True).
    separator
        Separator in chunk keys: . or /.
    char
        dtype of char: >S1 (netCDF-C) or |S1 (zarr-python).
    truncate_strings
        Truncate strings that are longer than _nczarr_maxstrlen, with a notice.
    allow_loss
        Write even if the target cannot represent everything.

        Notices name the losses. The same if part of a source cannot be read.
    """

    overwrite: bool
    kind: NetcdfKind | None
    audience: str | Sequence[str]
    consolidated: bool | None
    annotations: bool
    separator: Literal[".", "/"] | None
    char: Literal[">S1", "|S1"] | None
    truncate_strings: bool
    allow_loss: bool


@record(kw_only=True)
class PieceOptions:
    """Options that divide a new aggregation into pieces. None means the default.

    `largest` is the bytes of the largest piece. `lengths` are lengths of the pieces by the name of
    a dimension; along other dimensions they are then as long as the variable. `format` is the
    format of the pieces, by default the master's.
    """

    largest: int | None = None
    lengths: tuple[tuple[str, int], ...] = ()
    format: Literal["netcdf", "zarr"] | None = None


@record(kw_only=True)
class CreateOptions:
    """Options of a new dataset. None means the format's default.

    `StoreKeywords` describes the fields that users choose. `names_axes` says whether axes of a Zarr
    store get names if the source lacks them. `pieces` is the division of an aggregation.
    """

    overwrite: bool = False
    separator: str | None = None
    char: str | None = None
    kind: NetcdfKind | None = None
    consolidated: bool | None = None
    annotations: bool = True
    truncate_strings: bool = False
    allow_loss: bool = False
    audience: tuple[str, ...] = ()
    names_axes: bool = False
    pieces: PieceOptions = PieceOptions()

    @property
    def changing_option(self) -> str | None:
        """The option that changes values of the source, or None."""
        return "truncate_strings" if self.truncate_strings else None

    @property
    def asks_for_pieces(self) -> bool:
        """Whether the user chose the division of an aggregation."""
        return self.pieces != PieceOptions()


AS_DEFAULT = CreateOptions()
