"""The chunks within shards are counted one by one, as those without shards are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run

zarr = pytest.importorskip("zarr", minversion="3")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Arrays with and without shards that contain the same, and one whose shards exceed it."""
    path = tmp_path / "s.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    for name, shards in (("sharded", (10, 10)), ("plain", None)):
        array = group.create_array(name, shape=(20, 10), chunks=(2, 5), shards=shards, dtype="f4")
        array[:4] = 1
    group.create_array("edge", shape=(13, 7), chunks=(2, 5), shards=(10, 10), dtype="f4")[...] = 1
    return path


def test_info(run: Run, store: Path):
    info = json.loads(run("info", "--json", store).stdout)
    counts = {v["path"]: (v["chunks_present"], v["chunks_expected"]) for v in info["variables"]}
    assert counts == {"/edge": (14, 14), "/plain": (4, 20), "/sharded": (4, 20)}


def test_check(run: Run, store: Path):
    lines = run("check", "--census", store).text.splitlines()
    assert [line.split(",")[0] for line in lines if " chunks, " in line] == [
        "/edge: 14 of 14 chunks",
        "/plain: 4 of 20 chunks",
        "/sharded: 4 of 20 chunks",
    ]


def test_the_bytes_of_shards_match_their_objects(run: Run, store: Path):
    info = json.loads(run("info", "--json", store).stdout)
    (sharded,) = (v for v in info["variables"] if v["path"] == "/sharded")
    assert sharded["stored_bytes"] == (store / "sharded/c/0/0").stat().st_size


def test_a_damaged_index_is_found_without_reading_the_chunks(run: Run, store: Path):
    shard = store / "sharded/c/0/0"
    data = shard.read_bytes()
    shard.write_bytes(data[:-5] + bytes([data[-5] ^ 1]) + data[-4:])
    result = run("check", store)
    assert result.code == 1
    message = "chunk-damaged: /sharded/c/0/0: the index of the shard cannot be decoded"
    assert result.text.count(message) == 1
    assert run("check", "--data", store).text.count(message) == 1
