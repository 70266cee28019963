"""Chunk sources of HDF5 files in other threads and processes."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import pytest

from ncz.errors import ZmapError
from ncz.formats.opening import open_dataset
from ncz.model.data import ChunkSource, read_all
from ncz.model.tree import variables_by_fqn
from ncz.zmap.location import parse_location


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a variable for each kind of source."""
    odd = h5py.h5t.STD_I32LE.copy()
    odd.set_precision(20)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("chunks", data=np.arange(60).reshape(6, 10), chunks=(2, 5))
        file["contiguous"] = np.arange(7)
        file.create_dataset("lzf", data=np.arange(100), chunks=(10,), compression="lzf")
        file.create_dataset("strings", data=["a", "bb", ""] * 5, chunks=(4,))
        file["text"] = np.array([b"ab", b"c"], "S3")
        space = h5py.h5s.create_simple((4,))
        h5py.Dataset(h5py.h5d.create(file.id, b"odd", odd, space))[...] = [1, -2, 3, -4]
    return tmp_path / "x.h5"


def values(sources: dict[str, ChunkSource]) -> dict[str, list[object]]:
    return {name: read_all(source).tolist() for name, source in sources.items()}


PROGRAM = """
import pickle, sys
from ncz.model.data import read_all
sources = pickle.load(sys.stdin.buffer)
values = {name: read_all(source).tolist() for name, source in sources.items()}
pickle.dump(values, sys.stdout.buffer)
"""


def test_sources_are_data_for_another_process(path: Path):
    with open_dataset(parse_location(str(path))) as opened:
        found = variables_by_fqn(opened.dataset.root)
        sources = {name: v.data for name, v in found if v.data is not None}
        assert len(sources) == 6
        data = pickle.dumps(sources)
        expected = values(sources)
    assert expected["/odd"] == [1, -2, 3, -4]
    done = subprocess.run([sys.executable, "-c", PROGRAM], input=data, capture_output=True)
    assert pickle.loads(done.stdout) == expected, done.stderr
    with h5py.File(path, "a") as file:
        file["contiguous"][0] = 9
        file["more"] = np.arange(100)
    with pytest.raises(ZmapError, match="changed"):
        pickle.loads(data)


def test_many_threads_read_in_parallel(path: Path):
    with open_dataset(parse_location(str(path))) as opened:
        found = variables_by_fqn(opened.dataset.root)
        sources = {name: v.data for name, v in found if v.data is not None}
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda _: values(sources), range(16)))
    assert results[0]["/chunks"] == np.arange(60).reshape(6, 10).tolist()
    assert all(result == results[0] for result in results)
