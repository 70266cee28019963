"""Icechunk repositories, written by icechunk and zarr-python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from icechunk import ObjectStoreConfig, Storage

FIRST = np.arange(24, dtype="f4").reshape(4, 6)
SECOND = np.where(FIRST == 0, 99, FIRST)


def write_versions(storage: Storage) -> dict[str, str]:
    """Write two snapshots, with a tag and a branch at the first; return their names."""
    import zarr
    from icechunk import Repository

    repository = Repository.create(storage)
    session = repository.writable_session("main")
    root = zarr.group(session.store, attributes={"title": "versions"})
    t = root.create_array("t", shape=(4, 6), chunks=(2, 3), dtype="f4", dimension_names=["y", "x"])
    t[:] = FIRST
    first = session.commit("first")
    repository.create_tag("v1", first)
    repository.create_branch("old", first)
    session = repository.writable_session("main")
    root = zarr.open_group(session.store)
    root["t"][0, 0] = 99
    root.create_array("g/u", shape=(5,), chunks=(2,), dtype="i2", fill_value=7)[:2] = 1
    return {"first": first, "second": session.commit("second")}


def write_virtual(
    storage: Storage, prefix: str, store: ObjectStoreConfig, files: list[str]
) -> None:
    """Write an array `a` whose chunks of 24 bytes are the second 24 bytes of each file."""
    import zarr
    from icechunk import (
        Repository,
        RepositoryConfig,
        VirtualChunkContainer,
        containers_credentials,
        credentials,
        s3_from_env_credentials,
    )

    access = getattr(credentials, "LocalFileSystemAccess", None)
    if prefix.startswith("s3:"):
        access = s3_from_env_credentials()
    config = RepositoryConfig.default()
    config.set_virtual_chunk_container(VirtualChunkContainer(prefix, store))
    repository = Repository.create(storage, config, containers_credentials({prefix: access}))
    session = repository.writable_session("main")
    shape = (6 * len(files),)
    array = zarr.group(session.store).create_array(
        "a", shape=shape, chunks=(6,), dtype="f4", compressors=None, dimension_names=["x"]
    )
    assert array.shape == shape
    for number, url in enumerate(files):
        session.store.set_virtual_ref(f"a/c/{number}", url, offset=24, length=24)
    session.commit("virtual")
