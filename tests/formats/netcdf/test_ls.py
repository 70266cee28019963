"""``ncz ls`` of netCDF files: groups, variables, and the chunks that are stored."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

from tests.formats.netcdf.classic.test_reader import make, numbers_of


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "x.nc", "w") as file:
        file.create_dataset("g/v", (4, 6), ">i4", chunks=(2, 3), compression="gzip")
        file["g/v"][:2] = np.arange(12).reshape(2, 6)
        file["s"] = 3.5
        file.create_dataset("text", data=["a", "b"], chunks=(1,))
        file.create_group("h")
    return tmp_path / "x.nc"


def test_groups_variables_and_chunks(path, run):
    assert run("ls", path).text.split() == ["/g", "/h", "/s", "/text"]
    assert run("ls", path, "g").text.split() == ["/g/v"]
    assert run("ls", "-r", path).text.split() == [
        "/g/v/0.0", "/g/v/0.1", "/s/0", "/text/0", "/text/1",
    ]  # fmt: skip
    assert run("ls", path, "g/*/0.?").text.split() == ["/g/v/0.0", "/g/v/0.1"]


def test_sizes_and_kinds(path, run):
    with h5py.File(path) as file:
        size = file["g/v"].id.get_chunk_info_by_coord((0, 3)).size
    listed = json.loads(run("ls", "--json", "-r", path).text)
    assert {"key": "/g/v/0.1", "size": size, "kind": "chunk"} in listed
    assert {"key": "/s/0", "size": 8, "kind": "chunk"} in listed
    kinds = {e["key"]: e["kind"] for e in json.loads(run("ls", "--json", path).text)}
    assert kinds == {"/g": "group", "/h": "group", "/s": "array", "/text": "array"}


def test_one_chunk(path, run):
    assert run("ls", path, "--cat", "g/v/0.1", "--decode").text == "3, 4, 5\n9, 10, 11\n"
    assert run("ls", path, "--cat", "g/v/0.1").text.startswith("00000000  78 ")
    ran = run("ls", path, "--cat", "g/v/1.0")
    assert ran.code == 1
    assert "key /g/v/1.0 does not exist" in ran.stderr


def test_a_classic_file(tmp_path, run):
    (tmp_path / "x").write_bytes(make(1, [("v", 4, (0, 1), numbers_of(4, (2, 3)))], 2))
    assert run("ls", "-r", tmp_path / "x").text == "/v/0.0\n"
    assert run("ls", tmp_path / "x", "--cat", "v/0.0", "--decode").text == "0, 1, 2\n3, 4, 5\n"
