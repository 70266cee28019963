"""Structures and chunks of different lengths, by zarr-python 3.2 or later, which needs Python 3.12.

``NCZ_PEERS_ZARR3`` is a Python that has it; without it, the folder of ``make interop`` is used.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interop.peers.peers import HERE, Answer, Process
from tests.interop.targets import run_ncz

PYTHON = os.environ.get("NCZ_PEERS_ZARR3") or str(HERE / "zarr3" / "bin" / "python")

PROGRAM = """
import json, sys, warnings
import numpy as np, zarr
warnings.simplefilter("ignore")
zarr.config.set({"array.rectilinear_chunks": True})

def write(store):
    group = zarr.open_group(store, mode="w", zarr_format=3)
    fields = np.dtype([("a", "<i2"), ("b", "<f8"), ("s", "S3"), ("z", "<c8"), ("u", "<U2")])
    fill = np.array((7, 1.5, b"xy", 1 + 2j, "\\u00d8"), fields)[()]
    pair = group.create_array(
        "pair", shape=(4,), chunks=(2,), dtype=fields, fill_value=fill, dimension_names=["x"]
    )
    pair[:2] = np.array([(1, 2.5, b"abc", 0, "ab"), (3, 4.5, b"d", 1j, "")], fields)
    ragged = group.create_array(
        "ragged", shape=(6, 4), chunks=[[1, 2, 3], [2, 2]], dtype="i4", fill_value=-1,
        dimension_names=["y", "z"],
    )
    ragged[...] = np.arange(24).reshape(6, 4)

def read(store):
    group = zarr.open_group(store, mode="r")
    return {name: [repr(a[...].tolist()), repr(a.fill_value)] for name, a in group.arrays()}

for line in sys.stdin:
    action, store = json.loads(line)
    print(json.dumps((write if action == "write" else read)(store) or {}), flush=True)
"""


def missing() -> str | None:
    """Why the peer cannot be asked; None if it can."""
    program = "import importlib.metadata as m; print(m.version('zarr'))"
    try:
        done = subprocess.run([PYTHON, "-c", program], capture_output=True, text=True, check=False)
    except OSError:
        return "zarr-python 3.2 is not installed; 'make interop' installs it where it can"
    if done.returncode:
        return "zarr-python is not installed where NCZ_PEERS_ZARR3 says"
    is_old = tuple(map(int, done.stdout.split(".")[:2])) < (3, 2)
    return "zarr-python is older than 3.2" if is_old else None


@pytest.fixture(scope="module")
def peer() -> Iterator[Process]:
    if reason := missing():
        pytest.skip(reason)
    process = Process([PYTHON, "-c", PROGRAM])
    yield process
    process.close()


def told(peer: Process, action: str, store: Path) -> Answer:
    found = peer.answer(json.dumps([action, str(store)]))
    return peer.end() if found is None else found


@pytest.fixture(scope="module")
def source(peer: Process, tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("newer") / "source.zarr"
    assert told(peer, "write", store) == {}
    return store


@pytest.fixture(scope="module")
def expected(peer: Process, source: Path) -> Answer:
    """Return the view that the peer has of the store that it wrote."""
    return told(peer, "read", source)


def test_its_stores_are_printed(source):
    done, text = run_ncz("dump", str(source))
    assert (done.code, done.notices) == (0, ())
    assert '{1, 2.5, "abc", {0, 0}, "ab"}' in text.decode()
    assert '{7, 1.5, "xy", {1, 2}, "Ø"}' in text.decode()
    assert "16, 17, 18, 19" in text.decode()


@pytest.mark.parametrize(
    "options", [(), ("--codec", "gzip:1"), ("--mode", "zarr", "--zarr-format", "3")], ids=str
)
def test_a_copy_reads_the_same(options, peer, source, expected, tmp_path):
    done, _ = run_ncz("copy", str(source), str(tmp_path / "copy.zarr"), *options, "--verify")
    assert done.code == 0, done.error
    assert told(peer, "read", tmp_path / "copy.zarr") == expected
    grid = json.loads((tmp_path / "copy.zarr/ragged/zarr.json").read_text())["chunk_grid"]
    assert grid["name"] == "rectilinear"


def test_zarr_v2_has_chunks_of_one_length_and_a_notice_says_so(peer, source, expected, tmp_path):
    done, _ = run_ncz("copy", str(source), str(tmp_path / "copy.zarr"), "--zarr-format", "2")
    assert done.code == 0, done.error
    assert any("chunks of different lengths become chunks" in n for n in done.notices)
    assert told(peer, "read", tmp_path / "copy.zarr")["ragged"][0] == expected["ragged"][0]
