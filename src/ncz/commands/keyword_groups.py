"""Groups of keyword arguments that several functions take, with their descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ncz.formats.create_options import StoreKeywords

if TYPE_CHECKING:
    from ncz.commands.copy.codec_specs import FilterSpec


class SelectionKeywords(TypedDict, total=False):
    """The part of a dataset to use.

    Attributes
    ----------
    isel
        Only these indices of dimensions, such as ``{"time": slice(0, 10), "lat": [0, 4]}``; see
        `Dataset.isel`.
    sel
        Only these values of coordinates, such as ``{"lat": slice(40, 60)}``; see `Dataset.sel`.
    nearest
        Let a single value of `sel` select the coordinate that is nearest to it.
    vars
        Only these variables and their coordinates. Globs such as 't2m,ta*' are possible.
    exclude
        Leave these variables out, unless others refer to them.
    """

    isel: Mapping[str, Any] | None
    sel: Mapping[str, Any] | None
    nearest: bool
    vars: str | Sequence[str]
    exclude: str | Sequence[str]


class LimitKeywords(TypedDict, total=False):
    """Limits of the computer's resources for a function.

    Attributes
    ----------
    memory
        Memory for data in bytes (default: a quarter of free memory, 256MiB to 4GiB).
    threads
        Number of threads (default: one per core).
    """

    memory: int | None
    threads: int | None


class AgreementKeywords(TypedDict, total=False):
    """Decisions about differences between datasets that are joined.

    Attributes
    ----------
    attributes
        Attributes that differ: identical (an error), first, agreeing (left out) or none (leave out
        all).

        By default, variables must have identical ones, and groups take them from the first source.
    unpack
        Unpack packed variables; with several sources, variables whose scale_factor or add_offset
        differs.
    tolerance
        Let values of variables without the dimension differ by up to this; the first's are kept.
    overlap
        Values where sources overlap: first, last or keep (default: an error).
    """

    attributes: Literal["identical", "first", "agreeing", "none"] | None
    unpack: bool
    tolerance: float | None
    overlap: Literal["first", "last", "keep"] | None


class OrderKeywords(TypedDict, total=False):
    """Conversions of the values of datasets that are joined.

    Attributes
    ----------
    repack
        Repack variables whose scale_factor or add_offset differs, as this type.
    headroom
        With repack, the percentage of the range of values that is left free at both its ends, for
        later values.
    sort
        Sort values by the coordinate of the dimension.
    """

    repack: Literal["byte", "ubyte", "short", "ushort", "int", "uint"] | None
    headroom: float | None
    sort: bool


class FilterKeywords(TypedDict, total=False):
    """Compression as in nccopy.

    Attributes
    ----------
    deflate
        zlib level, 0 to 9; 0 removes compression.
    shuffle
        Apply the shuffle filter before compression.
    filters
        nccopy's filterspec: V|V,id,parameter,... or *,none or none.
    """

    deflate: int | None
    shuffle: bool
    filters: str | Sequence[str | FilterSpec]


class PieceKeywords(TypedDict, total=False):
    """The division of a new aggregation or reference set.

    Attributes
    ----------
    max_piece
        Largest size of a piece of a new aggregation in bytes (default: 50 MB).
    pieces
        Lengths of pieces along dimensions instead.
    piece_format
        Format of pieces: netcdf or zarr (default: as the aggregation).
    inline
        In a reference set: store objects of up to this number of bytes in the set (default: 500).
    record_size
        In a reference set in Parquet: chunks in each file (default: 10000).
    relative_to
        "ref" for targets relative to the reference set, instead of absolute ones.
    prefix
        In a reference set: the folder or URL where the sources will be when it is read.
    """

    max_piece: int | None
    pieces: Mapping[str, int] | None
    piece_format: Literal["netcdf", "zarr"] | None
    inline: int | None
    record_size: int | None
    relative_to: str | None
    prefix: str | None


class CopyKeywords(
    SelectionKeywords,
    StoreKeywords,
    AgreementKeywords,
    OrderKeywords,
    FilterKeywords,
    PieceKeywords,
    LimitKeywords,
    total=False,
):
    """The keyword arguments of `copy` that are in groups."""


PARTS = {
    "CopyKeywords": (
        SelectionKeywords,
        StoreKeywords,
        AgreementKeywords,
        OrderKeywords,
        FilterKeywords,
        PieceKeywords,
        LimitKeywords,
    )
}
"""The groups of a group, which a `TypedDict` does not know."""


def of_group(given: Mapping[str, Any], group: type) -> dict[str, Any]:
    """Return the keyword arguments that belong to a group."""
    return {name: given[name] for name in group.__annotations__ if name in given}
