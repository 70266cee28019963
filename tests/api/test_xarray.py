"""The engine "ncz" of xarray: lazy values, encodings, groups, pickles and Dask."""

from __future__ import annotations

import io
import pickle
import tomllib
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")

from ncz.api.xarray import NczBackendEntrypoint as ENGINE  # noqa: E402

PACKED = b"""netcdf packed { dimensions: time = UNLIMITED ; x = 4 ; n = 3 ;
variables: double time(time) ; time:units = "days since 2000-01-01" ;
  short t(time, x) ; t:scale_factor = 0.5 ; t:add_offset = 10. ; t:_FillValue = -1s ;
    t:_ChunkSizes = 1, 2 ; t:_DeflateLevel = 3 ; t:_Shuffle = "true" ;
  string s(x) ; char c(x, n) ; char one(x) ; one:_FillValue = "-" ;
data: time = 0, 31 ; t = 0, 2, -1, 4, 5, 6, 7, 8 ; s = "a", "\xc3\xa9", "", NIL ;
  c = "abc", "d", "ef", "" ; one = "x-yz" ; }"""


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    target = tmp_path_factory.mktemp("xarray") / "packed.zarr"
    ncz.gen(io.BytesIO(PACKED), target, notify=ignore_notice)
    return target


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    target = tmp_path_factory.mktemp("xarray") / "groups.zarr"
    text = b"""netcdf g { dimensions: x = 2 ;
      variables: int v(x) ; :title = "root" ; data: v = 1, 2 ;
      group: a { variables: int w(x) ; data: w = 3, 4 ; group: b { :c = "d" ; } } }"""
    ncz.gen(io.BytesIO(text), target)
    return target


def test_the_entry_point_leads_to_the_engine():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ((name, place),) = project["entry-points"]["xarray.backends"].items()
    found = EntryPoint(name, place, "xarray.backends").load()
    assert name == "ncz"
    assert found is ENGINE
    assert not found().guess_can_open("x.zarr")


def test_values_are_decoded_as_cf_says(packed):
    with xr.open_dataset(packed, engine=ENGINE) as ds:
        np.testing.assert_array_equal(ds.t, [[10, 11, np.nan, 12], [12.5, 13, 13.5, 14]])
        assert ds.time.values.tolist() == np.array(["2000-01-01", "2000-02-01"], "M8[ns]").tolist()
        assert ds.s.values.tolist() == ["a", "é", "", ""]
        assert ds.c.values.tolist() == [b"abc", b"d", b"ef", b""]
        assert ds.c.dims == ("x",)
        assert "t" not in xr.open_dataset(packed, engine=ENGINE, drop_variables="t")


def test_encodings_say_how_values_are_stored(packed):
    with xr.open_dataset(packed, engine=ENGINE) as ds:
        encoding = ds.t.encoding
        assert encoding["dtype"] == np.int16
        assert encoding["chunks"] == encoding["chunksizes"] == (1, 2)
        assert encoding["preferred_chunks"] == {"time": 1, "x": 2}
        assert (encoding["zlib"], encoding["complevel"], encoding["shuffle"]) == (True, 3, True)
        assert encoding["_FillValue"] == -1
        assert encoding["scale_factor"] == 0.5
        assert encoding["original_shape"] == (2, 4)
        assert encoding["source"] == str(packed)
        assert ds.encoding["unlimited_dims"] == {"time"}


def test_values_are_read_when_they_are_needed(packed, tmp_path):
    copy = tmp_path / "damaged.zarr"
    ncz.copy(packed, copy, notify=ignore_notice)
    (copy / "t" / "1.1").write_bytes(b"damaged")
    ds = xr.open_dataset(copy, engine=ENGINE)
    assert ds.t[0].sum() == 33
    assert ds.t[:, :2].shape == (2, 2)
    assert ds.t.isel(x=[1, 0], time=[1]).values.tolist() == [[13, 12.5]]
    assert ds.t.isel(x=xr.DataArray([1, 0], dims="p"), time=xr.DataArray([0, 1], dims="p")).values[
        1
    ] == pytest.approx(12.5)
    with pytest.raises(ncz.CodecError, match=r"/t/1\.1: the chunk cannot be decoded by zlib"):
        ds.t.load()


def test_chunks_match_dask(packed):
    pytest.importorskip("dask", reason="dask is not installed (make setup)")
    ds = xr.open_dataset(packed, engine=ENGINE, chunks={})
    assert ds.t.chunks == ((1, 1), (2, 2))
    assert (
        float(pickle.loads(pickle.dumps(ds)).t.sum(skipna=True).compute(scheduler="threads")) == 86
    )


def test_groups_and_trees(groups):
    with xr.open_dataset(groups, engine=ENGINE, group="/a") as ds:
        assert ds.w.values.tolist() == [3, 4]
    with xr.open_datatree(groups, engine=ENGINE) as tree:
        assert tree.attrs["title"] == "root"
        assert tree["a/w"].values.tolist() == [3, 4]
        assert tree["a/b"].attrs["c"] == "d"
    assert set(xr.open_groups(groups, engine=ENGINE, group="a")) == {"/", "/b"}
    with pytest.raises(KeyError, match="did you mean"):
        xr.open_dataset(groups, engine=ENGINE, group="aa")
    with pytest.raises(ncz.FormatError, match="not a group"):
        xr.open_dataset(groups, engine=ENGINE, group="v")


def test_an_open_dataset_leads_to_xarray(groups):
    ds = ncz.open(groups)
    found = ds["a"].to_xarray(decode_times=False)
    assert found.w.values.tolist() == [3, 4]
    found.close()
    assert ds["v"][0] == 1  # it was open before


def test_closing_closes_the_store(groups):
    ds = xr.open_dataset(groups, engine=ENGINE)
    ds.close()
    with pytest.raises(OSError, match="closed"):
        ds.v.load()


def test_missing_stores(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no\.zarr: no file or store exists at this path"):
        xr.open_dataset(tmp_path / "no.zarr", engine=ENGINE)


@pytest.mark.parametrize("kind", ["netcdf", "zarr"])
def test_a_dataset_can_be_written_again(packed, tmp_path, kind):
    """xarray takes the encodings that ncz fills in."""
    ds = xr.open_dataset(packed, engine=ENGINE)[["t"]].load()
    if kind == "zarr":
        pytest.importorskip("zarr", reason="zarr is not installed (make setup)")
        ds.to_zarr(tmp_path / "w.zarr", zarr_format=2, consolidated=False)
        again = xr.open_dataset(tmp_path / "w.zarr", engine=ENGINE)
        assert again.t.encoding["chunks"] == (1, 2)
    else:
        pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")
        ds.to_netcdf(tmp_path / "w.nc", engine="netcdf4")
        again = xr.open_dataset(tmp_path / "w.nc", engine=ENGINE)
        assert again.t.encoding["complevel"] == 3
    xr.testing.assert_identical(again.load(), ds)


def test_complex_numbers(tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed (make setup)")
    values = np.array([[1 + 2j, complex(np.nan, 3)], [0, -1j]], "c8")
    xr.Dataset({"z": (("y", "x"), values)}).to_zarr(tmp_path / "z.zarr", zarr_format=2)
    assert zarr.open(tmp_path / "z.zarr")["z"].dtype == "c8"
    found = xr.open_dataset(tmp_path / "z.zarr", engine=ENGINE)["z"]
    assert found.dtype == "c8"
    np.testing.assert_array_equal(found[::-1, 1].values, values[::-1, 1])
    np.testing.assert_array_equal(found.values, values)


USER_TYPES = {
    "opaque(3) t": "0X010203",
    "int(*) t": "{1, 2}",
    "compound t { int a ; float b ; }": "{1, 2}",
}


@pytest.mark.parametrize("declared", USER_TYPES)
@pytest.mark.parametrize("target", ["a.zarr#mode=nczarr,v2", "a.zarr#mode=nczarr,v3", "a.nc"])
def test_masks_of_user_defined_types_are_in_the_encoding(declared, target, tmp_path):
    value = USER_TYPES[declared]
    text = (
        f"netcdf a {{ types: {declared} ; dimensions: n = 2 ; variables: t v(n) ;"
        f" t v:_FillValue = {value} ; data: v = {value}, {value} ; }}"
    )
    ncz.gen(io.BytesIO(text.encode()), f"{tmp_path}/{target}", notify=ignore_notice)
    with xr.open_dataset(f"{tmp_path}/{target}", engine="ncz") as dataset:
        first, second = dataset["v"].values.tolist()
        assert repr(first) == repr(second)
        assert "_FillValue" in dataset["v"].encoding
        assert "_FillValue" not in dataset["v"].attrs


def test_texts_of_an_encoding_are_not_decoded_again(tmp_path):
    text = (
        'netcdf a { dimensions: n = 2 ; variables: string v(n) ; v:_Encoding = "utf-8" ;'
        ' int w(n) ; w:_Encoding = "utf-8" ; data: v = "a", "é" ; w = 1, 2 ; }'
    )
    ncz.gen(io.BytesIO(text.encode()), tmp_path / "a.zarr", notify=ignore_notice)
    with xr.open_dataset(tmp_path / "a.zarr", engine="ncz") as dataset:
        assert dataset["v"].values.tolist() == ["a", "é"]
        assert dataset["w"].values.tolist() == [1, 2]
        dataset.load().to_netcdf(tmp_path / "b.nc")


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")
def test_encodings_match_the_engine_zarr(zarr_format, tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed (make setup)")
    ds = xr.Dataset(
        {
            "v": (("y", "x"), np.arange(20.0).reshape(4, 5)),
            "n": ("x", np.arange(5, dtype="i2")),
            "s": ("x", np.array(["a", "b", "c", "d", "é"])),
            "b": ("x", np.array([b"a", b"bb", b"", b"d", b"e"])),
        }
    )
    ds.n.encoding["_FillValue"] = 3
    encoding = {"v": {"chunks": (2, 5), "compressors": None}, "s": {"dtype": "S1"}}
    ds.to_zarr(tmp_path / "x.zarr", zarr_format=zarr_format, encoding=encoding, consolidated=False)
    with zarr.config.set(default_zarr_format=zarr_format):
        ours = xr.open_dataset(tmp_path / "x.zarr", engine=ENGINE)
    theirs = xr.open_dataset(tmp_path / "x.zarr", engine="zarr", consolidated=False)
    for name in ds:
        found, expected = ours[name].encoding, theirs[name].encoding
        for key in ("chunks", "preferred_chunks", "shards", "filters", "compressors"):
            assert (name in "sb" and key == "filters") or found[key] == expected[key], (name, key)
        for key in ("_FillValue", "_Encoding"):
            np.testing.assert_equal(found.get(key), expected.get(key))
        if zarr_format == 3 and name in "vn":
            np.testing.assert_equal(found["fill_value"], expected["fill_value"])
    xr.testing.assert_identical(ours[["v", "n", "s"]], theirs[["v", "n", "s"]])
    ours.to_zarr(tmp_path / "again.zarr", zarr_format=zarr_format, consolidated=False)
    again = xr.open_dataset(tmp_path / "again.zarr", engine="zarr", consolidated=False)
    assert again.v.encoding["compressors"] == theirs.v.encoding["compressors"] == ()
    assert again.n.encoding["compressors"] == theirs.n.encoding["compressors"] != ()


@pytest.mark.parametrize("source_format", [2, 3])
@pytest.mark.parametrize("codec", ["none", "blosc", "shuffle+zlib:4", "zstd:3", "lzma"])
def test_to_zarr_takes_the_encoding_of_every_store(source_format, codec, tmp_path):
    pytest.importorskip("zarr", minversion="3", reason="zarr-python 3 is not installed")
    ds = xr.Dataset({"v": (("y", "x"), np.arange(20.0).reshape(4, 5)), "s": ("x", list("abcdé"))})
    modes = ["zarr", f"v{source_format}"]
    ncz.copy(ds, tmp_path / "a.zarr", modes=modes, codecs=codec, notify=ignore_notice)
    with xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE) as opened:
        opened.to_zarr(tmp_path / "b.zarr", consolidated=False)
    with xr.open_dataset(tmp_path / "b.zarr", engine="zarr", consolidated=False) as written:
        xr.testing.assert_identical(written.load(), ds)


def test_text_is_read_when_it_is_needed(packed, monkeypatch):
    read: list[tuple[str, int]] = []
    whole = ncz.Variable.__getitem__

    def counted(self, index):
        values = whole(self, index)
        read.append((self.name, np.size(values)))
        return values

    monkeypatch.setattr(ncz.Variable, "__getitem__", counted)
    with xr.open_dataset(packed, engine=ENGINE) as ds:
        assert set(read) <= {("s", 1), ("time", 1), ("time", 2)}
        assert ds.s.encoding["chunks"] == (4,)
        assert ds.s[:2].values.tolist() == ["a", "é"]


@pytest.mark.parametrize("group", ["nope", "a/nope", "v"])
def test_a_missing_group_is_an_os_error(groups, group):
    with pytest.raises(FileNotFoundError, match=group) as error:
        xr.open_dataset(groups, engine=ENGINE, group=group)
    assert isinstance(error.value, ncz.NczError)
    assert "\n" not in str(error.value)


UNUSUAL = b"""netcdf u { types: opaque(2) o_t; dimensions: x = 2 ; variables:
  o_t o(x) ; o_t o:_FillValue = 0Xffff ; string t(x) ; t:note = "\xff" ;
  char k(x) ; k:_FillValue = "\xff" ;
  int source(x) ; source:source = "a model" ; :source = "an instrument" ;
data: o = 0x0102, _ ; t = "\xe9", "b" ; k = "a", _ ; source = 1, 2 ; }"""


@pytest.mark.parametrize("name", ["u.zarr", "u.nc"])
def test_opaque_masks_bytes_that_are_not_text_and_names_of_ours(name, tmp_path):
    ncz.gen(io.BytesIO(UNUSUAL), tmp_path / name, notify=ignore_notice)
    with xr.open_dataset(tmp_path / name, engine=ENGINE) as ds:
        assert ds.o.values.tolist() == [b"\x01\x02", b"\xff\xff"]
        assert ds.o.encoding["_FillValue"].item() == b"\xff\xff"
        assert ds.t.values.tolist() == ["é", "b"]
        ds.t.values[0].encode("utf-8")
        assert ds.t.attrs["note"] == "ÿ"
        assert ds.k.values.tolist()[0] == b"a"
        assert ds.source.attrs["source"] == "a model"
    opened = ncz.open(tmp_path / name)
    assert opened.source == "an instrument"
    assert opened["source"].source == "a model"
    assert opened.filepath() == opened["source"].filepath() == str(tmp_path / name)


def test_filters_of_files_have_the_names_of_netcdf4(tmp_path):
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")
    ds = xr.Dataset({"v": (("x", "y"), np.zeros((8, 8)))})
    for compression in ("zlib", "zstd", "bzip2", "blosc_lz4", "szip", None):
        path = tmp_path / f"{compression}.nc"
        encoding = {"compression": compression, "chunksizes": (4, 8), "blosc_shuffle": 1}
        try:
            ds.to_netcdf(path, engine="netcdf4", encoding={"v": encoding})
        except Exception:  # this netCDF4 lacks the filter
            continue
        ours, theirs = (xr.open_dataset(path, engine=e).v.encoding for e in (ENGINE, "netcdf4"))
        for key in ("zlib", "zstd", "bzip2", "blosc", "szip", "shuffle", "complevel"):
            assert ours[key] == theirs[key], (compression, key)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
def test_a_zarr_store_is_written_as_a_file_without_plugins(zarr_format, engine, tmp_path):
    pytest.importorskip("zarr", reason="zarr is not installed (make setup)")
    pytest.importorskip("netCDF4" if engine == "netcdf4" else engine, reason="make setup")
    ds = xr.Dataset({"v": ("x", np.arange(9.0)), "n": ("x", np.arange(9))})
    blosc = {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 3}}
    codec = {"id": "blosc", "cname": "zstd"} if zarr_format == 2 else blosc
    encoding = {"v": {"compressors": codec}}
    ds.to_zarr(tmp_path / "a.zarr", zarr_format=zarr_format, consolidated=False, encoding=encoding)
    with xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE) as opened:
        opened.to_netcdf(tmp_path / "a.nc", engine=engine)
    with xr.open_dataset(tmp_path / "a.nc", engine=engine) as written:
        xr.testing.assert_identical(written.load(), ds)


def test_complex_numbers_of_hdf5_are_complex(tmp_path):
    import h5py

    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["v"] = np.array([1 + 2j, 3])
    with xr.open_dataset(tmp_path / "x.h5", engine=ENGINE) as ds:
        assert ds.v.values.tolist() == [1 + 2j, 3]


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_bytes_of_any_length_stay_bytes(tmp_path, zarr_format):
    zarr = pytest.importorskip("zarr")
    dtypes = pytest.importorskip("zarr.core.dtype")
    values = np.array([b"\xff", b"\xc3\xbf", b"x\x00", b""], object)
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=zarr_format)
    options = {"dimension_names": ("x",)} if zarr_format == 3 else {}
    dtype = dtypes.VariableLengthBytes()
    array = group.create_array("v", shape=4, chunks=4, dtype=dtype, **options)
    array[...] = values
    if zarr_format == 2:
        array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    path = tmp_path / "a.zarr"
    with xr.open_dataset(path, engine="ncz", mask_and_scale=False) as dataset:
        assert dataset["v"].values.tolist() == values.tolist()
    with (
        xr.open_dataset(path, engine="ncz") as found,
        xr.open_dataset(path, engine="zarr", consolidated=False) as expected,
    ):
        xr.testing.assert_identical(found.load(), expected.load())
