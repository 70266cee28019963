"""How an HDF5 dataset is stored: chunks, filters, byte order and fill value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.formats.netcdf.hdf5.attributes import string_of
from ncz.formats.netcdf.hdf5.types import Hdf5Type
from ncz.model.filters import Filter, Hdf5Filter, from_hdf5, stand_in
from ncz.model.tree import Storage, StorageClass
from ncz.model.types import Atomic, UserType, Value, zero_value
from ncz.model.user_types.sizes import fixed_size

if TYPE_CHECKING:
    import numpy as np
    from h5py.h5d import DatasetID
    from h5py.h5p import PropDCID


def read_storage(dataset: DatasetID, hdf5_type: Hdf5Type) -> Storage | None:
    """Return how a dataset is stored; None if its data are in other files."""
    from h5py import h5d

    properties = dataset.get_create_plist()
    classes: dict[int, StorageClass] = {
        h5d.CHUNKED: "chunked",
        h5d.CONTIGUOUS: "contiguous",
        h5d.COMPACT: "compact",
    }
    storage_class = classes.get(properties.get_layout())
    if storage_class is None or properties.get_external_count():
        return None
    filters = read_filters(properties)
    size = fixed_size(hdf5_type.type) or 1
    codecs = zarr_codecs(filters, size) or zarr_codecs(filters, size, replace=True)
    defined = properties.fill_value_defined() == h5d.FILL_VALUE_USER_DEFINED
    return Storage(
        storage_class=storage_class,
        chunks=tuple(properties.get_chunk()) if storage_class == "chunked" else None,
        endianness=hdf5_type.endianness,
        filters=codecs or (),
        hdf5_filters=filters,
        fill=_fill(dataset.dtype, properties, hdf5_type) if defined else None,
        no_fill=not defined,
    )


def other_files(dataset: DatasetID) -> list[str]:
    """Return the names of the files that have the data of a dataset without a `Storage`."""
    from h5py import h5d

    properties = dataset.get_create_plist()
    if properties.get_layout() == h5d.VIRTUAL:
        sources = range(properties.get_virtual_count())
        names = [properties.get_virtual_filename(number) for number in sources]
    else:
        parts = range(properties.get_external_count())
        names = [properties.get_external(number)[0].decode("utf-8", "replace") for number in parts]
    return list(dict.fromkeys(names))


def read_filters(properties: PropDCID) -> tuple[Hdf5Filter, ...]:
    """Return the filters of a dataset, in the order of encoding.

    Of szip's parameters, only the two that its user chooses are returned, as netCDF-C does.
    """
    found = (properties.get_filter(n) for n in range(properties.get_nfilters()))
    return tuple(
        Hdf5Filter(_SZIP, (values[0] & _SZIP_CODING, *values[1:2]))
        if number == _SZIP and values
        else Hdf5Filter(number, tuple(values))
        for number, _, values, _ in found
    )


_SZIP = 4
_SZIP_CODING = 4 | 32
"""The bits of entropy coding and of nearest neighbour coding."""


def zarr_codecs(
    filters: tuple[Hdf5Filter, ...], item_size: int, *, replace: bool = False
) -> tuple[Filter, ...] | None:
    """Return the Zarr codecs that do the same as all filters, or None if one has no codec.

    With `replace`, codecs that do nearly the same replace filters without an equal one.
    """
    codecs = []
    for used in filters:
        codec = from_hdf5(used, item_size) if item_size else None
        if codec is None and replace:
            codec = stand_in(used)
        if codec is None:
            return None
        codecs.append(codec)
    return tuple(codecs)


def _fill(dtype: np.dtype[Any], properties: PropDCID, hdf5_type: Hdf5Type) -> Value:
    """Return the fill value; zero for user-defined types without a fixed size."""
    import numpy as np

    if hdf5_type.type is Atomic.STRING:
        text: Any = np.empty(1, dtype)
        properties.get_fill_value(text)
        return string_of(text.tolist()[0])
    if not isinstance(hdf5_type.type, Atomic):
        return _user_fill(dtype, properties, hdf5_type.type)
    value: Any = np.zeros((), hdf5_type.type.dtype)
    properties.get_fill_value(value)
    item = value.item()
    return item.decode("latin-1") or "\0" if isinstance(item, bytes) else item


def _user_fill(dtype: np.dtype[Any], properties: PropDCID, nc_type: UserType) -> Value:
    import numpy as np

    from ncz.model.user_types.arrays import unpack

    if not fixed_size(nc_type):
        return zero_value(nc_type)
    stored: Any = np.zeros((), dtype)
    properties.get_fill_value(stored)
    return unpack(stored.reshape(1), nc_type)[0]
