"""``PYTHON xarray_statistics.py STORE``: the statistics of ``v`` with xarray and Dask.

Each chunk is read once.
"""

from __future__ import annotations

import sys
import warnings


def main() -> None:
    """Print the statistics."""
    import xarray
    from dask.base import compute

    warnings.simplefilter("ignore")
    v = xarray.open_zarr(sys.argv[1], chunks={}, consolidated=False)["v"]
    statistics = v.count(), v.min(), v.max(), v.mean(), v.std()
    print(*map(float, compute(*statistics)))  # type: ignore[no-untyped-call]  # noqa: T201


if __name__ == "__main__":
    main()
