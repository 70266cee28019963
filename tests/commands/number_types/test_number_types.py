"""Copies with --unpack, --pack and --type, compared with values of xarray and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from tests.interop.targets import run_ncz

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")

TARGETS = ["b.zarr", "b.nc", "b.zarr#mode=nczarr", "b.zarr#mode=zarr,v3", "b.zip#mode=zarr,zip"]

PACKED = """netcdf p { dimensions: time = 3 ; lat = 2 ;
variables:
  int time(time) ; time:units = "days since 2020-01-01" ;
  double lat(lat) ; lat:units = "degrees_north" ;
  short a(time, lat) ; a:scale_factor = 0.1f ; a:add_offset = 20.f ; a:_FillValue = -99s ;
    a:valid_range = -90s, 300s ; a:long_name = "a" ; a:actual_range = 11.f, 50.f ;
  byte u(lat) ; u:_Unsigned = "true" ; u:scale_factor = 0.5 ; u:valid_max = -1b ;
  short one(lat) ; one:scale_factor = 1. ;
  int whole(lat) ; whole:_FillValue = -1 ;
data: time = 0, 1, 2 ; lat = 10, 20 ; a = 1, -99, 3, 4, 5, 300 ; u = -1, 2 ; one = 7, 8 ;
  whole = -1, 5 ; }"""


@pytest.fixture
def packed(tmp_path):
    (tmp_path / "p.cdl").write_text(PACKED)
    ncz.gen(tmp_path / "p.cdl", tmp_path / "p.nc", notify=ignore_notice)
    return tmp_path / "p.nc"


@pytest.mark.parametrize("target", TARGETS)
def test_unpacked_values_equal_xarray_s(packed, target, tmp_path):
    place = f"{tmp_path}/{target.partition('#')[0]}"
    ncz.copy(packed, f"{tmp_path}/{target}", unpack=True, verify=True, notify=ignore_notice)
    with xr.open_dataset(packed) as theirs, xr.open_dataset(place, engine="ncz") as ours:
        for name in ("a", "u", "one"):
            np.testing.assert_array_equal(ours[name].values, theirs[name].values)
            assert not {"scale_factor", "add_offset", "_Unsigned"} & {*ours[name].encoding}
        assert ours.a.dtype == theirs.a.dtype
        assert ours.a.attrs["valid_range"].tolist() == pytest.approx([11, 50])
        assert ours.u.attrs["valid_max"] == 127.5
    raw = ncz.open(place)
    assert raw["whole"].dtype == "i4"
    assert raw["time"].dtype == "i4"


def test_data_are_packed_and_coordinates_are_not(tmp_path):
    values = np.random.default_rng(1).normal(280, 10, (5, 4))
    values[0, 0] = np.nan
    ds = xr.Dataset(
        {
            "t": (("time", "y"), values, {"valid_min": 0.0}),
            "n": ("y", np.arange(4)),
            "mean": ((), 3.5),
            "err": (("time", "y"), values.astype("f4")),
        },
        {"y": np.linspace(0.5, 2, 4), "height": ("y", np.linspace(2, 3.7, 4)), "time": range(5)},
    )
    ds.t.attrs["ancillary_variables"] = "err"
    ds.to_netcdf(tmp_path / "a.nc")
    notices: list[str] = []
    how: dict[str, Any] = {"notify": lambda notice: notices.append(str(notice))}
    ncz.copy(tmp_path / "a.nc", tmp_path / "b.nc", pack="short", verify=True, **how)
    raw = ncz.open(tmp_path / "b.nc")
    assert {name: str(raw[name].dtype) for name in raw.variables} == {
        "t": "int16", "n": "int64", "mean": "float64", "err": "int16", "y": "float64",
        "height": "float64", "time": "int64",
    }  # fmt: skip
    told = next(notice for notice in notices if notice.startswith("/t is packed as short"))
    bound = float(told.rpartition(" ")[2])
    assert bound < 0.001
    with xr.open_dataset(tmp_path / "b.nc") as packed:
        np.testing.assert_allclose(packed.t.values, values, rtol=0, atol=bound)
        assert packed.t.attrs["valid_min"] == 0.0
        assert np.isnan(packed.t.values[0, 0])


def test_packing_and_unpacking_give_the_packed_numbers_again(packed, tmp_path):
    how: dict[str, Any] = {"notify": ignore_notice, "verify": True}
    ncz.copy(packed, tmp_path / "b.zarr", unpack=True, pack="ushort", **how)
    ncz.copy(tmp_path / "b.zarr", tmp_path / "c.zarr", unpack=True, **how)
    ours, theirs = (xr.open_dataset(p, engine="ncz") for p in (tmp_path / "c.zarr", packed))
    np.testing.assert_allclose(ours.a, theirs.a, rtol=0, atol=40 / 65000)


@pytest.mark.parametrize("pack", ["short:0.01:300", {"t": "int16:0.01:300"}])
def test_data_are_packed_with_given_factors(pack, tmp_path):
    values = np.array([np.nan, 250.004, 339.75, 0])
    xr.Dataset({"t": ("x", values)}).to_netcdf(tmp_path / "a.nc")
    ncz.copy(tmp_path / "a.nc", tmp_path / "b.nc", pack=pack, verify=True, notify=ignore_notice)
    with xr.open_dataset(tmp_path / "b.nc", mask_and_scale=False) as raw:
        assert raw.t.values[1:].tolist() == [-5000, 3975, -30000]
        assert (raw.t.dtype, raw.t.scale_factor, raw.t.add_offset) == ("int16", 0.01, 300)
    with xr.open_dataset(tmp_path / "b.nc") as packed:
        np.testing.assert_allclose(packed.t.values, values, rtol=0, atol=0.005)


def test_one_variable_is_packed_otherwise(tmp_path):
    both = {"t": ("x", [0.5, 1.5]), "u": ("x", [0.5, 1.5])}
    xr.Dataset(both).to_netcdf(tmp_path / "a.nc")
    options = ["--pack", "u=byte", "--pack", "short"]
    run_ncz("copy", "-q", *options, f"{tmp_path}/a.nc", f"{tmp_path}/b.nc")
    raw = ncz.open(tmp_path / "b.nc", unpack=False)
    assert [str(raw[name].dtype) for name in "tu"] == ["int16", "int8"]


@pytest.mark.parametrize("target", TARGETS)
def test_types_are_converted(packed, target, tmp_path):
    place = f"{tmp_path}/{target.partition('#')[0]}"
    types = {"lat": "float", "whole": "short", "time": "double"}
    ncz.copy(packed, f"{tmp_path}/{target}", types=types, verify=True, notify=ignore_notice)
    raw = ncz.open(place)
    assert [str(raw[name].dtype) for name in types] == ["float32", "int16", "float64"]
    assert raw["whole"].record.attribute("_FillValue").type.word == "short"
    with xr.open_dataset(packed) as theirs, xr.open_dataset(place, engine="ncz") as ours:
        for name in types:
            np.testing.assert_array_equal(ours[name].values, theirs[name].values)


@given(
    values=st.lists(st.floats(width=64) | st.just(1e20), min_size=1, max_size=8),
    mask=st.sampled_from([None, 1e20, float("nan"), 1e300]),
)
def test_doubles_as_floats_match_numpy(values, mask, tmp_path_factory):
    folder = tmp_path_factory.mktemp("types")
    ds = xr.Dataset({"v": ("x", np.array(values))})
    ds.v.encoding["_FillValue"] = mask
    ds.to_netcdf(folder / "a.nc")
    with np.errstate(over="ignore"):
        expected = np.array(values).astype("f4")
    present = np.array([v != mask and v == v for v in values])
    if np.any(np.isinf(expected) & np.isfinite(values) & present):
        with pytest.raises(ncz.NczError, match="/v: a value is too large for the type float"):
            ncz.copy(folder / "a.nc", folder / "b.nc", types="float", notify=ignore_notice)
        assert not (folder / "b.nc").exists()
        return
    ncz.copy(folder / "a.nc", folder / "b.nc", types="float", notify=ignore_notice)
    with xr.open_dataset(folder / "b.nc") as ds:
        assert ds.v.dtype == "f4"
        np.testing.assert_array_equal(ds.v.values[present], expected[present])
        assert np.isnan(ds.v.values[~present]).all()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--type", "v=short"], "/v: the value 1.5 cannot be represented as short"),
        (["--type", "s=int"], "/s has no numbers that can be converted: its type is string"),
        (["--type", "w=int"], "no variable is named 'w'"),
        (["--type", "real"], "'real' is not a type of numbers; choose byte, short"),
        (["--type", "p=int"], "--type cannot convert /p, which is packed; use --unpack too"),
        (["--pack", "float"], "'float' is not valid; write a type, one of byte, ubyte"),
        (["--pack", "shrot"], "no variable is named 'shrot'"),
        (["--pack", "short:0"], "'short:0' is not valid"),
        (["--pack", "short:1:2:3"], "'short:1:2:3' is not valid"),
        (["--pack", "v=byte:0.01:0"], "/v: the value 2 cannot be packed as byte"),
        (["--pack", "p=short"], "--pack cannot pack /p, which is packed; use --unpack too"),
        (["--repack", "short"], "--repack needs --concat or --append; use --pack short"),
        (["--pack", "short"], "/i: infinite values cannot be packed"),
    ],
)
def test_an_impossible_conversion_is_an_error_and_leaves_no_target(options, text, tmp_path):
    (tmp_path / "a.cdl").write_text(
        "netcdf a { dimensions: x = 2 ; variables: double v(x) ; string s ; float i(x) ;"
        ' short p(x) ; p:scale_factor = 0.1 ; data: v = 1.5, 2 ; s = "a" ; i = 1, Infinity ; }'
    )
    done, _ = run_ncz("copy", *options, f"{tmp_path}/a.cdl", f"{tmp_path}/b.zarr")
    assert done.code in (1, 2)
    assert text in (done.error or "")
    assert not (tmp_path / "b.zarr").exists()


def test_the_joined_values_are_packed(tmp_path):
    for number in range(3):
        ds = xr.Dataset({"v": ("time", np.array([number, number + 0.5]))})
        ds.assign_coords(time=[2 * number, 2 * number + 1]).to_netcdf(tmp_path / f"{number}.nc")
    sources = [tmp_path / f"{number}.nc" for number in range(3)]
    ncz.concat(sources, tmp_path / "all.nc", "time", pack="ubyte", notify=ignore_notice)
    assert str(ncz.open(tmp_path / "all.nc")["v"].dtype) == "uint8"
    with xr.open_dataset(tmp_path / "all.nc") as joined:
        np.testing.assert_allclose(joined.v, [0, 0.5, 1, 1.5, 2, 2.5], atol=0.01)


@pytest.mark.parametrize("target", TARGETS)
def test_missing_data_get_another_value(packed, target, tmp_path):
    place = f"{tmp_path}/{target.partition('#')[0]}"
    ncz.copy(
        packed,
        f"{tmp_path}/{target}",
        missing_value={"a": -32768, "whole": 7},
        notify=ignore_notice,
    )
    raw = ncz.open(place)
    assert raw["a"].attrs["_FillValue"] == -32768
    assert raw["a"].stored(...).tolist() == [[1, -32768], [3, 4], [5, 300]]
    assert raw["whole"][:].tolist() == [7, 5]
    with xr.open_dataset(packed) as theirs, xr.open_dataset(place, engine="ncz") as ours:
        np.testing.assert_allclose(ours.a.values, theirs.a.values)


def test_a_variable_that_is_named_alone_is_packed_as_short(tmp_path):
    xr.Dataset({"v": ("x", [1.5, 2.5]), "w": ("x", [1.5, 2.5])}).to_netcdf(tmp_path / "v.nc")
    ncz.copy(tmp_path / "v.nc", tmp_path / "p.nc", pack="v", notify=ignore_notice)
    found = ncz.open(tmp_path / "p.nc")
    assert (found["v"].dtype, found["w"].dtype) == ("i2", "f8")


def test_missing_data_of_packed_variables_get_a_value(tmp_path):
    values = np.array([1.5, np.nan, 2.5])
    xr.Dataset({"v": ("x", values)}).to_netcdf(tmp_path / "v.nc")
    for form in ("short:0.5", "short"):
        place = tmp_path / f"{form.partition(':')[2]}p.nc"
        ncz.copy(tmp_path / "v.nc", place, pack=form, missing_value=-9999, notify=ignore_notice)
        assert ncz.open(place)["v"].attrs["_FillValue"] == -9999
        with xr.open_dataset(place) as seen:
            np.testing.assert_allclose(seen.v, values, atol=1e-4)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"a": 4}, "the value 4 would become missing data"),
        ({"a": 1e6}, "missing_value: /a cannot represent 1000000.0, as its type is short"),
        ({"b": 1}, "no variable"),
    ],
)
def test_a_value_that_cannot_mean_missing_data_is_refused(packed, tmp_path, value, says):
    with pytest.raises(ncz.NczError, match=says):
        ncz.copy(packed, tmp_path / "b.nc", missing_value=value, notify=ignore_notice)
    assert not (tmp_path / "b.nc").exists()
