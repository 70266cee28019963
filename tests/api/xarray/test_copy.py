"""`ncz.copy` of objects of xarray: the same data as xarray writes, in bounded memory."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from tests.sampled import sampled

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
da = pytest.importorskip("dask.array", reason="dask is not installed (make setup)")

MB = 1 << 20
DAYS = np.arange("2000-01-01", "2000-01-07", dtype="M8[D]").astype("M8[ns]")


def variable(data, attrs=None, **encoding):
    made = xr.Variable(("x",)[: np.ndim(data)], data, attrs)
    made.encoding = encoding
    return made


NUMBERS = np.array([1, 2, 3, 100, 5, 0])
GAPS = np.array([1, np.nan, 3, 4, 5.5, 6])

DTYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")

VARIABLES = {
    **{dtype: variable(NUMBERS.astype(dtype)) for dtype in DTYPES},
    "big-endian": variable(NUMBERS.astype(">f4")),
    "gaps": variable(GAPS),
    "packed": variable(GAPS, dtype="i2", scale_factor=0.5, add_offset=1.0, _FillValue=-99),
    "unsigned": variable(
        np.array([1, np.nan, 3, 4, 5, 254], "f4"),
        dtype="i1",
        _Unsigned="true",
        _FillValue=np.int8(-1),
    ),
    "missing_value": variable(GAPS, missing_value=-9.0),
    "no mask": variable(NUMBERS * 1.0, _FillValue=None),
    "times": variable(DAYS),
    "units": variable(
        DAYS, units="hours since 1900-01-01", calendar="proleptic_gregorian", dtype="f8"
    ),
    "no time": variable(np.array(["2000-01-01", "NaT"] * 3, "M8[ns]")),
    "durations": variable(np.arange(6).astype("m8[h]").astype("m8[ns]")),
    "calendar": variable(
        xr.date_range("2000-02-27", periods=6, calendar="noleap", use_cftime=True).values
    ),
    "text": variable(np.array(["a", "bé", "", "d", "e", "f"])),
    "objects": variable(np.array(["a", "bé", "", "d", "e", "f"], object)),
    "bytes": variable(np.array([b"a", b"abc", b"", b"d", b"e", b"f"])),
    "chars": variable(np.array(["a", "bé", "", "d", "e", "f"]), dtype="S1", char_dim_name="n"),
    "booleans": variable(NUMBERS > 2),
    "scalar": variable(np.float32(3)),
    "scalar text": variable(np.array("hello")),
    "empty": variable(np.zeros(0)),
    "attributes": variable(
        NUMBERS,
        {
            "f": 1.5, "fl": [1.0, 2.0], "s": "é", "e": "", "ls": ["a", "b"], "n": np.int16(3),
            "u": np.array([1, 2], "u1"), "one": ["a"],
        },
    ),
    "codecs": variable(
        NUMBERS * 1.0, chunksizes=(2,), zlib=True, complevel=3, shuffle=True, fletcher32=True
    ),
}  # fmt: skip

TEXTS = {"text", "scalar text", "bytes", "chars"}
"""Variables that pure Zarr of xarray stores as texts of a fixed length, and ncz as netCDF does."""


def read(path, engine, **options):
    with xr.open_dataset(path, engine=engine, **options) as opened:
        return opened.load()


@pytest.mark.parametrize("name", sampled(VARIABLES, 3))
@pytest.mark.filterwarnings("ignore::xarray.SerializationWarning", "ignore::ncz.NczWarning")
def test_a_file_contains_the_same_as_xarray_s(name, tmp_path):
    ds = xr.Dataset({"v": VARIABLES[name]})
    ncz.copy(ds, tmp_path / "ours.nc", verify=True)
    ds.to_netcdf(tmp_path / "theirs.nc", engine="netcdf4")
    for options in ({}, {"decode_cf": False}):
        ours, theirs = (
            read(tmp_path / f"{who}.nc", "netcdf4", **options) for who in ("ours", "theirs")
        )
        xr.testing.assert_identical(ours, theirs)
        assert ours.v.dtype == theirs.v.dtype
    for key in ("zlib", "complevel", "shuffle", "fletcher32"):
        assert ours.v.encoding.get(key) == theirs.v.encoding.get(key)
    if name != "no time":
        xr.testing.assert_identical(read(tmp_path / "ours.nc", "ncz"), ds)


@pytest.mark.parametrize("name", sampled(VARIABLES, 3))
@pytest.mark.filterwarnings("ignore::xarray.SerializationWarning", "ignore::ncz.NczWarning")
def test_a_store_contains_the_same_as_xarray_s(name, tmp_path):
    ds = xr.Dataset({"v": VARIABLES[name]})
    ncz.copy(ds, tmp_path / "ours.zarr")
    ds.to_zarr(tmp_path / "theirs.zarr", zarr_format=2)
    for options in ({},) if name in TEXTS else ({}, {"decode_cf": False}):
        ours, theirs = (
            read(tmp_path / f"{who}.zarr", "zarr", **options) for who in ("ours", "theirs")
        )
        xr.testing.assert_identical(ours, theirs)
    xr.testing.assert_identical(read(tmp_path / "ours.zarr", "zarr"), ds)


FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "nczarr": ("x.zarr", {"modes": "nczarr"}),
    "v3": ("x.zarr", {"modes": "v3"}),
    "cloud": ("x.zarr", {"cloud": True}),
    "zip": ("x.zip", {"modes": "zip"}),
    "cfa": ("x.nca", {"modes": "cfa"}),
    "cf": ("x.nc", {"modes": "cf"}),
    "netcdf-c": ("x.zarr", {"audience": "netcdf-c"}),
    "cdf5": ("x.nc", {"kind": "cdf5"}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_object_back(form, tmp_path):
    name, options = FORMS[form]
    ds = xr.Dataset(
        {
            "t2m": (("time", "x"), da.arange(24, chunks=5, dtype="f4").reshape(4, 6)),
            "n": (("time",), np.arange(4, dtype="i2"), {"units": "1", "k": np.int16(3)}),
        },
        coords={"time": DAYS[:4], "x": np.arange(6.0), "height": ("x", np.arange(6.0))},
        attrs={"title": "an object", "Conventions": "CF-1.13"},
    )
    ds.encoding["unlimited_dims"] = ["time"]
    summary = ncz.copy(ds, tmp_path / name, verify=True, notify=ignore_notice, **options)
    assert summary.compared
    found = read(tmp_path / name, "ncz")
    xr.testing.assert_identical(found, ds.compute())
    if form in ("nczarr", "cfa", "cf", "cdf5"):
        assert found.encoding["unlimited_dims"] == {"time"}


@given(
    dtype=st.sampled_from(["i1", "u2", "i4", "f4", "f8"]),
    shape=st.lists(st.integers(1, 7), min_size=1, max_size=3),
    data=st.data(),
)
@settings(max_examples=15)
def test_any_chunks_of_dask_become_any_chunks_of_a_store(dtype, shape, data, tmp_path_factory):
    lengths = [st.integers(1, n) for n in shape]
    dask, stored = (data.draw(st.tuples(*lengths)) for _ in range(2))
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    ds = xr.Dataset({"v": (("a", "b", "c")[: len(shape)], da.from_array(values, chunks=dask))})
    ds.v.encoding.update(chunks=stored, _FillValue=values.dtype.type(3), dtype=values.dtype)
    target = tmp_path_factory.mktemp("any") / "x.zarr"
    ncz.copy(ds, target, notify=ignore_notice)
    found = ncz.open(target)["v"]
    assert found.chunks == stored
    assert found.dtype == dtype
    np.testing.assert_array_equal(found[...], values)


CHUNKED = {
    "file": ("a.nc", {"chunksizes": (6, 5)}, "ncz"),
    "file-netcdf4": ("a.nc", {"chunksizes": (6, 5)}, "netcdf4"),
    "store": ("a.zarr", {"chunks": (6, 5)}, "ncz"),
    "store-zarr": ("a.zarr", {"chunks": (6, 5)}, "zarr"),
}
"""A dataset with chunks, the function that writes it, and the engine that reads it."""


@pytest.mark.parametrize("source", CHUNKED)
@pytest.mark.parametrize(
    ("chunk", "of_file", "of_store"),
    [
        ({}, (6, 5), (6, 5)),
        ({"time": 4}, (4, 5), (4, 5)),  # to_zarr raises an error for a store
        ({"time": 12}, (12, 5), (6, 5)),
        ({"time": -1, "x": -1}, (24, 10), (6, 5)),
    ],
)
def test_chunks_of_dask_match_to_zarr(source, chunk, of_file, of_store, tmp_path):
    name, encoding, engine = CHUNKED[source]
    if engine != "ncz":
        pytest.importorskip("netCDF4" if engine == "netcdf4" else "zarr")
    path = tmp_path / name
    seen: list[ncz.Notice] = []
    ds = xr.Dataset({"v": (("time", "x"), np.arange(240.0).reshape(24, 10))})
    ds.v.encoding = encoding
    ncz.copy(ds, path, notify=ignore_notice)
    with xr.open_dataset(path, engine=engine, chunks={}) as opened:
        chunked = opened.chunk(chunk) if chunk else opened
        ncz.copy(chunked, tmp_path / "b.zarr", notify=seen.append)
        is_told = bool(chunk) and of_store == (6, 5) and name == "a.zarr"
        assert ("dask-chunks-ignored" in [each.code for each in seen]) is is_told
        found = ncz.open(tmp_path / "b.zarr")["v"]
        assert found.chunks == (of_file if name == "a.nc" else of_store)
        np.testing.assert_array_equal(found[:], ds.v)
        chunked.v.encoding["chunks"] = (3, 3)
        ncz.copy(chunked, tmp_path / "c.zarr", notify=ignore_notice)
        assert ncz.open(tmp_path / "c.zarr")["v"].chunks == (3, 3)


def counted(shape, chunks, calls):
    def make(block_info=None):
        place = block_info[None]["chunk-location"]
        calls.append(place)
        return np.full(block_info[None]["chunk-shape"], sum(place), "f8")

    return da.map_blocks(make, chunks=da.core.normalize_chunks(chunks, shape), dtype="f8")


@pytest.mark.parametrize("chunks", [None, "t/8,y/64,x/64", "t/32,y/512,x/512"])
def test_dask_computes_each_chunk_once_and_few_at_a_time(chunks, tmp_path):
    calls: list[tuple[int, ...]] = []
    ds = xr.Dataset({"v": (("t", "y", "x"), counted((128, 512, 256), (8, 512, 256), calls))})
    tracemalloc.start()
    ncz.copy(ds, tmp_path / "x.zarr", chunks=chunks or (), notify=ignore_notice)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(calls) == len(set(calls)) == 16
    assert ds.nbytes == 128 * MB
    assert peak < 120 * MB
    if chunks is None:
        assert ncz.open(tmp_path / "x.zarr")["v"].chunks == (8, 512, 256)


def test_a_lazy_file_is_read_in_blocks(tmp_path):
    values = np.zeros((192, 512, 128))
    xr.Dataset({"v": (("t", "y", "x"), values)}).to_netcdf(tmp_path / "big.nc")
    del values
    with xr.open_dataset(tmp_path / "big.nc", cache=False) as ds:
        tracemalloc.start()
        ncz.copy(ds, tmp_path / "x.nc", notify=ignore_notice)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < ds.nbytes  # 96 MB
    assert ncz.diff(tmp_path / "big.nc", tmp_path / "x.nc") == []


def test_a_tree_keeps_its_groups_and_inherited_coordinates(tmp_path):
    root = xr.Dataset({"a": ("x", [1, 2])}, coords={"x": [0.5, 1.5]}, attrs={"title": "root"})
    child = xr.Dataset({"b": (("x", "y"), np.ones((2, 3)))}, coords={"y": [1, 2, 3]})
    tree = xr.DataTree.from_dict({"/": root, "/g": child, "/g/empty": xr.Dataset()})
    for target in ("x.zarr", "x.nc", "x.nca"):
        modes = "cfa" if target == "x.nca" else ()
        ncz.copy(tree, tmp_path / target, modes=modes, notify=ignore_notice)
        with xr.open_datatree(tmp_path / target, engine="ncz") as found:
            xr.testing.assert_identical(found.load(), tree)
    with xr.open_datatree(tmp_path / "x.nc", engine="netcdf4") as found:
        xr.testing.assert_identical(found.load(), tree)
    with xr.open_datatree(tmp_path / "x.zarr", engine="zarr") as found:
        xr.testing.assert_identical(found.load(), tree)
    part = tree["g"]
    ncz.copy(part, tmp_path / "part.zarr", notify=ignore_notice)
    xr.testing.assert_identical(read(tmp_path / "part.zarr", "zarr"), part.to_dataset())


def test_an_array_is_a_dataset_of_its_name(tmp_path):
    array = xr.DataArray([1.0, 2.0], dims="x", name="v")
    ncz.copy(array, tmp_path / "named.zarr", notify=ignore_notice)
    xr.testing.assert_identical(xr.open_dataarray(tmp_path / "named.zarr", engine="zarr"), array)
    array.name = None
    ncz.copy(array, tmp_path / "bare.nc", notify=ignore_notice)
    xr.testing.assert_identical(xr.open_dataarray(tmp_path / "bare.nc"), array)


def test_codecs_and_chunks_of_zarr_stay(tmp_path):
    numcodecs = pytest.importorskip("numcodecs", reason="numcodecs is not installed (make setup)")
    zarr = pytest.importorskip("zarr", reason="zarr is not installed (make setup)")
    values = np.arange(40.0).reshape(8, 5)
    made = xr.Dataset({"v": (("y", "x"), values)})
    for version, codec in (
        (3, zarr.codecs.ZstdCodec(level=7)),
        (3, zarr.codecs.BloscCodec(cname="lz4", clevel=3)),
        (2, numcodecs.Zlib(level=2)),
    ):
        encoding = {"chunks": (4, 5), "compressors": codec}
        source, target = tmp_path / f"{version}.zarr", tmp_path / f"{version}-copy.zarr"
        made.to_zarr(
            source, zarr_format=version, encoding={"v": encoding}, mode="w", consolidated=False
        )
        with xr.open_zarr(source, consolidated=False) as ds:
            ncz.copy(ds, target, modes=f"v{version}", overwrite=True, notify=ignore_notice)
        ours, theirs = ncz.open(target)["v"], ncz.open(source)["v"]
        assert (ours.chunks, ours.codecs) == (theirs.chunks, theirs.codecs)


def test_enums_and_complex_numbers_have_their_types(tmp_path):
    dtype = np.dtype("u1", metadata={"enum": {"cloudy": 0, "clear": 1}, "enum_name": "sky_t"})
    sky = variable(np.array([0, 1, 1], "u1"), dtype=dtype)
    ds = xr.Dataset({"sky": sky, "z": ("x", np.array([1 + 2j, 3, 4j]))})
    ncz.copy(ds, tmp_path / "x.nc", notify=ignore_notice)
    assert ncz.open(tmp_path / "x.nc")["sky"].record.type.members == (("cloudy", 0), ("clear", 1))
    ncz.copy(ds[["sky"]], tmp_path / "sky.nc", notify=ignore_notice)
    assert read(tmp_path / "sky.nc", "netcdf4").sky.encoding["dtype"].metadata["enum"] == {
        "cloudy": 0, "clear": 1,
    }  # fmt: skip
    ncz.copy(ds, tmp_path / "x.zarr", notify=ignore_notice)
    assert read(tmp_path / "x.zarr", "ncz").z.values.tolist() == [1 + 2j, 3, 4j]
    assert read(tmp_path / "x.zarr", "zarr").z.values.tolist() == [1 + 2j, 3, 4j]


def test_objects_are_appended_in_the_units_of_the_store(tmp_path):
    def part(days):
        return xr.Dataset({"v": ("time", np.arange(3.0))}, coords={"time": days})

    target = tmp_path / "x.zarr"
    first = part(DAYS[:3])
    first.time.encoding.update(units="hours since 1990-01-01", dtype="f8")
    first.v.encoding.update(scale_factor=0.5, dtype="i2", _FillValue=-1)
    ncz.copy(first, target, notify=ignore_notice)
    ncz.copy(part(DAYS[3:]), target, append="time", verify=True, notify=ignore_notice)
    found = read(target, "ncz")
    assert found.time.values.tolist() == DAYS.tolist()
    assert found.v.values.tolist() == [0, 1, 2, 0, 1, 2]
    assert ncz.open(target)["v"].dtype == "i2"


def test_objects_are_joined_merged_and_selected(tmp_path):
    days = [xr.Dataset({"v": ("time", [i])}, coords={"time": DAYS[i : i + 1]}) for i in range(3)]
    ncz.copy(days, tmp_path / "x.nc", concat="time", notify=ignore_notice)
    assert read(tmp_path / "x.nc", "netcdf4").v.values.tolist() == [0, 1, 2]
    ncz.copy(days[0], tmp_path / "y.zarr", vars="v", isel={"time": 0}, notify=ignore_notice)
    assert ncz.diff(days[0], tmp_path / "y.zarr", data_only=True) == []
    assert ncz.diff(days[1], tmp_path / "y.zarr", data_only=True) != []


def test_an_open_dataset_is_a_source_too(tmp_path):
    ncz.copy(xr.Dataset({"v": ("x", [1, 2, 3])}), tmp_path / "x.nc", notify=ignore_notice)
    with ncz.open(tmp_path / "x.nc") as ds:
        ncz.copy(ds.isel(x=slice(1, 3)), tmp_path / "y.zarr", notify=ignore_notice)
    assert ncz.read(tmp_path / "y.zarr", "v").tolist() == [2, 3]


def test_a_source_replaces_itself_completely_or_not_at_all(tmp_path):
    target = tmp_path / "x.zarr"
    xr.Dataset({"v": ("x", np.arange(6.0))}).to_zarr(target, zarr_format=2)
    with xr.open_zarr(target) as ds:
        ncz.copy(ds * 2, target, overwrite=True, notify=ignore_notice)
    assert ncz.read(target, "v").tolist() == [0, 2, 4, 6, 8, 10]

    def fail(block):
        if block[0]:
            raise RuntimeError("the last chunk fails")
        return block

    broken = xr.Dataset({"v": ("x", da.arange(6, chunks=3).map_blocks(fail, dtype="f8"))})
    with pytest.raises(RuntimeError, match="the last chunk fails"):
        ncz.copy(broken, target, overwrite=True, notify=ignore_notice)
    assert ncz.read(target, "v").tolist() == [0, 2, 4, 6, 8, 10]
    assert [path.name for path in tmp_path.iterdir()] == ["x.zarr"]


REFUSED = {
    "of type Dataset|of type list|type dict": xr.Dataset(
        {"v": ("x", np.array([{"a": 1}, None], object))}
    ),
    "name of a variable must be a text": xr.Dataset({1: ("x", [1])}),
    "values of the dtype .* cannot be stored": xr.Dataset(
        {"v": ("x", np.zeros(2, [("a", "f4"), ("b", "i2")]))}
    ),
    "value of the attribute a cannot be stored": xr.Dataset(attrs={"a": object()}),
    "is a MultiIndex": xr.Dataset(coords={"y": [1], "x": [2]}).stack(z=("x", "y")),
    "_FillValue .* is not a value of its type": xr.Dataset(
        {"v": ("x", np.array([1], "i1"), {"_FillValue": 1000})}
    ),
    "is not text": xr.Dataset(
        {"v": ("x", da.from_array(np.array(["a", 1], object), chunks=1))}
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_values_that_cannot_be_written_are_refused_in_one_line(message, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ncz.NczError, match=message) as refused:
            ncz.copy(REFUSED[message], tmp_path / "x.zarr")
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_an_object_has_no_place_that_another_process_could_read(tmp_path):
    ds = xr.Dataset({"v": ("x", [1])})
    with pytest.raises(ncz.NczError, match="resume=True needs a path or a URL"):
        ncz.copy(ds, tmp_path / "x.zarr", resume=True)
    with pytest.raises(TypeError, match="not int"):
        ncz.copy(3, tmp_path / "x.zarr")


@pytest.mark.parametrize(
    ("values", "encoding"),
    [
        ([1.0, 40000.0], {"dtype": "i2", "_FillValue": -1}),
        ([1.0, np.nan, 1e9], {"dtype": "i2", "scale_factor": 0.01, "_FillValue": -999}),
        ([0.0, -1.0], {"dtype": "u1", "_FillValue": 255}),
        ([0, 300], {"dtype": "i1"}),
        ([0.0, 300.0], {"dtype": "i1", "_Unsigned": "true", "_FillValue": -1}),
    ],
)
def test_numbers_beyond_the_encoding_are_an_error(values, encoding, tmp_path):
    ds = xr.Dataset({"v": ("x", np.array(values))})
    ds.v.encoding.update(encoding)
    with pytest.raises(ncz.NczError, match=r"/v: the value .* cannot be encoded as"):
        ncz.copy(ds, tmp_path / "a.zarr", notify=ignore_notice)
    assert not (tmp_path / "a.zarr").exists()


def test_numbers_beyond_the_packing_of_a_store_are_not_appended(tmp_path):
    ds = xr.Dataset({"v": ("x", np.array([1.0, 2.0]))}, {"x": [0, 1]})
    ds.v.encoding.update(dtype="i2", scale_factor=0.01, _FillValue=-999)
    ncz.copy(ds, tmp_path / "a.zarr", notify=ignore_notice)
    new = xr.Dataset({"v": ("x", np.array([3.0, 1e9]))}, {"x": [2, 3]})
    with pytest.raises(ncz.NczError, match="/v: the value 1e"):
        ncz.copy(new, tmp_path / "a.zarr", append="x", notify=ignore_notice)
    assert ncz.open(tmp_path / "a.zarr")["v"].shape == (2,)
