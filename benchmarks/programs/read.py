"""``PYTHON read.py READER STORE``: read the variable ``v`` of a store, and print a sum of it."""

from __future__ import annotations

import sys
from typing import Any


def read(reader: str, store: str) -> Any:
    """Return all values."""
    if reader == "ncz":
        import ncz

        return ncz.open(store)["v"][...]
    if reader == "tensorstore":
        import tensorstore

        spec = {"driver": "zarr", "kvstore": {"driver": "file", "path": f"{store}/v"}}
        return tensorstore.open(spec, open=True).result().read().result()
    import zarr

    if reader.endswith("zarrs"):
        import zarrs  # noqa: F401 (registers its pipeline)

        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    return zarr.open_group(store, mode="r")["v"][...]


def main() -> None:
    """Print a line that differs between readers, and then the same of all."""
    values = read(*sys.argv[1:])
    print(sys.argv[1])  # noqa: T201
    print(values.shape, float(values[-1, -1]), float(values[len(values) // 2].sum()))  # noqa: T201


if __name__ == "__main__":
    main()
