"""The form of a copy of a file by default, and with --cloud."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.commands.copy.options import PROGRAM_MEMORY
from ncz.errors import ignore_notice
from ncz.parallel.memory import LEAST_MEMORY

pytestmark = pytest.mark.filterwarnings("ignore:Engine 'ncz' loading failed:RuntimeWarning")
BLOSC = {"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 1, "blocksize": 0}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    netCDF4 = pytest.importorskip("netCDF4", reason="the peer netCDF4 is not installed")
    path = tmp_path_factory.mktemp("files") / "a.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 4)
        file.createDimension("letters", 5)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "days since 2000-01-01"
        time[:] = np.arange(6)
        packed = file.createVariable(
            "packed", "i2", ("time", "x"), fill_value=-9, zlib=True, chunksizes=(2, 4)
        )
        packed.scale_factor = np.float32(0.5)
        packed.valid_range = np.array([0, 90], "i2")
        packed[:] = np.arange(24).reshape(6, 4)
        name = file.createVariable("name", "S1", ("x", "letters"))
        name[:] = netCDF4.stringtochar(np.array(["ab", "cd", "e", "fghij"], "S5"))
        texts = file.createVariable("texts", str, ("x",))
        texts[:] = np.array(["a", "b\xe9", "c", "d"], object)
        file.createVariable("crs", "i4", ()).grid_mapping_name = "latitude_longitude"
        file.createVariable("w", "f8", ("x",))[:] = 1.5
        file.setncattr_string("words", ["a", "b"])
        group = file.createGroup("g")
        group.createDimension("y", 2)
        group.createVariable("q", "f4", ("time", "y"))[:] = 1
    return path


def test_xarray_shows_a_copy_as_it_shows_the_file(source, tmp_path):
    xarray = pytest.importorskip("xarray", reason="the peer xarray is not installed")
    pytest.importorskip("zarr", reason="the peer zarr is not installed")
    store = tmp_path / "a.zarr"
    ncz.copy(source, store, verify=True)  # a notice would be an error
    for decoded in (True, False):
        with (
            xarray.open_dataset(source, decode_cf=decoded) as ours,
            xarray.open_zarr(store, decode_cf=decoded) as theirs,
        ):
            xarray.testing.assert_identical(ours.load(), theirs.load())
            theirs.to_netcdf(tmp_path / f"{decoded}.nc")
    with (
        xarray.open_datatree(source) as tree,
        xarray.open_datatree(store, engine="zarr") as other,
    ):
        xarray.testing.assert_identical(tree.load(), other.load())


def test_packed_data_that_xarray_shows_as_double_are_named(tmp_path):
    xarray = pytest.importorskip("xarray", reason="the peer xarray is not installed")
    pytest.importorskip("zarr", reason="the peer zarr is not installed")
    text = b"""netcdf p { dimensions: x = 3 ; variables:
      short v(x) ; v:scale_factor = 0.01f ; short exact(x) ; exact:scale_factor = 0.25f ;
      short w(x) ; w:scale_factor = 0.01 ; float f(x) ; f:scale_factor = 0.1f ;
      byte o(x) ; o:add_offset = 0.1f ; int i(x) ; i:scale_factor = 0.5f ;
      short k(x) ; k:scale_factor = 0.01f ; k:add_offset = 0.1f ;
      int j(x) ; j:scale_factor = 0.01f ; j:add_offset = 0.1f ;
      short q(x) ; q:scale_factor = Infinityf ;
    data: v = 1, 999, 12345 ; exact = 1, 2, 3 ; w = 1, 2, 3 ; f = 1, 2, 3 ; o = 1, 2, 3 ;
      i = 1, 2, 33554433 ; k = 1, 999, 12345 ; j = 1, 2, 33554433 ; q = 1, 2, 3 ; }"""
    source = tmp_path / "p.nc"
    ncz.gen(io.BytesIO(text), source)
    targets: dict[str, dict[str, Any]] = {
        "p.zarr": {},
        "c.zarr": {"cloud": True},
        "p.json": {},
        "n.zarr": {"modes": ["nczarr"]},
    }
    for target, options in targets.items():
        told: list[ncz.Notice] = []
        ncz.copy(source, tmp_path / target, notify=told.append, **options)
        found = [n.message for n in told if n.code == "packed-as-double"]
        assert [m.partition(": ")[2] for m in found] == ["/v, /f, /i, /k"]
    ncz.copy(source, tmp_path / "x.zarr", audience=["gdal"])
    ncz.copy(tmp_path / "p.zarr", tmp_path / "y.zarr")
    with xarray.open_dataset(source) as ours, xarray.open_zarr(tmp_path / "p.zarr") as theirs:
        same = {name for name in ours if ours[name].identical(theirs[name])}
    assert set(ours) - same == {"v", "f", "i", "k"}


def test_xarray_shows_the_groups_of_a_zip_file_as_it_shows_the_file(source, tmp_path):
    xarray = pytest.importorskip("xarray", reason="the peer xarray is not installed")
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    ncz.copy(source, tmp_path / "a.zip")
    store = zarr.storage.ZipStore(tmp_path / "a.zip", mode="r")
    with (
        xarray.open_datatree(source) as tree,
        xarray.open_datatree(store, engine="zarr") as other,
    ):
        xarray.testing.assert_identical(tree.load(), other.load())


@pytest.mark.parametrize("name", ["a.zarr", "a.zip", "a.json", "a.parquet"])
def test_everything_comes_back(source, tmp_path, name):
    if name == "a.parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    store, back = tmp_path / name, tmp_path / "back" / "a.nc"
    back.parent.mkdir()
    ncz.copy(source, store, notify=ignore_notice)
    url = f"{store}#reference.allow_target={source}" if name[-3:] not in ("arr", "zip") else store
    assert not ncz.diff(source, url, notify=ignore_notice)
    ncz.copy(url, back, notify=ignore_notice)
    assert ncz.dump(back) == ncz.dump(source)


def test_chunks_move_unchanged(source, tmp_path):
    ncz.copy(source, tmp_path / "a.zarr")
    document = json.loads((tmp_path / "a.zarr/packed/.zarray").read_text())
    assert document["chunks"] == [2, 4]
    assert [f["id"] for f in (*document["filters"], document["compressor"])] == ["shuffle", "zlib"]
    assert "nczarr" in json.loads((tmp_path / "a.zarr/.zmetadata").read_text())


@pytest.fixture(scope="module")
def contiguous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import h5py

    path: Path = tmp_path_factory.mktemp("files") / "c.nc"
    with h5py.File(path, "w") as file:
        file["v"] = np.zeros((10, 1000, 1000), "f4")
        file["small"] = np.arange(3)
    return path


def test_contiguous_variables_are_divided_and_compressed(contiguous, tmp_path):
    ncz.copy(contiguous, tmp_path / "c.zarr", memory=200 << 20)
    found = {
        name: json.loads((tmp_path / "c.zarr" / name / ".zarray").read_text())
        for name in ("v", "small")
    }
    assert found["v"]["chunks"] == [4, 1000, 1000]
    assert found["v"]["compressor"] == BLOSC
    assert (found["small"]["chunks"], found["small"]["compressor"]) == ([3], None)


def test_explicit_codecs_and_modes_are_kept(contiguous, tmp_path):
    ncz.copy(contiguous, tmp_path / "a.zarr", codecs=["none"])
    assert json.loads((tmp_path / "a.zarr/v/.zarray").read_text())["compressor"] is None
    ncz.copy(contiguous, tmp_path / "b.zarr", modes=["nczarr"])
    assert "_nczarr_superblock" in json.loads((tmp_path / "b.zarr/.zattrs").read_text())
    assert not (tmp_path / "b.zarr/.zmetadata").exists()


def test_cloud(contiguous, tmp_path):
    ncz.copy(contiguous, tmp_path / "c.zarr", cloud=True)
    root = json.loads((tmp_path / "c.zarr/zarr.json").read_text())["consolidated_metadata"]
    assert root["nczarr"]["version"] == 1
    document = root["metadata"]["v"]
    (shape,) = document["chunk_grid"]["configuration"].values()
    assert 8_000_000 <= 4 * np.prod(shape) <= 16_000_000
    assert [codec["name"] for codec in document["codecs"]] == ["bytes", "blosc"]
    (small,) = root["metadata"]["small"]["chunk_grid"]["configuration"].values()
    assert small == [3]


TEXTS = b"""netcdf t { dimensions: n = 3 ; variables:
  string s(n) ; s:_FillValue = "-" ; string both(n) ; both:_FillValue = "-" ;
  string both:missing_value = "-" ; char c(n) ; c:long_name = "c" ; c:_FillValue = "x" ;
data: s = "a", "-", "b" ; both = "-", "a", "b" ; c = "axc" ; }"""


def test_masks_of_texts_in_a_copy_for_the_cloud(tmp_path):
    xarray = pytest.importorskip("xarray", reason="the peer xarray is not installed")
    pytest.importorskip("zarr", reason="the peer zarr is not installed")
    source, store, again = (tmp_path / name for name in ("t.nc", "t.zarr", "again.zarr"))
    ncz.gen(io.BytesIO(TEXTS), source)
    told: list[ncz.Notice] = []
    ncz.copy(source, store, cloud=True, notify=told.append)
    assert [n.code for n in told if "xarray" in n.message] == ["mask-left-out"]
    with (
        xarray.open_dataset(source, engine="netcdf4") as ours,
        xarray.open_zarr(store) as theirs,
    ):
        for name in ("s", "both"):
            xarray.testing.assert_identical(ours[name].load(), theirs[name].load())
        assert theirs["c"].values.tolist() == [b"a", b"x", b"c"]
    assert not ncz.diff(source, store)
    (tmp_path / "back").mkdir()
    ncz.copy(store, tmp_path / "back" / "t.nc", notify=ignore_notice)
    assert ncz.dump(tmp_path / "back" / "t.nc") == ncz.dump(source)
    ncz.copy(store, again, notify=ignore_notice)
    for path in ("zarr.json", "s/zarr.json", "both/zarr.json", "c/zarr.json"):
        assert (again / path).read_bytes() == (store / path).read_bytes()
    ncz.consolidate(store)
    assert (again / "zarr.json").read_bytes() == (store / "zarr.json").read_bytes()
    assert "masked" not in str(ncz.check(store, audience="xarray"))


def test_a_mask_of_text_that_another_program_changed(tmp_path):
    store = tmp_path / "t.zarr"
    ncz.gen(io.BytesIO(TEXTS), f"{store}#mode=zarr,v3,consolidated", notify=ignore_notice)
    document = json.loads((store / "s/zarr.json").read_text())
    assert document["attributes"] == {"missing_value": "-"}
    document["attributes"]["missing_value"] = "b"
    (store / "s/zarr.json").write_text(json.dumps(document))
    with ncz.open(store, notify=ignore_notice) as dataset:
        assert dict(dataset["s"].attrs) == {"missing_value": "b"}
        assert dict(dataset["c"].attrs) == {"long_name": "c", "_FillValue": "x"}


def sparse(path: Path, kind: str, shape: tuple[int, int, int]) -> None:
    """Write a file that takes no space, with a contiguous variable of zeros."""
    if kind == "hdf5":
        import h5py

        created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        created.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        created.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        with h5py.File(path, "w") as file:
            space = h5py.h5s.create_simple(shape)
            h5py.h5d.create(file.id, b"v", h5py.h5t.IEEE_F32LE, space, created)
        return
    netCDF4 = pytest.importorskip("netCDF4", reason="the peer netCDF4 is not installed")
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        file.set_fill_off()
        for name, length in zip("tyx", shape, strict=True):
            file.createDimension(name, length)
        file.createVariable("v", "f4", ("t", "y", "x"))[-1, -1, -1] = 0


@pytest.mark.parametrize("kind", ["hdf5", "classic"])
def test_memory_is_bounded_and_the_estimate_is_right_within_a_quarter(tmp_path, kind, monkeypatch):
    sparse(tmp_path / "s.nc", kind, (24, 1000, 1000))
    told: list[ncz.Notice] = []

    def peak(target: str, **options: Any) -> int:
        tracemalloc.start()
        try:
            ncz.copy(tmp_path / "s.nc", tmp_path / target, notify=told.append, **options)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    monkeypatch.setattr("ncz.parallel.memory.free_memory", lambda: None)
    assert peak("s.zarr") < LEAST_MEMORY - PROGRAM_MEMORY
    document = json.loads((tmp_path / "s.zarr/v/.zarray").read_text())
    assert (document["chunks"], document["compressor"]) == ([4, 1000, 1000], BLOSC)
    assert told == []
    peak("zeros.zarr", chunks=["v:24,1000,1000"])
    assert told == []  # they take hardly more than one chunk
    noise = np.random.default_rng(0).integers(0, 2**32, 24_000_000, dtype="u4")
    (tmp_path / "s.nc").unlink()
    one_chunk(tmp_path / "s.nc", "contiguous" if kind == "hdf5" else kind, noise)
    used = peak("large.zarr", chunks=["v:24000000"])
    (notice,) = told
    found = re.search(r"needs (\d+) MiB", notice.message)
    assert found is not None
    assert 0.75 < (int(found[1]) << 20) / used < 1.25


def test_peak_memory_stays_below_the_plan(tmp_path):
    """A separate process plans a copy of 100 MB through a spill file, and makes it."""
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    group = zarr.create_group(tmp_path / "a.zarr", zarr_format=2)
    array = group.create_array("v", shape=(50, 700, 720), chunks=(1, 700, 720), dtype="f4")
    for n in range(50):
        array[n] = np.full((700, 720), n, "f4")
    program = (
        "import atexit, sys; from ncz.cli import main\n"
        "status = lambda: open('/proc/self/status').read().partition('VmHWM:')[2]\n"
        "atexit.register(lambda: print(int(status().split()[0]) << 10, file=sys.stderr)); main()"
    )

    def copy(*options: str) -> tuple[str, int]:
        command = [sys.executable, "-c", program, "copy", "a.zarr", "b.zarr", *options]
        command += ["-c", "v:50,70,72", "--memory", "160MiB"]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return ran.stdout, int(ran.stderr.splitlines()[-1])

    plan = json.loads(copy("--dry-run", "--json")[0])
    (variable,) = plan["variables"]
    assert (variable["reads"], plan["memory_bytes"]) == (1, 160 << 20)
    assert variable["temporary_bytes"] > 50 << 20
    assert "memory: limited to 168 MB" in copy("--dry-run")[0]
    assert copy()[1] < plan["memory_bytes"]
    assert (zarr.open(tmp_path / "b.zarr")["v"][:] == array[:]).all()


ZLIB = "shuffle+zlib:4"


def one_chunk(path: Path, kind: str, values: Any) -> None:
    """Write values in one chunk, or as in a file without chunks."""
    if kind == "classic":
        netCDF4 = pytest.importorskip("netCDF4", reason="the peer netCDF4 is not installed")
        with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
            file.createDimension("x", values.size)
            file.createVariable("v", "u4", ("x",))[:] = values
        return
    if kind == "contiguous":
        import h5py

        with h5py.File(path, "w") as file:
            file["v"] = values
        return
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    numcodecs = pytest.importorskip("numcodecs", reason="the peer numcodecs is not installed")
    if kind == "shard":
        form = {"chunks": (values.size // 20,), "shards": values.shape}
    else:
        filters = [numcodecs.Shuffle(4) for _ in range("shuffle" in kind)]
        compressor = numcodecs.Zlib(1) if "zlib" in kind else None
        form = {"chunks": values.shape, "filters": filters, "compressors": compressor}
    group = zarr.create_group(path, zarr_format=3 if kind == "shard" else 2)
    group.create_array("v", shape=values.shape, dtype="u4", **form)[:] = values


def whole(count: int, codec: str) -> dict[str, Any]:
    return {"chunks": [f"v:{count}"], "codecs": [codec]}


def sharded(count: int, codec: str) -> dict[str, Any]:
    form = {"modes": ["zarr", "v3"], "shards": [f"v:{count}"]}
    return {"chunks": [f"v:{count // 20}"], "codecs": [codec], **form}


def smaller(count: int, codec: str) -> dict[str, Any]:
    return {"chunks": [f"v:{count // 100}"], "codecs": [codec]}


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "form", "codec"),
    [
        *((kind, whole, codec) for kind in ("zlib", "shuffle+zlib") for codec in ("zstd:3", ZLIB)),
        *((kind, whole, "zstd:3") for kind in ("classic", "contiguous", "none", "shard")),
        *((kind, sharded, "zstd:3") for kind in ("contiguous", "zlib", "shard")),
        ("classic", whole, ZLIB), ("shuffle+zlib", smaller, ZLIB), ("none", smaller, "zstd:3"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("compresses", [True, False])
def test_memory_to_copy_a_chunk_is_right_within_a_quarter(tmp_path, compresses, kind, form, codec):
    """Each copy is a separate process, whose peak the system reports."""
    count = 25_000_000
    bits = np.random.default_rng(0).integers(0, 2**32, count, dtype="u4")
    large = np.repeat(bits[: count // 1000], 1000) if compresses else bits
    for name, values in (("small", bits[:1000]), ("large", large)):
        one_chunk(tmp_path / name, kind, values)
    program = (
        "import json, sys, ncz; ncz.copy(*sys.argv[1:3], notify=lambda _: None, threads=2,"
        " memory=int(sys.argv[3]), **json.loads(sys.argv[4]))\n"
        "status = open('/proc/self/status').read()\n"
        "print(int(status.partition('VmHWM:')[2].split()[0]) << 10)"
    )

    def peak(name: str, count: int, memory: int) -> int:
        command = [sys.executable, "-c", program, name, f"{name}.zarr", str(memory)]
        command.append(json.dumps(form(count, codec)))
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return int(ran.stdout)

    with pytest.raises(ncz.CodecError, match="copying one chunk needs") as refused:
        ncz.copy(tmp_path / "large", tmp_path / "x", memory=64 << 20, **form(count, codec))
    found = re.search(r"needs (\d+) MiB", str(refused.value))
    assert found is not None
    need = int(found[1]) << 20
    used = peak("large", count, need + PROGRAM_MEMORY + (1 << 20)) - peak("small", 1000, 64 << 20)
    assert 0.75 < need / used < 1.25


def test_storage_classes_stay_in_netcdf4_unless_chunks_or_codecs_are_requested(tmp_path):
    text = """netcdf k { dimensions: x = 3 ; variables: float a(x) ; a:_Storage = "compact" ;
      float b(x) ; b:_Storage = "contiguous" ; float c(x) ; c:_ChunkSizes = 3 ; }"""
    (tmp_path / "k.cdl").write_text(text)
    ncz.gen(tmp_path / "k.cdl", tmp_path / "k.nc", kind="netCDF-4")

    def classes(**options: Any) -> list[str]:
        ncz.copy(tmp_path / "k.nc", tmp_path / "new.nc", overwrite=True, **options)
        text = ncz.dump(tmp_path / "new.nc", special=True)
        return re.findall(r'_Storage = "(\w+)"', text)

    assert classes() == ["compact", "contiguous", "chunked"]
    assert classes(chunks="b:3") == ["compact", "chunked", "chunked"]
    assert classes(chunk_size=1000) == classes(codecs="zlib") == ["chunked"] * 3
