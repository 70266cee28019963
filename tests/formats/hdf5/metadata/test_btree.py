"""B-trees of both versions, in files of the HDF5 library."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from ncz.formats.hdf5.metadata.btree import (
    CHUNK_NODES,
    CHUNKS,
    FILTERED_CHUNKS,
    GROUP_NODES,
    BTree2,
    read_btree1,
    read_btree2,
)
from ncz.formats.hdf5.metadata.faults import DamageError
from ncz.formats.hdf5.metadata.file import Hdf5Metadata, open_metadata
from ncz.zmap.file import LocalFile

COUNT = 300


def opened(path: Path, version: str, unlimited: bool) -> tuple[Hdf5Metadata, int]:
    """Return a file of a dataset of `COUNT` chunks, and the address of their index."""
    with h5py.File(path, "w", libver=version) as file:
        most = (None, None) if unlimited else None
        file.create_dataset(
            "v", data=np.arange(2 * COUNT).reshape(COUNT, 2), chunks=(1, 2), maxshape=most
        )
    metadata = open_metadata(LocalFile(str(path)))
    objects = metadata.objects()
    (link,) = objects.root.links
    layout = objects.find(link.address).layout
    assert layout is not None
    assert layout.address is not None
    return metadata, layout.address


def test_version_1(tmp_path):
    metadata, address = opened(tmp_path / "f.h5", "earliest", False)
    sizes = metadata.superblock.sizes
    leaves = list(read_btree1(metadata.source(), sizes, address, CHUNK_NODES, 32))
    assert len(leaves) > 1
    table = np.frombuffer(b"".join(leaves), "<u8").reshape(COUNT, 5)
    assert table[:, 1].tolist() == list(range(COUNT))
    with pytest.raises(DamageError, match="not at its address"):
        list(read_btree1(metadata.source(), sizes, address, GROUP_NODES, 32))
    assert list(read_btree1(metadata.source(), sizes, None, CHUNK_NODES, 32)) == []


def test_version_2(tmp_path):
    metadata, address = opened(tmp_path / "f.h5", "latest", True)
    sizes = metadata.superblock.sizes
    records = list(read_btree2(metadata.source(), sizes, address, CHUNKS))
    assert len(records) == COUNT
    starts = [int.from_bytes(each[8:16], "little") for each in records]
    assert starts == list(range(COUNT))
    with pytest.raises(DamageError, match="records of another type"):
        BTree2(metadata.source(), sizes, address, FILTERED_CHUNKS)
    assert list(read_btree2(metadata.source(), sizes, None, CHUNKS)) == []


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_an_address_of_something_else(tmp_path, version):
    metadata, address = opened(tmp_path / "f.h5", version, version == "latest")
    sizes = metadata.superblock.sizes
    source = metadata.source()
    tree = (
        read_btree1(source, sizes, address + 1, CHUNK_NODES, 32)
        if version == "earliest"
        else read_btree2(source, sizes, address + 1, CHUNKS)
    )
    with pytest.raises(DamageError):
        list(tree)
