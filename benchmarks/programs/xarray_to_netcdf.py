"""``PYTHON xarray_to_netcdf.py SOURCE TARGET``: a store to a netCDF-4 file with xarray."""

from __future__ import annotations

import sys
import warnings


def main() -> None:
    """Copy the store, with the same chunks and codecs."""
    import xarray

    warnings.simplefilter("ignore")
    with xarray.open_zarr(sys.argv[1], consolidated=False, chunks=None) as source:
        chunks = {name: v.encoding["chunks"] for name, v in source.data_vars.items()}
        encoding = {
            name: {"zlib": True, "shuffle": True, "complevel": 4, "chunksizes": lengths}
            for name, lengths in chunks.items()
        }
        source.drop_encoding().to_netcdf(sys.argv[2], engine="netcdf4", encoding=encoding)


if __name__ == "__main__":
    main()
