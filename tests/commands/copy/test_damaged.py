"""Damaged chunks of the source: copies name them, and copy them only with an option."""

from __future__ import annotations

import io
import json

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

TEXT = b"""netcdf a { dimensions: x = 4096 ; y = 3 ;
  variables: int v(x) ; v:_ChunkSizes = 1024 ; double w(y) ;
  data: v = %s ; w = 1, 2, 3 ; }""" % b", ".join(b"%d" % (7 * i % 500) for i in range(4096))

CODECS = ["none", "zlib:1", "gzip:1", "bz2:1", "lz4:1", "zstd:1", "blosc:lz4:1", "lzma:1"]

ENDLESS = ["zlib:1", "lz4:1"]
"""Codecs whose header does not contain the end of the chunk."""


def make(path, codec="none", *, mode="zarr", version="2"):
    """Make a store with four chunks of v and one of w, and return the path of v's second."""
    ncz.gen(io.BytesIO(TEXT), "memory://damaged", overwrite=True, notify=ignore_notice)
    ncz.copy(
        "memory://damaged", path, codecs=[codec], modes=[mode, f"v{version}"],
        allow_loss=True, notify=ignore_notice,
    )  # fmt: skip
    return path / ("v/1" if version == "2" else "v/c/1")


def flip(path, at=-20):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("target", ["b.zarr", "b.zip"])
@pytest.mark.parametrize("codec", CODECS)
def test_a_truncated_chunk_stops_the_copy(run: Run, tmp_path, codec, target):
    chunk = make(tmp_path / "a.zarr", codec)
    data = chunk.read_bytes()
    chunk.write_bytes(data[: len(data) // 2] if codec not in ENDLESS else b"")
    ran = run("copy", tmp_path / "a.zarr", tmp_path / target)
    assert ran.code == 1
    assert ran.stderr.count("\n") == 1
    assert f"{tmp_path}/a.zarr: /v/1: the " in ran.stderr
    assert "--keep-going" in ran.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["a.zarr"]


@pytest.mark.parametrize("target", ["b.zarr", "b.zip#mode=zarr"])
def test_with_keep_going_it_is_copied_and_named(run: Run, tmp_path, target):
    chunk = make(tmp_path / "a.zarr", "zstd:1")
    chunk.write_bytes(chunk.read_bytes()[:40])
    ran = run("copy", tmp_path / "a.zarr", tmp_path / target, "--keep-going", "--json")
    assert ran.code == 1
    notice, *_, error = ran.stderr.splitlines()
    assert "a.zarr: /v/1: " in notice
    assert "copied unchanged" in notice
    assert error.endswith("1 damaged chunk was copied unchanged; restore it from another copy")
    assert [d["location"] for d in json.loads(ran.text)["damaged"]] == [f"{tmp_path}/a.zarr: /v/1"]
    keys = run("ls", "-r", tmp_path / target.partition("#")[0]).text
    assert keys == run("ls", "-r", tmp_path / "a.zarr").text
    shown = run("dump", "-v", "w", tmp_path / target)
    assert "w = 1, 2, 3" in shown.text
    assert run("dump", tmp_path / target).code == 1


@pytest.mark.parametrize("target", ["b.zarr", "b.zip#mode=zarr"])
def test_with_allow_loss_it_is_left_out(run: Run, tmp_path, target):
    chunk = make(tmp_path / "a.zarr", "zstd:1")
    chunk.write_bytes(chunk.read_bytes()[:40])
    ran = run("copy", tmp_path / "a.zarr", tmp_path / target, "--allow-loss")
    assert ran.code == 0
    assert "a.zarr: /v/1: " in ran.stderr
    keys = run("ls", "-r", tmp_path / target.partition("#")[0]).text.splitlines()
    assert {"/v/0", "/v/2"} <= {f"/{key.lstrip('/')}" for key in keys}
    with ncz.open(
        tmp_path / target.partition("#")[0]
    ) as dataset:  # Zarr V2 has the fill value in a chunk
        values = dataset["v"][...]
    assert [7 * i % 500 for i in range(1024)] == values[:1024].tolist()
    assert set(values[1024:2048].tolist()) == {-2147483647}
    assert [7 * i % 500 for i in range(2048, 4096)] == values[2048:].tolist()


def test_with_keep_going_and_allow_loss_it_is_copied_with_exit_code_0(run: Run, tmp_path):
    chunk = make(tmp_path / "a.zarr", "zstd:1")
    chunk.write_bytes(chunk.read_bytes()[:40])
    ran = run("copy", tmp_path / "a.zarr", tmp_path / "b.zarr", "--keep-going", "--allow-loss")
    assert ran.code == 0
    assert "copied unchanged" in ran.stderr
    assert (tmp_path / "b.zarr/v/1").read_bytes() == chunk.read_bytes()
    ncz.copy(
        tmp_path / "a.zarr", tmp_path / "c.zarr",
        keep_going=True, allow_loss=True, notify=ignore_notice,
    )  # fmt: skip
    assert (tmp_path / "c.zarr/v/1").read_bytes() == chunk.read_bytes()


def test_a_flipped_bit_is_found_by_decoding(run: Run, tmp_path):
    flip(make(tmp_path / "a.zarr", "zlib:1"), -1)  # of the checksum
    assert run("copy", tmp_path / "a.zarr", tmp_path / "b.zarr").code == 0
    ran = run("copy", tmp_path / "a.zarr", tmp_path / "c.zarr", "--check-data")
    assert ran.code == 1
    assert "/v/1: the chunk cannot be decoded by zlib" in ran.stderr
    assert not (tmp_path / "c.zarr").exists()
    ran = run("copy", tmp_path / "a.zarr", tmp_path / "c.zip", "--check-data", "--keep-going")
    assert ran.code == 1
    assert (tmp_path / "c.zip").exists()


def test_healthy_chunks_pass_both_checks(run: Run, tmp_path):
    for codec in CODECS:
        make(tmp_path / f"{codec[:4]}.zarr", codec)
        for number, option in enumerate(([], ["--check-data"])):
            target = tmp_path / f"{codec[:4]}-{number}.zarr"
            assert run("copy", tmp_path / f"{codec[:4]}.zarr", target, *option).code == 0


def sharded(path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(path, mode="w", zarr_format=3)
    array = group.create_array("v", shape=(64,), shards=(32,), chunks=(8,), dtype="i4")
    array[:] = range(64)
    return path / "v/c/1"


@pytest.mark.parametrize("damage", ["short", "index", "empty"])
def test_a_damaged_shard_stops_the_copy(run: Run, tmp_path, damage):
    shard = sharded(tmp_path / "a.zarr")
    assert run("copy", tmp_path / "a.zarr", tmp_path / "whole.zarr").code == 0
    if damage == "index":
        flip(shard, -30)
    else:
        shard.write_bytes(shard.read_bytes()[: 50 if damage == "short" else 0])
    ran = run("copy", tmp_path / "a.zarr", tmp_path / "b.zarr")
    assert ran.code == 1
    assert "a.zarr: /v/c/1: " in ran.stderr
    assert not (tmp_path / "b.zarr").exists()


def test_a_codec_that_is_missing_is_no_damage(run: Run, tmp_path):
    """Chunks move raw though nothing here can decode them; to check them is an error."""
    chunk = make(tmp_path / "a.zarr", "zlib:1")
    document = tmp_path / "a.zarr/v/.zarray"
    fields = json.loads(document.read_text())
    fields["compressor"] = {"id": "of-a-plug-in"}
    document.write_text(json.dumps(fields))
    ran = run("copy", tmp_path / "a.zarr", tmp_path / "b.zarr", "--allow-loss")
    if ran.code == 0 and (tmp_path / "b.zarr/v/1").exists():
        assert (tmp_path / "b.zarr/v/1").read_bytes() == chunk.read_bytes()
    ran = run("copy", tmp_path / "a.zarr", tmp_path / "c.zarr", "--check-data")
    assert ran.code == 1


def test_in_python(tmp_path):
    chunk = make(tmp_path / "a.zarr", "zstd:1")
    chunk.write_bytes(b"")
    with pytest.raises(ncz.CodecError, match=r"a\.zarr: /v/1: "):
        ncz.copy(tmp_path / "a.zarr", tmp_path / "b.zarr")
    notices: list[ncz.Notice] = []
    with pytest.raises(ncz.CodecError, match="copied unchanged"):
        ncz.copy(tmp_path / "a.zarr", tmp_path / "b.zarr", keep_going=True, notify=notices.append)
    assert [notice.code for notice in notices] == ["chunk-damaged"]
    assert (tmp_path / "b.zarr/v/1").read_bytes() == b""


def test_an_error_counts_several_chunks(run: Run, tmp_path):
    chunk = make(tmp_path / "a.zarr", "zstd:1")
    for path in (chunk, chunk.with_name("2")):
        path.write_bytes(path.read_bytes()[:40])
    ran = run("copy", tmp_path / "a.zarr", tmp_path / "b.zarr", "--keep-going")
    told = "2 damaged chunks were copied unchanged; restore them from another copy"
    assert ran.stderr.splitlines()[-1].endswith(told)
