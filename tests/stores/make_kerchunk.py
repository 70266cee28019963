"""Write the sets in tests/stores/kerchunk with kerchunk; run this by hand.

``python tests/stores/make_kerchunk.py FOLDER``, with kerchunk 0.2.10, fastparquet 2026.9.0 and
netCDF4 1.7.5.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np


def write_netcdf(path: Path, first: int = 0) -> None:
    """Write a file with codecs, an unlimited dimension, missing values, a scalar and a group."""
    import netCDF4

    with netCDF4.Dataset(path, "w") as file:
        file.title = "Kühe"
        file.createDimension("time", None)
        file.createDimension("x", 50)
        t = file.createVariable(
            "t", "f4", ("time", "x"), zlib=True, shuffle=True, chunksizes=(2, 25), fill_value=-1
        )
        t.units = "K"
        t[:] = np.arange(400, dtype="f4").reshape(8, 50) + first
        t[3, :] = np.ma.masked
        time = file.createVariable("time", "f8", ("time",), chunksizes=(8,))
        time.units = "days since 2000-01-01"
        time[:] = np.arange(8) + first
        scalar = file.createVariable("scalar", "i4", ())
        scalar[...] = 7
        y = file.createGroup("g").createVariable("y", ">i2", ("x",), contiguous=True)
        y[:] = np.arange(50)


def main(folder: Path) -> None:
    """Write a file, and for it two sets in JSON and two in the Parquet layout."""
    from kerchunk.df import refs_to_dataframe
    from kerchunk.hdf import SingleHdf5ToZarr

    write_netcdf(folder / "a.nc")
    os.chdir(folder)  # so that targets are relative
    for name, inline in (("ranges", 0), ("inline", 500)):
        references = SingleHdf5ToZarr("a.nc", inline_threshold=inline).translate()
        Path(f"{name}.json").write_text(json.dumps(references), "utf-8")
        refs_to_dataframe(references, f"{name}.parq", record_size=5)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
