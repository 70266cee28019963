"""A few of the chunks that an HDF5 file lists."""

from __future__ import annotations

import h5py

from ncz.formats.hdf5.chunks import ChunkIndex
from ncz.formats.hdf5.metadata.few_chunks import StoredChunk
from ncz.formats.opening import open_dataset
from ncz.model.grid import Index
from ncz.model.sparse_source import chunks_of
from ncz.zmap.location import parse_location


def test_few_of_many_chunks_are_listed_also_of_values_without_a_dtype(tmp_path, monkeypatch):
    path = tmp_path / "sparse.h5"
    with h5py.File(path, "w") as file:
        strings = file.create_dataset("s", (10**7,), h5py.string_dtype(), chunks=(8,))
        strings[9_000_000] = "far"
    calls: list[Index] = []
    find = ChunkIndex.find

    def counted(self: ChunkIndex, index: Index) -> StoredChunk | None:
        calls.append(index)
        return find(self, index)

    monkeypatch.setattr(ChunkIndex, "find", counted)
    with open_dataset(parse_location(str(path))) as opened:
        (variable,) = opened.dataset.root.variables
        assert variable.data is not None
        values = [value for chunk in chunks_of(variable.data) for value in chunk.tolist()]
    assert [value for value in values if value] == ["far"]
    assert len(calls) < 100
