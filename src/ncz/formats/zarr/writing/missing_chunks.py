"""Write chunks that a source lacks and that must not stay missing, and count them.

`visibility` decides whether missing chunks are written, because readers of Zarr V2 take
``fill_value`` for the mask.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.codec.catalogue import is_kind
from ncz.errors import LossError, option
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.encoded_arrays import EncodedSource, lists_present
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.formats.zarr.writing.array_plan import ArrayPlan
    from ncz.formats.zarr.writing.visibility import Missing


_ALWAYS_FILLED = 10_000
"""Number of chunks that may always be written, though they are missing in the source."""

_MOST_FILLED = 1_000_000
"""Largest number of missing chunks that are written."""

_MOST_TIMES = 10
"""Largest number of missing chunks that are written for each that is present."""

_OBJECT = 4096
"""Bytes that an object takes on a disk, however small."""

_COMPRESSED = 100
"""The least compression ratio of a chunk of equal values."""


def with_missing(array: ArrayPlan, wanted: Missing, options: WriteOptions) -> ArrayPlan:
    """Return the plan of an array that writes or masks some of its missing chunks.

    Parameters
    ----------
    array
        The array.
    wanted
        The treatment of missing chunks.
    options
        How many bytes may be written for each array.

    Raises
    ------
    LossError
        If too many chunks contain another value than the mask.
    """
    if wanted == "stay":
        return array
    has_data = array.variable.data is not None
    if wanted == "masked-if-unwritten":
        return replace(array, masks_missing=not has_data)
    missing = _missing(array)
    if missing == 0:
        return array
    if wanted == "written-or-masked" or not has_data:
        is_too_much = missing is not None and missing * _cost(array) > options.most_filled
        return replace(array, fills_missing=not is_too_much, masks_missing=is_too_much)
    _check_number(array, missing)
    return replace(array, fills_missing=True)


def _missing(array: ArrayPlan) -> int | None:
    """Return the number of chunks that the source lacks; None if it is unknown."""
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
    missing = math.ceil(total * (1 - present / max(1, source.layout.grid.size)))
    is_divided = source.layout.shard is not None and array.layout.shard is None
    return max(1, missing) if is_divided else missing  # shards that exist may lack chunks


def _cost(array: ArrayPlan) -> int:
    """Return the approximate number of bytes of a chunk with only fill values."""
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
            f"Zarr V2 cannot represent variable {array.fqn}: its missing chunks have"
            f" another value than its mask, and {missing} chunks would have to be written",
            hint=f"write Zarr V3 with {option('zarr_format', 3)} (nothing was written)",
        )
