"""The fixed and the extensible array, in files of the HDF5 library."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from ncz.formats.hdf5.metadata.array_index import read_extensible_array, read_fixed_array
from ncz.formats.hdf5.metadata.faults import DamageError
from ncz.formats.hdf5.metadata.file import open_metadata
from ncz.zmap.file import LocalFile


@pytest.mark.parametrize("is_filtered", [False, True])
@pytest.mark.parametrize("count", [3, 40, 3000])
@pytest.mark.parametrize("kind", ["fixed array", "extensible array"])
def test_elements_match_the_library(tmp_path, kind, count, is_filtered):
    grows = kind == "extensible array"
    with h5py.File(tmp_path / "f.h5", "w", libver="latest") as file:
        dataset = file.create_dataset(
            "v", (count,), "i4", chunks=(1,), maxshape=(None,) if grows else None,
            compression=1 if is_filtered else None,
        )  # fmt: skip
        dataset[:] = np.arange(count)
        del dataset
    with h5py.File(tmp_path / "f.h5") as file:
        chunks = [file["v"].id.get_chunk_info(n) for n in (0, count - 1)]
        ends = [each.byte_offset for each in chunks]
    metadata = open_metadata(LocalFile(str(tmp_path / "f.h5")))
    objects, sizes = metadata.objects(), metadata.superblock.sizes
    layout = objects.find(objects.root.links[0].address).layout
    assert layout is not None
    assert layout.index == kind
    assert layout.address is not None
    read = read_extensible_array if grows else read_fixed_array
    elements = read(metadata.source(), sizes, layout.address)
    assert elements.is_filtered == is_filtered
    table = elements.table[elements.numbers < count]
    offsets = np.ascontiguousarray(table[:, :8]).view("<u8")[:, 0]
    assert sorted(elements.numbers[elements.numbers < count].tolist()) == list(range(count))
    assert [offsets[0], offsets[-1]] == ends
    other = read_fixed_array if grows else read_extensible_array
    with pytest.raises(DamageError):
        other(metadata.source(), sizes, layout.address)
