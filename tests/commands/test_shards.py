"""``--shards`` of gen and copy, and ``_ShardSizes`` of CDL in stores, and in other programs."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.commands.shards import largest_shards
from ncz.errors import ignore_notice
from tests.conftest import Run
from tests.interop.peers.peers import Request, absent, ask
from tests.interop.plain import from_json

ROWS, COLUMNS = 9, 7

CDL = f"""netcdf s {{ dimensions: time = UNLIMITED ; lat = {COLUMNS} ;
variables:
  int v(time, lat) ; v:_ChunkSizes = 2, 3 ;
  v:_Codecs = "[{{\\"id\\":\\"gzip\\",\\"level\\":1}}]" ; v:_FillValue = -1 ;
  double lat(lat) ;
  string name(time) ; name:_ChunkSizes = 2 ;
  float level ;
data:
  v = {", ".join("_" if 4 <= i // COLUMNS < 8 else str(i) for i in range(ROWS * COLUMNS))} ;
  lat = {", ".join(map(str, range(COLUMNS)))} ;
  name = {", ".join(f'"n{i}"' for i in range(ROWS))} ;
  level = 1 ;
}}""".encode()
V3 = ("--zarr-format", "3", "--mode", "zarr")


def expected() -> np.ndarray:
    values = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    values[4:8] = -1
    return values


@pytest.fixture
def plain(run: Run, tmp_path: Path) -> Path:
    """A store of Zarr V3 without shards."""
    how = ("--no-consolidated", "--allow-loss", "-q")
    made = run("gen", "-", "-o", tmp_path / "plain.zarr", *V3, *how, stdin=CDL)
    assert made.code == 0, made.stderr
    return tmp_path / "plain.zarr"


def plain_text(run: Run, store: Path) -> bytes:
    """Return CDL of a store, with its variables in its order."""
    return run("dump", "-s", store).stdout


def document(store: Path, name: str = "v") -> dict:
    found: dict = json.loads((store / name / "zarr.json").read_text("utf-8"))
    return found


def shapes(store: Path, name: str = "v") -> tuple[list[int], list[int] | None]:
    """Return the shape of a stored object, and the shape of a chunk in it."""
    found = document(store, name)
    codec = found["codecs"][0]
    inner = codec["configuration"]["chunk_shape"] if codec["name"] == "sharding_indexed" else None
    return found["chunk_grid"]["configuration"]["chunk_shape"], inner


def objects(store: Path, name: str = "v") -> set[str]:
    folder = store / name / "c"
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("by", ["gen", "copy"])
@pytest.mark.parametrize(
    ("spec", "shard", "stored"),
    [
        ("time/4,lat/6", [4, 6], {"0/0", "0/1", "2/0", "2/1"}),
        ("v:4,3", [4, 3], {"0/0", "0/1", "0/2", "2/0", "2/1", "2/2"}),
        ("time/4", [4, 3], {"0/0", "0/1", "0/2", "2/0", "2/1", "2/2"}),
        ("lat/100", [2, 9], {"0/0", "1/0", "4/0"}),
        ("time/,lat/", [10, 9], {"0/0"}),
        ("/", [10, 9], {"0/0"}),
        ("v:", [10, 9], {"0/0"}),
    ],
)
def test_shards_hold_whole_chunks_and_empty_ones_are_not_written(
    by, spec, shard, stored, run: Run, plain, tmp_path
):
    target = tmp_path / "s.zarr"
    if by == "gen":
        made = run("gen", "-", "-o", target, *V3, "--shards", spec, "-q", stdin=CDL)
    else:
        made = run("copy", plain, target, "--shards", spec, "--verify")
    assert (made.code, made.stderr) == (0, "")
    assert shapes(target) == (shard, [2, 3])
    assert objects(target) == stored
    assert shapes(target, "lat")[1] is None  # one chunk needs no shard
    with ncz.open(target) as dataset:
        np.testing.assert_array_equal(ncz.read(dataset, "v"), expected())


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("time/5", "--shards: a shard of 5 along time is not a whole number of chunks of /name,"
         " which have 2; use 4 or 6, or other chunks"),
        ("v:1,3", "a shard of 1 along time is not a whole number of chunks of /v, which have 2;"
         " use 2, or other chunks"),
        ("v:4", "--shards gives 1 lengths for /v, which has 2 dimensions"),
        ("height/4", "--shards 'height/4': no dimension is named 'height'"),
        ("w:4", "no variable is named 'w'"),
        ("time", "--shards 'time' is not a valid chunkspec; write dim/length"),
        ("time/0", "--shards 'time/0': 0 is not a valid chunk length"),
    ],
)  # fmt: skip
def test_impossible_shards_are_refused_before_anything_is_written(
    spec, message, run: Run, plain, tmp_path
):
    target = tmp_path / "s.zarr"
    for made in (
        run("gen", "-", "-o", target, *V3, "--shards", spec, stdin=plain_text(run, plain)),
        run("copy", plain, target, "--shards", spec),
    ):
        assert made.code == (1 if "is named" in message else 2)
        assert message in made.stderr
    assert not target.exists()


def test_shards_need_zarr_v3(run: Run, plain, tmp_path):
    target = tmp_path / "s.zarr"
    message = "--shards needs Zarr V3, and the target is Zarr V2; add --zarr-format 3"
    made = run("gen", "-", "-o", target, "--shards", "time/4", stdin=CDL)
    assert (made.code, message in made.stderr) == (2, True)
    made = run("copy", plain, target, "--zarr-format", "2", "--shards", "time/4")
    assert (made.code, message in made.stderr) == (2, True)
    assert not target.exists()
    assert run("copy", plain, target, "--zarr-format", "2", "--shards", "none", "-q").code == 0


def test_a_copy_keeps_shards_unless_they_are_removed(run: Run, plain, tmp_path):
    sharded, same, without = (tmp_path / f"{name}.zarr" for name in ("sharded", "same", "without"))
    assert run("copy", plain, sharded, "--shards", "v:4,6").code == 0
    assert run("copy", sharded, same).code == 0
    assert objects(same) == objects(sharded)
    assert document(same) == document(sharded)
    assert run("copy", sharded, without, "--shards", "none", "--verify").code == 0
    assert shapes(without) == ([2, 3], None)


def test_the_plan_shows_shards(run: Run, plain, tmp_path):
    target = tmp_path / "s.zarr"
    ran = run("copy", "--dry-run", plain, target, "--shards", "v:4,6")
    row = next(line for line in ran.text.splitlines() if line.startswith("/v"))
    assert " ".join(row.split()) == "/v rechunk 6 2x3 gzip 2x3 gzip in shards of 4x6"
    assert "change: chunks are stored in shards of 4x6 (/v)" in ran.text
    plan = json.loads(run("copy", "--dry-run", "--json", plain, target, "--shards", "v:4,6").text)
    v = next(variable for variable in plan["variables"] if variable["name"] == "/v")
    assert (v["chunk_shape"], v["shard_shape"]) == ([2, 3], [4, 6])
    assert v["codecs"] == [{"id": "gzip", "level": 1}]
    assert plan["changes"] == [
        {"message": "chunks are stored in shards of 4x6 (/v)", "requested": True}
    ]
    assert all("shard_shape" not in v for v in plan["variables"] if v["name"] != "/v")


def test_cdl_says_which_shards_there_are(run: Run, plain, tmp_path):
    sharded, again = tmp_path / "sharded.zarr", tmp_path / "again.zarr"
    assert run("copy", plain, sharded, "--shards", "v:4,6").code == 0
    text = run("dump", "-s", sharded)
    assert "\t\tv:_ShardSizes = 4, 6 ;" in text.text
    assert "name:_ShardSizes" not in text.text
    made = run("gen", "-", "-o", again, *V3, "-q", stdin=text.stdout)
    assert made.code == 0, made.stderr
    assert shapes(again) == ([4, 6], [2, 3])
    assert objects(again) == objects(sharded)


def test_zarr_v2_ignores_the_shards_of_a_text(run: Run, tmp_path):
    text = CDL.replace(b"v:_ChunkSizes = 2, 3 ;", b"v:_ChunkSizes = 2, 3 ; v:_ShardSizes = 4, 6 ;")
    made = run("gen", "-", "-o", tmp_path / "s.zarr", stdin=text)
    assert made.code == 0
    assert "Zarr V2 has no shards, so chunks are stored separately: /v;" in made.stderr


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("4, 5", "_ShardSizes: a shard of 5 is not a whole number of chunks of 3"),
        ("4", "_ShardSizes: 1 size for 2 dimensions"),
        ("-4, 6", "_ShardSizes: a shard size cannot be negative"),
    ],
)
def test_shard_sizes_that_are_not_valid_are_errors(sizes, message, run: Run):
    text = CDL.replace(b"2, 3 ;", f"2, 3 ; v:_ShardSizes = {sizes} ;".encode())
    made = run("gen", "-", "--check", stdin=text)
    assert made.code == 1
    assert message in made.stderr
    assert made.stderr.startswith("ncz: stdin:3:")


@pytest.fixture
def stores(run: Run, plain, tmp_path) -> list[Path]:
    """The same data in shards, as gen and as copy write them, in NCZarr and in pure Zarr."""
    made = []
    for mode in ("zarr", "nczarr"):
        target = tmp_path / f"gen-{mode}.zarr"
        options = ("--zarr-format", "3", "--mode", mode, "--shards", "time/4,lat/6", "-q")
        assert run("gen", "-", "-o", target, *options, stdin=CDL).code == 0
        again = tmp_path / f"copy-{mode}.zarr"
        assert run("copy", plain, again, *options).code == 0
        made += [target, again]
    return made


def test_zarr_python_and_xarray_read_the_values(stores):
    zarr, xarray = pytest.importorskip("zarr"), pytest.importorskip("xarray")
    for store in stores:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = zarr.open_group(store, mode="r")["v"]
            assert (array.shards, array.chunks) == ((4, 6), (2, 3))
            np.testing.assert_array_equal(array[...], expected())
            with xarray.open_zarr(store, consolidated=False, mask_and_scale=False) as seen:
                np.testing.assert_array_equal(seen["v"].values, expected())
                assert seen["name"].values.tolist() == [f"n{i}" for i in range(ROWS)]


def test_tensorstore_reads_the_values(stores):
    if (reason := absent("tensorstore")) is not None:
        pytest.skip(reason)
    for answer in ask("tensorstore", [Request(store, 3) for store in stores]):
        np.testing.assert_array_equal(from_json(answer["arrays"]["/v"]), expected())


def test_the_python_api_takes_shards(plain, tmp_path):
    ncz.copy(plain, tmp_path / "s.zarr", shards=["time/4,lat/6"], notify=ignore_notice)
    assert shapes(tmp_path / "s.zarr") == ([4, 6], [2, 3])


@given(
    lengths=st.lists(st.tuples(st.integers(0, 200), st.integers(1, 40)), min_size=1, max_size=4),
    most=st.integers(1, 10**6),
)
def test_shards_of_a_size_hold_whole_chunks_and_no_more_values(lengths, most):
    shape, chunks = zip(*lengths, strict=True)
    shards = largest_shards(shape, chunks, most)
    assert not any(shard % chunk for shard, chunk in zip(shards, chunks, strict=True))
    assert math.prod(shards) <= most or shards == chunks
    for length, shard, chunk in zip(shape, shards, chunks, strict=True):
        assert shard <= max(chunk, -(-length // chunk) * chunk)
    # Another chunk along the axis where shards end would be too much, or need as many shards.
    ends = [a for a in range(len(shape)) if shards[a] < -(-shape[a] // chunks[a]) * chunks[a]]
    if ends:
        axis = ends[-1]
        longer = math.prod(shards) // shards[axis] * (shards[axis] + chunks[axis])
        pieces = -(-shape[axis] // shards[axis])
        fewer = -(-shape[axis] // (shards[axis] + chunks[axis]))
        assert longer > most or fewer == pieces


@pytest.mark.parametrize(
    ("size", "shards"), [("100B", [2, 9]), ("300B", [6, 9]), ("auto", [10, 9])]
)
def test_shards_by_size(run: Run, plain: Path, tmp_path: Path, size, shards):
    target = tmp_path / "sharded.zarr"
    result = run("copy", plain, target, "--shards", size, "--allow-loss", "-q")
    assert result.code == 0, result.stderr
    assert plain_text(run, target).replace(b"sharded", b"plain").count(b"_ShardSizes") >= 1
    grid = document(target)["chunk_grid"]["configuration"]["chunk_shape"]
    values = ncz.open(target)["v"][...]
    assert np.array_equal(np.ma.filled(values, -1), expected())
    assert math.prod(grid) * 4 <= {"100B": 100, "300B": 300, "auto": 10**8}[size]
    assert grid == shards
    assert "sharding_indexed" not in str(document(target, "lat"))


def test_a_size_that_no_chunk_fits_leaves_chunks(run: Run, plain: Path, tmp_path: Path):
    target = tmp_path / "same.zarr"
    assert run("copy", plain, target, "--shards", "8B", "--allow-loss", "-q").code == 0
    assert "sharding_indexed" not in str(document(target))
