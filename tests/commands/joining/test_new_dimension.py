"""Joins along a dimension that the sources do not have: a scalar time, or members."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.commands.joining.making import contents, copied
from tests.conftest import Run

xr = pytest.importorskip("xarray")
pytest.importorskip("netCDF4")
pytestmark = pytest.mark.filterwarnings("ignore")


def one_time(number: int, suffix: str = "nc", **options: Any) -> str:
    """Write a file of a scalar time, with bounds, an auxiliary coordinate and a mask."""
    time = np.datetime64("2000-01-01", "ns") + np.timedelta64(number, "D")
    dataset = xr.Dataset(
        {
            "v": (("y", "x"), np.arange(6, dtype="f4").reshape(2, 3) + 10 * number),
            "time_bnds": ("nv", np.array([time, time + np.timedelta64(1, "D")])),
            "crs": ((), np.int32(1), {"grid_mapping_name": "latitude_longitude"}),
            "count": ((), np.int32(number)),
        },
        coords={
            "time": ((), time, {"bounds": "time_bnds"}),
            "y": [1.0, 2.0],
            "height": ((), 2.0),
            "run": ((), np.int32(number)),
        },
    )
    dataset.v.attrs["grid_mapping"] = "crs"
    dataset.time.encoding["units"] = f"hours since 2000-01-0{number + 1}"
    name = f"t{number}.{suffix}"
    if suffix == "nc":
        encoding = {"v": {"zlib": True, "chunksizes": (2, 3), **options}}
        dataset.to_netcdf(name, engine="netcdf4", encoding=encoding)
    else:
        dataset.to_zarr(name, zarr_format=2)
    return name


def by_xarray(*names: str, dim: str = "time") -> Any:
    opened = [xr.open_dataset(n, engine="zarr" if n.endswith("zarr") else None) for n in names]
    return xr.concat(opened, dim, data_vars="all", coords="different", compat="equals").load()


@pytest.mark.parametrize("suffix", ["nc", "zarr"])
@pytest.mark.parametrize("target", ["all.nc", "all.zarr", "all.json"])
def test_scalar_times_as_in_xarray(suffix, target):
    names = [one_time(number, suffix) for number in range(3)]
    if suffix == "zarr" and target == "all.json":
        target = "all.parquet"
    copied(*names, target=target, concat="time")
    with xr.open_dataset(target, engine="ncz") as found:
        expected = by_xarray(*names).drop_vars("crs")
        assert "time" not in found.crs.dims  # others name it, and it is the same in all
        assert found.time_bnds.dims == ("time", "nv")
        xr.testing.assert_equal(found.drop_vars("crs").load(), expected)


def test_chunks_of_scalar_times_do_not_move():
    names = [one_time(number) for number in range(3)]
    copied(*names, target="all.json", concat="time", inline=0)
    references = json.loads(Path("all.json").read_text())["refs"]
    chunks = [references[f"v/{number}.0.0"] for number in range(3)]
    assert [Path(chunk[0]).name for chunk in chunks] == names
    kerchunk = pytest.importorskip("kerchunk")
    assert kerchunk
    with xr.open_dataset("all.json", engine="kerchunk") as found:
        np.testing.assert_array_equal(found.v.values, by_xarray(*names).v.values)


def test_a_scalar_time_is_appended_to_the_dimension():
    names = [one_time(number) for number in range(3)]
    for target in ("grown.zarr", "m.nca"):
        copied(*names[:2], target=target, concat="time")
        copied(names[2], target=target, append="time", verify=True)
        copied(*names, target=f"all-{target}", concat="time")
        assert ncz.diff(target, f"all-{target}", notify=ignore_notice) == []


def test_scalar_times_among_files_with_the_dimension():
    names = [one_time(number) for number in range(3)]
    copied(*names[:2], target="two.nc", concat="time")
    copied("two.nc", names[2], target="a.zarr", concat="time")
    copied(names[0], "two.nc", target="b.zarr", concat="time", overlap="keep")
    assert ncz.open("a.zarr")["v"].shape == (3, 2, 3)
    assert ncz.open("b.zarr")["v"][:, 0, 0].tolist() == [0, 0, 10]


def test_members_as_in_ncecat_and_xarray(run: Run):
    names = [one_time(number) for number in range(3)]
    for number, name in enumerate(names):
        with xr.open_dataset(name) as dataset:
            dataset.drop_vars(["time", "time_bnds", "run"]).load().to_netcdf(f"m{number}.nc")
    members = [f"m{number}.nc" for number in range(3)]
    done = run("copy", *members, "all.nc", "--new-dimension", "member")
    assert done.code == 0, done.stderr
    with xr.open_dataset("all.nc") as found:
        assert found.v.dims == ("member", "y", "x")
        expected = by_xarray(*members, dim="member").drop_vars("crs")
        xr.testing.assert_equal(found.drop_vars("crs").load(), expected)
    with xr.open_dataset("all.nc") as found:
        found.load()
    peer = subprocess.run(["ncecat", "-O", "-u", "member", *members, "peer.nc"], check=False)
    if peer.returncode == 0:
        with xr.open_dataset("peer.nc") as theirs:
            np.testing.assert_array_equal(found.v.values, theirs.v.values)


def test_datasets_without_the_dimension(run: Run):
    names = [one_time(number) for number in range(2)]
    before = contents(".")
    for option, message in (
        (["--concat", "tim"], "did you mean"),
        (["--concat", "v"], "the dimension v does not exist; the variable v is along y"),
        (["--new-dimension", "y"], "the dimension y already exists; use --concat y"),
        (
            ["--new-dimension", "v"],
            "the dimension v does not exist; the variable v is along y; use --concat y",
        ),
    ):
        done = run("copy", *names, "all.zarr", *option)
        assert done.code == 1, done.stderr
        assert message in done.stderr or option[1] == "tim"
    assert contents(".") == before


def test_a_name_that_no_source_has_means_a_new_dimension(run: Run):
    names = [one_time(number) for number in range(2)]
    done = run("copy", *names, "a.nc", "--concat", "member")
    assert done.code == 0
    assert "the sources are joined along the new dimension member" in done.stderr
    assert "new dimension" not in run("copy", *names, "b.nc", "--new-dimension", "member").stderr
    assert not ncz.diff("a.nc", "b.nc")
    assert run("copy", names[0], "one.nc", "--concat", "member").code == 0
    assert ncz.open("one.nc")["v"].dims[0] == "member"


def test_dimensions_of_several_groups():
    text = """netcdf g {{ dimensions: time = 1 ; variables: int time(time) ; int v(time) ;
      data: time = {0} ; v = {0} ;
      group: g {{ dimensions: time = 2 ; x = 1 ; variables: int u(time, x) ;
        data: u = {0}, {0} ; }} }}"""
    for number in range(3):
        Path(f"{number}.cdl").write_text(text.format(number))
    copied("0.cdl", "1.cdl", "2.cdl", concat="time")
    found = ncz.open("all.zarr")
    assert found["v"][...].tolist() == [0, 1, 2]
    assert found["/g/u"][:, 0].tolist() == [0, 0, 1, 1, 2, 2]
    copied("0.cdl", "0.cdl", target="one.zarr", concat="/g/time")
    assert ncz.open("one.zarr")["v"].shape == (1,)
    assert ncz.open("one.zarr")["/g/u"].shape == (4, 1)


def test_variables_that_were_never_written():
    declared = "dimensions: t = 2 ; variables: int v(t) ; v:_FillValue = -1 ;"
    for name, data in (("a", "v = 1, 2 ;"), ("b", "")):
        Path(f"{name}.cdl").write_text(f"netcdf u {{ {declared} data: {data} }}")
    copied("a.cdl", "b.cdl", "a.cdl", concat="t")
    assert ncz.open("all.zarr")["v"][...].tolist() == [1, 2, -1, -1, 1, 2]


def test_flags_that_data_name_get_the_dimension():
    text = """netcdf f {{ dimensions: x = 2 ;
      variables: int time ; time:units = "days since 2000-01-01" ; byte flag(x) ;
      float v(x) ; v:ancillary_variables = "flag" ; data: time = {0} ; v = {0}, 1 ; }}"""
    for number in range(2):
        Path(f"f{number}.cdl").write_text(text.format(number))
    copied("f0.cdl", "f1.cdl", concat="time")
    found = ncz.open("all.zarr")
    assert found["flag"].dims == found["v"].dims == ("time", "x")
