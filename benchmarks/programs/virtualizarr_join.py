"""``PYTHON virtualizarr_join.py FOLDER TARGET``: all files of a folder as one dataset.

`PYTHON` is the interpreter of a separate environment with VirtualiZarr. The files are
joined along the dimension time, and TARGET is a JSON text, or an Icechunk repository if its name
ends in ``.icechunk``.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any


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
    if target.endswith(".icechunk"):
        _write_repository(dataset, folder, target)
    else:
        dataset.vz.to_kerchunk(target, format="json")


def _write_repository(dataset: Any, folder: str, target: str) -> None:
    """Commit a virtual dataset to a new repository."""
    import icechunk

    prefix = f"file://{Path(folder).absolute()}/"
    store = icechunk.local_filesystem_store(str(Path(folder).absolute()))
    config = icechunk.RepositoryConfig.default()
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(prefix, store))
    access = icechunk.containers_credentials({prefix: icechunk.credentials.LocalFileSystemAccess})
    repository = icechunk.Repository.create(
        icechunk.local_filesystem_storage(target), config, access
    )
    session = repository.writable_session("main")
    dataset.vz.to_icechunk(session.store)
    session.commit("joined")


if __name__ == "__main__":
    main()
