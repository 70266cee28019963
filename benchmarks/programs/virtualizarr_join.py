"""``PYTHON virtualizarr_join.py FOLDER TARGET``: one reference set of all files of a folder.

It runs in an environment of its own with VirtualiZarr, which `PYTHON` belongs to. The files are
joined along the dimension time, and TARGET is a JSON text.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path


def main() -> None:
    """Join the files."""
    warnings.simplefilter("ignore")
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore
    from virtualizarr import open_virtual_mfdataset
    from virtualizarr.parsers import HDFParser

    folder, target = sys.argv[1:]
    dataset = open_virtual_mfdataset(
        [f"file://{path}" for path in sorted(Path(folder).absolute().glob("*.nc"))],
        registry=ObjectStoreRegistry({"file://": LocalStore()}),
        parser=HDFParser(),
        combine="nested",
        concat_dim="time",
        coords="minimal",
        compat="override",
        data_vars="minimal",
        loadable_variables=["time", "y", "x"],
    )
    dataset.vz.to_kerchunk(target, format="json")


if __name__ == "__main__":
    main()
