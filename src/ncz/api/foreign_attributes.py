"""Names that people look for on an open dataset or variable, from netCDF4, xarray and h5py."""

from __future__ import annotations

from collections.abc import Mapping

_IN_XARRAY = (
    "mean sum min max std var median quantile resample groupby rolling coarsen interp where fillna"
    " weighted plot to_dataframe to_array stack transpose assign assign_coords drop_vars rename"
    " sortby diff cumsum argmin argmax load compute chunk persist map pipe squeeze"
)

OTHERS: Mapping[str, str] = {
    **{name: f"use .to_xarray(), which has .{name}" for name in _IN_XARRAY.split()},
    "dimensions": "use .dims",
    "coords": "use .variables, in which coordinates have the names of dimensions",
    "data_vars": "use .variables",
    "chunking": "use .chunks",
    "encoding": "use .codecs, .chunks and .fill_value",
    "compressor": "use .codecs",
    "compressors": "use .codecs",
    "filters": "use .codecs",
    "datatype": "use .dtype",
    "values": "use [...]",
    "data": "use [...]",
    "value": "use [...]",
    "to_numpy": "use [...]",
    "info": "print it, or use ncz.info(...)",
    "summary": "print it",
    "data_model": "use ncz.info(...).format",
    "file_format": "use ncz.info(...).format",
    "disk_format": "use ncz.info(...).format",
    "createVariable": "a dataset is open to read; ncz.gen and ncz.copy write one",
    "createDimension": "a dataset is open to read; ncz.gen and ncz.copy write one",
    "setncattr": "a dataset is open to read; ncz.edit changes attributes of a store",
    "renameVariable": "a dataset is open to read; ncz.edit renames in a store",
    "sync": "a dataset is open to read",
    "to_netcdf": 'use ncz.copy(ds, "x.nc")',
    "to_zarr": 'use ncz.copy(ds, "x.zarr")',
    "to_dict": 'use ncz.dump(..., view="json")',
    "tree": "use ncz.ls(...)",
    "require_group": "a dataset is open to read",
}
"""Each name, and what ncz has instead."""
