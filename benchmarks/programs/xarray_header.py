"""``PYTHON xarray_header.py URL CONSOLIDATED``: print the header of a Zarr store on a server."""

from __future__ import annotations

import sys
import warnings


def main() -> None:
    """Print the header, without the values."""
    import xarray

    warnings.simplefilter("ignore")
    consolidated = bool(sys.argv[2])
    with xarray.open_zarr(sys.argv[1], consolidated=consolidated, chunks=None) as dataset:
        for name, variable in dataset.variables.items():
            print(name, variable.dims, variable.attrs)  # noqa: T201


if __name__ == "__main__":
    main()
