"""``PYTHON xarray_to_zarr.py SOURCE TARGET``: a netCDF file to Zarr with xarray, as a peer.

Values are neither masked nor scaled, so that they are only decoded and encoded.
"""

from __future__ import annotations

import sys
import warnings


def main() -> None:
    """Copy the file."""
    import xarray

    warnings.simplefilter("ignore")  # consolidated metadata are not part of Zarr V3
    with xarray.open_dataset(sys.argv[1], mask_and_scale=False) as dataset:
        dataset.to_zarr(sys.argv[2], mode="w")


if __name__ == "__main__":
    main()
