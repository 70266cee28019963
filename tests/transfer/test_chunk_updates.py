"""Some chunks of an existing array, written again."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.cdl.reader import read_cdl
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.formats.zarr.writing.plan import plan_dataset
from ncz.model.data import MemoryArray
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.transfer.chunk_updates import write_some
from ncz.transfer.move import MoveResult
from ncz.zmap.memory import MemoryZmap

CDL = b"""netcdf s { dimensions: x = 5 ; variables: short v(x) ; v:_ChunkSizes = 2 ;
  v:_FillValue = -1s ; }"""


class Sparse(MemoryArray):
    """Values whose second chunk is missing."""

    def values_of(self, indices):
        found = super().values_of(indices)
        return [None if i == (1,) else v for i, v in zip(indices, found, strict=True)]


@pytest.mark.parametrize(
    ("fills", "keys", "moved"), [(False, ["v/0"], (1, 4)), (True, ["v/0", "v/1"], (2, 8))]
)
def test_chunks_are_written_or_deleted(fills, keys, moved):
    (array,) = plan_dataset(read_cdl(CDL, source="s"), WriteOptions()).arrays
    values = Sparse(np.arange(5, dtype="i2"), Atomic.SHORT, (2,), fill=-1)
    zmap = MemoryZmap()
    zmap.put("v/1", b"old!")
    zmap.put("v/2", b"kept")
    steps: list[MoveResult] = []
    with ThreadPool(1 << 20, 2) as pool:
        target = replace(array, fills_missing=fills)
        write_some(values, target, [(0,), (1,)], zmap, pool, steps.append)
    assert list(zmap.walk()) == [*keys, "v/2"]
    assert zmap.get("v/0") == b"\0\0\1\0"
    assert zmap.get("v/1") == (b"\xff" * 4 if fills else None)
    assert (sum(s.chunks for s in steps), sum(s.size for s in steps)) == moved
