"""The filters of HDF5 datasets, and the Zarr codecs that do the same."""

from __future__ import annotations

from ncz.formats.hdf5.metadata.storage import PipelineFilter
from ncz.model.filters import Filter, Hdf5Filter
from ncz.model.hdf5_filters import from_hdf5, stand_in

_SHUFFLE, _SZIP = 2, 4
_SZIP_CODING = 4 | 32
"""The bits of entropy coding and of nearest neighbour coding."""


def hdf5_filters(filters: tuple[PipelineFilter, ...]) -> tuple[Hdf5Filter, ...]:
    """Return the filters of a dataset as netCDF-C shows them.

    Of szip's parameters, only the two that its user chooses are returned.
    """
    return tuple(
        Hdf5Filter(_SZIP, (each.parameters[0] & _SZIP_CODING, *each.parameters[1:2]))
        if each.number == _SZIP and each.parameters
        else Hdf5Filter(each.number, each.parameters)
        for each in filters
    )


def zarr_codecs(
    filters: tuple[Hdf5Filter, ...], item_size: int, *, replace: bool = False
) -> tuple[Filter, ...] | None:
    """Return the Zarr codecs that do the same as all filters, or None if one has no codec.

    With `replace`, codecs that do nearly the same replace filters without an equal one. Shuffle
    divides elements of the size that the file says, which some writers did not set to the size of
    the datatype.
    """
    codecs = []
    for used in filters:
        size = next(iter(used.parameters), 0) if used.id == _SHUFFLE else 0
        codec = from_hdf5(used, size or item_size) if item_size else None
        if codec is None and replace:
            codec = stand_in(used)
        if codec is None:
            return None
        codecs.append(codec)
    return tuple(codecs)
