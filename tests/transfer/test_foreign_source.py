"""Encoded chunks of a source that is not a Zarr array: they are copied like chunks of one."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from ncz.formats.zarr.writing.plan import plan_dataset
from ncz.model.chunks import ChunkLayout
from ncz.model.data import read_all
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.filters import make_filter
from ncz.model.grid import ChunkGrid
from ncz.model.tree import Dataset, Dimension, Group, Storage, Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.transfer.compare import differences
from tests.transfer.test_move import transferred

ZLIB = (make_filter("zlib", level=1),)
VALUES = np.arange(12, dtype=">i4").reshape(4, 3)


class Chunks(EncodedSource):
    """Chunks of two rows each, compressed, in a list; as in a file of another format."""

    layout = ChunkLayout(shape=(4, 3), chunks=(2, 3), order=(0, 1), codecs=ZLIB)
    grid = ChunkGrid((4, 3), (2, 3))
    type = Atomic.INT
    fill = 0
    stored_dtype = ">i4"
    item_size = 4

    def __init__(self):
        self.chunks = [zlib.compress(VALUES[i : i + 2].tobytes(), 1) for i in (0, 2)]

    def locate(self, index):
        return f"file: chunk {index}"

    def present(self):
        return self.grid.indices()

    def encoded_chunks(self, indices):
        return [self.chunks[index[0]] for index in indices]

    def elements(self, indices):
        chunks = map(zlib.decompress, self.encoded_chunks(indices))
        return [np.frombuffer(data, ">i4").reshape(2, 3) for data in chunks]

    def values(self, elements, index):
        return elements.astype("i4")

    def values_of(self, indices):
        return [self._values(index) for index in indices]

    def _values(self, index):
        return self.values(self.chunk_elements(index), index)


def planned(source, **storage):
    variable = Variable(
        name="v",
        type=Atomic.INT,
        dimensions=("/y", "/x"),
        storage=Storage(**{"chunks": (2, 3), "endianness": "big", "filters": ZLIB, **storage}),
        data=source,
    )
    root = Group(
        dimensions=(Dimension(name="y", size=4), Dimension(name="x", size=3)), variables=(variable,)
    )
    dataset = Dataset(name="d", root=root)
    return dataset, plan_dataset(dataset).arrays[0]


@pytest.mark.parametrize(
    ("way", "storage"),
    [
        ("raw", {}),
        ("recode", {"filters": ()}),
        ("recode", {"endianness": "little"}),
        ("rechunk", {"chunks": (3, 2)}),
    ],
)
def test_it_moves_as_a_zarr_array_does(way, storage):
    source = Chunks()
    assert isinstance(source, EncodedSource)
    dataset, array = planned(source, **storage)
    transfer, new = transferred(source, array)
    assert transfer.way == way
    assert read_all(new).tolist() == VALUES.tolist()
    if way == "raw":
        assert [new.zmap.get(key) for key in ("v/0.0", "v/1.0")] == source.chunks
    copied, _ = planned(new)
    with ThreadPool(1 << 20, 1) as pool:
        assert list(differences(dataset, copied, pool)) == []
        assert list(differences(copied, dataset, pool)) == []
