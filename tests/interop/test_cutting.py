"""Parts of datasets equal the parts of xarray, ncks and cdo; joined again they are the whole."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.commands.subsets.selection import select_part
from ncz.commands.subsets.spelling import parse_selection
from ncz.errors import ignore_notice
from ncz.model.data import MemoryArray, read_all
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from tests.sampled import share_of

ncks = pytest.mark.skipif(shutil.which("ncks") is None, reason="ncks of nco is not installed")
cdo = pytest.mark.skipif(shutil.which("cdo") is None, reason="cdo is not installed")

CDL = """netcdf g {
dimensions: time = UNLIMITED ; lat = 4 ; lon = 8 ; nv = 2 ;
variables:
  double time(time) ; time:units = "days since 2020-01-01" ; time:standard_name = "time" ;
  double lat(lat) ; lat:units = "degrees_north" ; lat:standard_name = "latitude" ;
  double lon(lon) ; lon:units = "degrees_east" ; lon:standard_name = "longitude" ;
  lon:bounds = "lon_bnds" ; double lon_bnds(lon, nv) ;
  int v(time, lat, lon) ;
data:
  time = 0, 31, 59, 400 ; lat = 60, 20, -20, -60 ; lon = LON ; lon_bnds = BOUNDS ; v = VALUES ;
}
"""
EAST = tuple(range(0, 360, 45))
WEST = tuple(range(-180, 180, 45))
V = np.arange(4 * 4 * 8).reshape(4, 4, 8)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("cutting")
    made = {}
    for name, longitudes in (("east", EAST), ("west", WEST)):
        text = CDL.replace("LON", ", ".join(map(str, longitudes)))
        text = text.replace("BOUNDS", ", ".join(f"{x - 22.5}, {x + 22.5}" for x in longitudes))
        (folder / f"{name}.cdl").write_text(text.replace("VALUES", ", ".join(map(str, V.flat))))
        ncz.gen(folder / f"{name}.cdl", folder / f"{name}.nc", notify=ignore_notice)
        made[name] = folder / f"{name}.nc"
    return made


def values(path: Path, *, notify: Any = ignore_notice, **chosen: Any) -> dict[str, np.ndarray]:
    with ncz.open(path, notify=notify, **chosen) as part:
        return {name: part[name][...] for name in ("time", "lat", "lon", "v")}


def run_peer(*command: object, target: Path) -> dict[str, np.ndarray]:
    subprocess.run([*map(str, command)], check=True, capture_output=True, timeout=60)
    found = values(target)
    target.unlink()
    return found


def assert_same(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> None:
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"lat": slice(-30, 30)}, {"lat": slice(30, -30)}),
        ({"lat": 20, "lon": slice(40, 100)}, {"lat": 20, "lon": slice(40, 100)}),
        ({"time": "2020"}, {"time": "2020"}),
        ({"time": slice("2020-01", "2020-02")}, {"time": slice("2020-01", "2020-02")}),
        ({"time": slice("2020-02-29", None)}, {"time": slice("2020-02-29", None)}),
        ({"lon": slice(None, 90)}, {"lon": slice(None, 90)}),
        ({"lon": slice(0, 360)}, {"lon": slice(0, 360)}),
    ],
)
def test_values_of_coordinates_as_in_xarray(files, ours, theirs):
    xarray = pytest.importorskip("xarray")
    found = values(files["east"], sel=ours)
    with xarray.open_dataset(files["east"], engine="ncz") as whole:
        part = whole.sel(theirs)
        np.testing.assert_array_equal(found["v"], part["v"].values)
        np.testing.assert_array_equal(found["lat"], part["lat"].values)


@pytest.mark.parametrize("lat", [61, 41, 39.9, 40, 0, -40, -75])
@pytest.mark.parametrize("lon", [1, 22, 22.5, 300])
def test_nearest_as_in_xarray(files, lat, lon):
    xarray = pytest.importorskip("xarray")
    found = values(files["east"], sel={"lat": lat, "lon": lon}, nearest=True)
    with xarray.open_dataset(files["east"], engine="ncz") as whole:
        part = whole.sel(lat=lat, lon=lon, method="nearest")
        np.testing.assert_array_equal(found["v"], part["v"].values)


@ncks
@pytest.mark.parametrize(
    ("grid", "sel", "limits"),
    [
        ("east", {"lat": slice(-30, 30)}, ["lat,-30.,30."]),
        ("east", {"lon": slice(45, 200), "lat": slice(20, 20)}, ["lon,45.,200.", "lat,20."]),
        ("east", {"time": slice("2020-01-15", "2020-03-01")}, ["time,2020-01-15,2020-03-01"]),
        ("east", {"lon": slice(None, 90)}, ["lon,,90."]),
        ("east", {"lon": slice(300, 50)}, ["lon,300.,50."]),
        ("west", {"lon": slice(90, -90)}, ["lon,90.,-90."]),
    ],
)
def test_limits_as_in_ncks(files, tmp_path, grid, sel, limits):
    options = [word for limit in limits for word in ("-d", limit)]
    theirs = run_peer("ncks", *options, files[grid], tmp_path / "t.nc", target=tmp_path / "t.nc")
    ours = values(files[grid], sel=sel)
    # ncks does not change longitudes, so that they decrease where the part crosses the seam.
    assert (ours["lon"] % 360).tolist() == (theirs["lon"] % 360).tolist()
    assert (np.diff(ours["lon"]) > 0).all()
    assert_same(ours, {**theirs, "lon": ours["lon"]})


@ncks
def test_nearest_as_in_ncks(files, tmp_path):
    target = tmp_path / "t.nc"
    theirs = run_peer(
        "ncks", "-d", "lat,37.", "-d", "lon,50.", files["east"], target, target=target
    )
    ours = values(files["east"], sel={"lat": 37, "lon": 50}, nearest=True)
    assert_same(ours, {name: np.squeeze(array) for name, array in theirs.items()})


@cdo
@pytest.mark.parametrize("grid", ["east", "west"])
@pytest.mark.parametrize(
    ("first", "last"),
    [(350, 10), (-10, 10), (300, 50), (-60, 50), (45, 200), (0, 360), (-180, 180), (90, 269)],
)
def test_longitudes_as_in_cdo(files, tmp_path, grid, first, last):
    theirs = run_peer(
        "cdo", "-s", f"sellonlatbox,{first},{last},-90,90", files[grid], tmp_path / "t.nc",
        target=tmp_path / "t.nc",
    )  # fmt: skip
    assert_same(values(files[grid], sel={"lon": slice(first, last)}), theirs)


@cdo
@pytest.mark.parametrize(
    ("operator", "sel"),
    [
        ("selyear,2020", {"time": "2020"}),
        ("seldate,2020-02-01,2020-02-29", {"time": slice("2020-02", "2020-02-29")}),
        ("selname,v", {}),
    ],
)
def test_dates_and_names_as_in_cdo(files, tmp_path, operator, sel):
    theirs = run_peer(
        "cdo", "-s", operator, files["east"], tmp_path / "t.nc", target=tmp_path / "t.nc"
    )
    assert_same(values(files["east"], sel=sel, vars="v"), theirs)


@ncks
@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (["-v", "v"], {"vars": "v"}),
        (["-v", "l.*"], {"vars": "l*"}),
        (["-x", "-v", "v"], {"exclude": "v"}),
    ],
)
def test_variables_as_in_ncks(files, tmp_path, options, chosen):
    target = tmp_path / "t.nc"
    subprocess.run(["ncks", *options, files["east"], target], check=True, timeout=60)
    with ncz.open(files["east"], **chosen) as ours, ncz.open(target) as theirs:
        # ncks leaves out the bounds of the coordinates that it adds.
        assert {*ours.variables} | {"lon_bnds"} == {*theirs.variables, "lon_bnds"}
        assert "lon_bnds" in ours.variables


def test_bounds_move_with_their_longitudes(files, tmp_path):
    ncz.copy(files["east"], tmp_path / "t.zarr", sel={"lon": slice(-60, 50)}, verify=True)
    with ncz.open(tmp_path / "t.zarr") as part:
        assert part["lon"][...].tolist() == [-45, 0, 45]
        assert part["lon_bnds"][...].tolist() == [[-67.5, -22.5], [-22.5, 22.5], [22.5, 67.5]]
        assert part["v"][0, 0].tolist() == [7, 0, 1]


# Properties.


def longitudes_of(array: np.ndarray) -> Dataset:
    nc_type = {"f8": Atomic.DOUBLE, "f4": Atomic.FLOAT, "i2": Atomic.SHORT}[array.dtype.str[1:]]
    units = Attribute(name="units", type=Atomic.CHAR, values=("degrees_east",))
    index = np.arange(array.size, dtype="i4")
    root = Group(
        dimensions=(Dimension(name="x", size=array.size),),
        variables=(
            Variable(
                name="x", type=nc_type, dimensions=("/x",), attributes=(units,),
                data=MemoryArray(array, nc_type, (3,)),
            ),
            Variable(
                name="v", type=Atomic.INT, dimensions=("/x",),
                data=MemoryArray(index, Atomic.INT, (2,)),
            ),
        ),
    )  # fmt: skip
    return Dataset(name="d", root=root)


@given(
    first=st.integers(-360, 360),
    count=st.integers(1, 24),
    step=st.sampled_from([5, 15, -15]),
    limits=st.tuples(st.integers(-400, 400), st.integers(-400, 400)),
    dtype=st.sampled_from(["f8", "f4", "i2"]),
)
@settings(max_examples=share_of(200), deadline=None)
def test_a_part_has_each_longitude_between_the_limits_once(first, count, step, limits, dtype):
    array = (first + step * np.arange(count)).astype(dtype)
    a, b = limits
    length = b - a if b >= a else (b - a) % 360
    between = {x % 360 for x in array.tolist() if (x - a) % 360 <= length}
    # Within the turn of the grid, 360 is not the same as 0, as in xarray.
    ends = {array.min() % 360, array.max() % 360}
    dataset = longitudes_of(array)
    if not between:
        with pytest.raises(ncz.NczError, match="selects nothing"):
            select_part(dataset, parse_selection(sel=(f"x={a}:{b}",)))
        return
    try:
        part = select_part(dataset, parse_selection(sel=(f"x={a}:{b}",)))
    except ncz.NczError:
        assert between <= ends
        return
    x, v = (read_all(one.data) for one in part.root.variables if one.data is not None)
    assert (np.sign(np.diff(x)) == np.sign(step)).all()
    found = {value % 360 for value in x.tolist()}
    assert [value % 360 for value in x.tolist()] == [array[i] % 360 for i in v]
    assert between - ends <= found <= between


@given(st.data())
@settings(max_examples=share_of(50), deadline=None)
def test_cutting_and_joining_gives_back_the_whole(data):
    array = np.arange(0.0, 360, data.draw(st.sampled_from([20, 45, 90])))
    at = data.draw(st.integers(1, array.size - 1))
    dataset = longitudes_of(array)
    parts = [
        select_part(dataset, parse_selection(sel=(f"x=:{array[at - 1]}",))),
        select_part(dataset, parse_selection(sel=(f"x={array[at]}:",))),
    ]
    for number in (0, 1):
        sources = [part.root.variables[number].data for part in parts]
        joined = np.concatenate([read_all(source) for source in sources if source is not None])
        whole = dataset.root.variables[number].data
        assert whole is not None
        np.testing.assert_array_equal(joined, read_all(whole))


def test_copies_of_two_parts_join_to_the_whole(files, tmp_path):
    for name, limits in (("a", slice(None, "2020-01")), ("b", slice("2020-02", None))):
        ncz.copy(files["east"], tmp_path / f"{name}.nc", sel={"time": limits})
    ncz.copy([tmp_path / "a.nc", tmp_path / "b.nc"], tmp_path / "t.nc", concat="time")
    assert ncz.diff(files["east"], tmp_path / "t.nc") == []
