"""``PYTHON xarray_join.py FOLDER TARGET LENGTHS``: join packed files, and pack them again.

The files of a folder are joined along the dimension time, as they follow each other there. All
values are read once to find their range, and once to write them as short.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path


def main() -> None:
    """Join the files."""
    warnings.simplefilter("ignore")
    import numcodecs
    import xarray

    folder, target, words = sys.argv[1:]
    lengths = tuple(map(int, words.split("x")))
    dataset = xarray.open_mfdataset(str(Path(folder) / "*.nc"), chunks={}).drop_encoding()
    values = dataset["v"]
    found = xarray.Dataset({"least": values.min(), "most": values.max()}).compute()
    least, most = float(found["least"]), float(found["most"])
    encoding = {
        "dtype": "i2",
        "scale_factor": (most - least) / 65_532,
        "add_offset": (most + least) / 2,
        "_FillValue": -32_767,
        "compressors": numcodecs.Blosc(cname="zstd", clevel=3),
    }
    dataset.chunk(dict(zip(values.dims, lengths, strict=True))).to_zarr(
        target, zarr_format=2, consolidated=False, encoding={"v": encoding}
    )


if __name__ == "__main__":
    main()
