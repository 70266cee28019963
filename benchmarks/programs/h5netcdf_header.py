"""``PYTHON h5netcdf_header.py URL``: print the header of a netCDF-4 file on a server."""

from __future__ import annotations

import sys


def main() -> None:
    """Print the header."""
    import fsspec
    import h5netcdf

    with fsspec.open(sys.argv[1]) as remote, h5netcdf.File(remote) as file:
        for name, variable in file.variables.items():
            print(name, variable.dimensions, dict(variable.attrs))  # noqa: T201


if __name__ == "__main__":
    main()
