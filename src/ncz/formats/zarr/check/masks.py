"""Masks without an attribute: readers of Zarr V2 take ``fill_value`` for ``_FillValue``."""

from __future__ import annotations

from ncz.formats.zarr.check.contents import StoreContents
from ncz.model.packing import MASKS


def masks_of_formats(read: StoreContents) -> frozenset[str]:
    """Return the FQNs of the variables that are masked by the ``fill_value`` of Zarr V2 alone."""
    if read.zarr_format != 2 or read.dataset.provenance.superblock:
        return frozenset()
    return frozenset(
        f"/{key}"
        for key, variable in read.variables.items()
        if variable.mask is not None
        and read.arrays[key].attributes.keys().isdisjoint(MASKS)
        and read.arrays[key].note is None
    )
