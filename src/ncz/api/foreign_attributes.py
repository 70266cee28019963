"""Names that people look for on an open dataset or variable, from netCDF4, xarray and h5py."""

from __future__ import annotations

from collections.abc import Mapping

OTHERS: Mapping[str, str] = {
    "dimensions": "use .dims",
    "chunking": "use .chunks",
    "compressor": "use .codecs",
    "compressors": "use .codecs",
    "filters": "use .codecs",
    "datatype": "use .dtype",
    "value": "use [...]",
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
    "tree": "use ncz.ls(...)",
    "require_group": "a dataset is open to read",
}
"""Each name, and what ncz has instead."""
