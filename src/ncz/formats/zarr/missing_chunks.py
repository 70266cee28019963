"""Chunks that a source lacks: whether ``fill_value`` says what they hold, or they are written.

Readers of Zarr V2 take ``fill_value`` for the mask. Where missing chunks hold another value, they
are written, as far as a limit allows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.codec.catalogue import is_kind
from ncz.errors import LossError, option
from ncz.formats.zarr.dtypes import has_void_elements
from ncz.formats.zarr.fill_values import is_null_fill, is_same_fill
from ncz.formats.zarr.options import WriteOptions
from ncz.formats.zarr.visibility import masks_fill_value
from ncz.model.encoded import EncodedSource, lists_present
from ncz.model.tree import Provenance
from ncz.model.types import Atomic
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.formats.zarr.array_plan import ArrayPlan


_ALWAYS_FILLED = 10_000
"""Number of chunks that may always be written, though they are missing in the source."""

_MOST_FILLED = 1_000_000
"""Largest number of missing chunks that are written."""

_MOST_TIMES = 10
"""Largest number of missing chunks that are written for each that is present."""

_OBJECT = 4096
"""Bytes that an object takes on a disk, however small."""

_COMPRESSED = 100
"""How many times smaller a compressor makes a chunk of equal values, at least."""


def with_missing(array: ArrayPlan, options: WriteOptions, source: Provenance) -> ArrayPlan:
    """Return the plan of an array with what becomes of its missing chunks.

    Chunks that hold netCDF's default fill stay missing if there are too many of them, and where
    netcdf-c leaves them out: then readers mask them.

    Raises
    ------
    LossError
        If too many chunks hold another value than the mask.
    """
    array = replace(array, masks_fill=masks_fill_value(array, options, source))
    if not _must_fill(array):
        return array
    is_default = _has_default_fill(array, source)
    leaves_out = options.masks_default_fill
    if leaves_out is None:
        leaves_out = _leaves_out(source)
    if is_default and leaves_out and not options.pure:
        return replace(array, masks_missing=array.variable.data is None)
    missing = _missing(array)
    if missing == 0:
        return array
    is_too_much = missing is not None and missing * _cost(array) > options.most_filled
    if is_default or array.variable.data is None:
        return replace(array, fills_missing=not is_too_much, masks_missing=is_too_much)
    _check_number(array, missing)
    return replace(array, fills_missing=True)


def _must_fill(array: ArrayPlan) -> bool:
    """Return whether the ``fill_value`` that V2 gets does not say what missing chunks hold.

    In V2 it is the mask, or null, because readers mask it.
    """
    if not array.masks_fill or array.fill is None:
        return False
    if array.mask is not None:
        return not is_same_fill(array.fill, array.mask) or has_void_elements(array.encoding)
    return not is_null_fill(array.fill, array.encoding)


def _has_default_fill(array: ArrayPlan, source: Provenance) -> bool:
    """Return whether missing chunks hold netCDF's default fill, and no mask is given."""
    nc_type = array.variable.type
    is_netcdf = source.superblock > 0 or source.annotated or source.zarr_format is None
    is_default = isinstance(nc_type, Atomic) and array.fill == nc_type.default_fill
    return is_default and is_netcdf and array.mask is None


def _leaves_out(source: Provenance) -> bool:
    """Return whether NCZarr V2 is written as netcdf-c does: from a text, or from NCZarr V2."""
    return source.is_text or (source.superblock > 0 and source.zarr_format == 2)


def _missing(array: ArrayPlan) -> int | None:
    """Return the number of chunks that the source lacks; None if it cannot tell."""
    source, total = array.variable.data, array.layout.grid.size
    if source is None:
        return total
    if source.with_zeros_missing() is not source:
        return 0  # it gives zeros for them
    if not isinstance(source, EncodedSource):
        return None
    if not lists_present(source):
        return None
    present = sum(1 for _ in source.present())
    return math.ceil(total * (1 - present / max(1, source.layout.grid.size)))


def _cost(array: ArrayPlan) -> int:
    """Return about how many bytes a chunk of nothing but the fill value needs."""
    size = array.layout.chunk_size * max(1, array.item_size)
    chain = [codec.to_json() for codec in array.layout.codecs]
    is_compressed = any(is_kind(configuration, "compressor") for configuration in chain)
    return _OBJECT + (size // _COMPRESSED if is_compressed else size)


def _check_number(array: ArrayPlan, missing: int | None) -> None:
    """Raise `LossError` if filling the missing chunks would make a store of another order."""
    total = array.layout.grid.size
    if missing is None or total <= _ALWAYS_FILLED:
        return
    if missing > _MOST_FILLED or missing > _MOST_TIMES * (total - missing):
        raise LossError(
            f"Zarr V2 cannot hold variable {array.fqn}: its missing chunks hold another value than"
            f" its mask, and {missing} chunks would have to be written",
            hint=f"write Zarr V3 with {option('zarr_format', 3)} (nothing was written)",
        )
