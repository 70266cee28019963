"""Rectilinear chunk grids of Zarr V3: chunks of different lengths are read and copied."""

from __future__ import annotations

import itertools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.formats.zarr.documents.rectilinear import expand_lengths, print_lengths, read_lengths
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.data import read_all, read_box
from ncz.model.grid import Box
from ncz.zmap.memory import MemoryZmap
from tests.conftest import Run

ROWS, COLUMNS = [2, 2, 5, 1], [3, 4]
"""Lengths of chunks; the last row of chunks is longer than the array."""
LAST = 4
SHAPE = (9 + LAST, 7)
VALUES = np.arange(np.prod(SHAPE), dtype="<i4").reshape(SHAPE)
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}


def sharded(chunks: list[int]) -> list[dict[str, Any]]:
    index = [BYTES, {"name": "crc32c"}]
    configuration = {"chunk_shape": chunks, "codecs": [BYTES], "index_codecs": index}
    return [{"name": "sharding_indexed", "configuration": configuration}]


def document(rows: Any, columns: Any, codecs: Any) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(SHAPE),
        "data_type": "int32",
        "chunk_grid": {
            "name": "rectilinear",
            "configuration": {"kind": "inline", "chunk_shapes": [rows, columns]},
        },
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": -1,
        "codecs": codecs,
        "attributes": {},
        "dimension_names": ["y", "x"],
    }


def store(folder: Path, missing: tuple[str, ...] = ("1/1",)) -> Path:
    """Write by hand an array of 4 by 2 chunks, whose last row has one element too many."""
    rows = [*ROWS[:-1], LAST + 1]
    padded = np.full((sum(rows), SHAPE[1]), 99, "<i4")
    padded[: SHAPE[0]] = VALUES
    (folder / "v").mkdir(parents=True)
    (folder / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
    spelled = [[2, 2], 5, LAST + 1]
    (folder / "v/zarr.json").write_text(json.dumps(document(spelled, COLUMNS, [BYTES])))
    starts = [[0, *itertools.accumulate(lengths)] for lengths in (rows, COLUMNS)]
    for i, j in itertools.product(range(len(rows)), range(len(COLUMNS))):
        if f"{i}/{j}" not in missing:
            chunk = padded[starts[0][i] : starts[0][i + 1], starts[1][j] : starts[1][j + 1]]
            path = folder / "v/c" / str(i) / str(j)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(chunk.tobytes())
    return folder


def expected() -> np.ndarray:
    values = VALUES.copy()
    values[2:4, 3:] = -1
    return values


def values_of(path: Path) -> np.ndarray:
    with ncz.open(path) as dataset:
        return ncz.read(dataset, "v")


def grid_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((path / "v/zarr.json").read_text("utf-8"))["chunk_grid"]
    return found


def test_chunks_of_different_lengths_are_read(run: Run, tmp_path):
    source = store(tmp_path / "a.zarr")
    np.testing.assert_array_equal(values_of(source), expected())
    dump = run("dump", "-s", source)
    assert (dump.code, dump.stderr) == (0, "")
    assert "v:_ChunkSizes = 5, 4 ;" in dump.text
    again = run("gen", "-", "-o", tmp_path / "b.zarr", "-q", stdin=dump.stdout)
    assert again.code == 0
    np.testing.assert_array_equal(values_of(tmp_path / "b.zarr"), expected())


def test_a_part_is_read(tmp_path):
    with ncz.open(store(tmp_path / "a.zarr")) as dataset:
        data = ncz.find(dataset, "v").data
        assert data is not None
        box = Box((1, 2), (11, 6))
        np.testing.assert_array_equal(read_box(data, box), expected()[1:11, 2:6])


def test_a_chunk_is_decoded_in_its_own_shape(run: Run, tmp_path):
    source = store(tmp_path / "a.zarr")
    shown = run("ls", source, "--cat", "/v/c/2/0", "--decode")
    assert shown.code == 0, shown.stderr
    assert str(VALUES[4, 0]) in shown.text


def test_a_copy_to_v3_is_raw_and_keeps_the_grid(run: Run, tmp_path):
    source, target = store(tmp_path / "a.zarr"), tmp_path / "b.zarr"
    plan = run("copy", "--dry-run", source, target)
    assert (plan.code, plan.stderr) == (0, "")
    assert " ".join(plan.text.splitlines()[1].split()) == "/v raw 8 up to 5x4 none up to 5x4 none"
    document = json.loads(run("copy", "--dry-run", "--json", source, target).text)
    assert document["variables"][0]["irregular"] is True
    ran = run("copy", source, target, "--verify")
    assert (ran.code, ran.stderr) == (0, "")
    assert grid_of(target) == grid_of(source) | {
        "configuration": {"kind": "inline", "chunk_shapes": [[[2, 2], [5, 2]], COLUMNS]}
    }
    chunks = {p.relative_to(source): p.read_bytes() for p in source.glob("v/c/*/*")}
    assert {p.relative_to(target): p.read_bytes() for p in target.glob("v/c/*/*")} == chunks


def test_other_codecs_keep_the_grid(run: Run, tmp_path):
    source, target = store(tmp_path / "a.zarr"), tmp_path / "b.zarr"
    ran = run("copy", source, target, "--codec", "gzip:1", "--verify")
    assert (ran.code, ran.stderr) == (0, "")
    assert grid_of(target)["name"] == "rectilinear"
    np.testing.assert_array_equal(values_of(target), expected())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--zarr-format", "2"), "chunks of different lengths become chunks of 5x4 (/v)"),
        (("--zarr-format", "2", "--mode", "nczarr"), "chunks of different lengths become chunks"),
        (("-c", "y/4,x/7"), None),
        (("--shards", "y/10,x/"), None),
        (("--for", "tensorstore"), "chunks of different lengths become chunks of 5x4 (/v)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_other_targets_have_equal_chunks(options, message, run: Run, tmp_path):
    source, target = store(tmp_path / "a.zarr"), tmp_path / "b.zarr"
    plan = run("copy", "--dry-run", source, target, *options)
    assert plan.text.splitlines()[1].split()[1].startswith("rechunk")
    assert "change: chunks of different lengths become" in plan.text
    ran = run("copy", source, target, *options, "--verify")
    assert ran.code == 0, ran.stderr
    assert (message or "") in ran.stderr
    assert ("different lengths" in ran.stderr) == (message is not None)
    np.testing.assert_array_equal(values_of(target), expected())


def test_verify_finds_a_difference(run: Run, tmp_path):
    source, other = store(tmp_path / "a.zarr"), store(tmp_path / "b.zarr")
    (other / "v/c/2/1").write_bytes(bytes(4 * 5 * 4))
    ran = run("copy", "--verify", source, other)
    assert ran.code == 1
    assert "/v" in ran.stderr


def test_a_short_chunk_is_an_error(run: Run, tmp_path):
    source = store(tmp_path / "a.zarr")
    (source / "v/c/2/1").write_bytes(bytes(4 * 5 * 4 - 4))
    ran = run("copy", source, tmp_path / "b.zarr")
    assert ran.code == 1
    assert "/v/c/2/1" in ran.stderr


def test_shards_of_different_lengths(run: Run, tmp_path):
    """Each shard contains chunks of 2 by 3, and its length along y is a multiple of 2."""
    shape, rows = (10, 6), [2, 6, 2]
    values = np.arange(60, dtype="<i4").reshape(shape)
    plain, source, target = (tmp_path / f"{name}.zarr" for name in "abc")
    for i, (start, length) in enumerate(zip((0, 2, 8), rows, strict=True)):
        lines = ", ".join(map(str, values[start : start + length].reshape(-1)))
        cdl = f"""netcdf s {{ dimensions: y = {length} ; x = 6 ; variables: int v(y, x) ;
          v:_ChunkSizes = 2, 3 ; v:_ShardSizes = {length}, 6 ; data: v = {lines} ; }}"""
        options = ("--zarr-format", "3", "--mode", "zarr", "-q", "--overwrite")
        assert run("gen", "-", "-o", plain, *options, stdin=cdl.encode()).code == 0
        (source / "v/c" / str(i)).mkdir(parents=True)
        (source / "v/c" / str(i) / "0").write_bytes((plain / "v/c/0/0").read_bytes())
    (source / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
    made = {**document(rows, 6, sharded([2, 3])), "shape": list(shape)}
    (source / "v/zarr.json").write_text(json.dumps(made))
    np.testing.assert_array_equal(values_of(source), values)
    ran = run("copy", source, target, "--verify")
    assert (ran.code, ran.stderr) == (0, "")
    assert grid_of(target)["configuration"]["chunk_shapes"] == [rows, [6]]
    np.testing.assert_array_equal(values_of(target), values)
    assert run("copy", source, tmp_path / "e.zarr", "--codec", "zstd:3", "-q").code == 0
    assert grid_of(tmp_path / "e.zarr") == grid_of(target)
    np.testing.assert_array_equal(values_of(tmp_path / "e.zarr"), values)
    ran = run("copy", source, tmp_path / "d.zarr", "--shards", "none", "--verify", "-q")
    assert ran.code == 0
    np.testing.assert_array_equal(values_of(tmp_path / "d.zarr"), values)


def test_shards_must_contain_whole_chunks():
    made = {**document([2, 5, 6], 7, sharded([2, 7]))}
    notices: list[str] = []
    objects = {
        "zarr.json": b'{"zarr_format": 3, "node_type": "group", "attributes": {}}',
        "v/zarr.json": json.dumps(made).encode(),
    }
    zmap = MemoryZmap(objects, "memory://t")
    open_dataset(zmap, name="t", notify=lambda notice: notices.append(str(notice)))
    assert "chunk_shape [2,7] does not divide the shard" in notices[0]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(0, 4))
def test_lengths_are_printed_unchanged(lengths, beyond):
    total = sum(lengths) - min(beyond, lengths[-1] - 1)
    assert expand_lengths(read_lengths(lengths, total, "x"), "x") == tuple(lengths)
    printed = print_lengths(lengths)
    assert expand_lengths(read_lengths(printed, total, "x"), "x") == tuple(lengths)
    assert read_lengths([*printed, 7, [3, 2]], total, "x") == read_lengths(printed, total, "x")


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.integers(0, 3),
)
def test_any_grid_is_read(rows, columns, beyond):
    """Chunks are encoded by numpy alone, with their own shapes."""
    padded = np.arange(sum(rows) * sum(columns), dtype="<i4").reshape(sum(rows), sum(columns))
    shape = (sum(rows) - min(beyond, rows[-1] - 1), sum(columns))
    objects = {
        "zarr.json": json.dumps({**document(rows, columns, [BYTES, GZIP]), "shape": shape}).encode()
    }
    import gzip

    starts = [[0, *itertools.accumulate(lengths)] for lengths in (rows, columns)]
    for i, j in itertools.product(range(len(rows)), range(len(columns))):
        chunk = padded[starts[0][i] : starts[0][i + 1], starts[1][j] : starts[1][j + 1]]
        objects[f"c/{i}/{j}"] = gzip.compress(chunk.tobytes())
    data = open_dataset(MemoryZmap(objects, "memory://t"), name="t").root.variables[0].data
    assert data is not None
    np.testing.assert_array_equal(read_all(data), padded[: shape[0]])


def test_zarr_python_reads_and_writes_the_same(run: Run, tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3.2", reason="zarr-python 3.2 has such grids")
    source, target, other = (tmp_path / f"{name}.zarr" for name in "abc")
    store(source)
    assert run("copy", source, target).code == 0
    with warnings.catch_warnings(), zarr.config.set({"array.rectilinear_chunks": True}):
        warnings.simplefilter("ignore")
        for made in (source, target):
            np.testing.assert_array_equal(zarr.open_group(made, mode="r")["v"][...], expected())
        group = zarr.open_group(other, mode="w", zarr_format=3)
        rows = [*ROWS[:-1], LAST]
        array = group.create_array("v", shape=SHAPE, dtype="<i4", chunks=[rows, COLUMNS])
        array[...] = VALUES
    np.testing.assert_array_equal(values_of(other), VALUES)
