"""``PYTHON xarray_rechunk.py SOURCE TARGET LENGTHS CODEC``: rechunk with xarray and Dask."""

from __future__ import annotations

import sys
import warnings
from typing import Any


def main() -> None:
    """Copy the store into other chunks."""
    import numcodecs
    import xarray

    warnings.simplefilter("ignore")
    source, target, words, codec = sys.argv[1:]
    lengths = tuple(map(int, words.split("x")))
    codecs: dict[str, dict[str, Any]] = {
        "zlib": {
            "compressors": numcodecs.Zlib(level=5),
            "filters": [numcodecs.Shuffle(elementsize=4)],
        },
        "zstd": {
            "compressors": numcodecs.Zstd(level=5),
            "filters": [numcodecs.Shuffle(elementsize=4)],
        },
        "blosc": {"compressors": numcodecs.Blosc(cname="lz4", clevel=5)},
    }
    dataset = xarray.open_zarr(source, consolidated=False, chunks={}).drop_encoding()
    dataset.chunk(dict(zip(dataset["v"].dims, lengths, strict=True))).to_zarr(
        target, zarr_format=2, consolidated=False, encoding={"v": codecs[codec]}
    )


if __name__ == "__main__":
    main()
