"""Modes of locations that name a kind of netCDF file: netcdf-3 or classic, netcdf-4 or enhanced."""

from __future__ import annotations

import pytest

CDL = "netcdf x { dimensions: n = 2 ; variables: int v(n) ; data: v = 1, 2 ; }\n"
GROUPS = "netcdf x { group: g { variables: int v ; data: v = 1 ; } }\n"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "x.cdl"
    path.write_text(CDL)
    return path


@pytest.mark.parametrize("name", ["x.nc", "x", "x.zarr"])
@pytest.mark.parametrize(
    ("mode", "options", "kind"),
    [
        ("netcdf-3", [], "classic"),
        ("classic", [], "classic"),
        ("netcdf-4", [], "netCDF-4"),
        ("enhanced", [], "netCDF-4"),
        ("netcdf-3", ["-k", "cdf5"], "cdf5"),
        ("enhanced", ["-k", "nc7"], "netCDF-4 classic model"),
    ],
)
def test_the_kind_of_a_new_file(run, text, tmp_path, name, mode, options, kind):
    path = tmp_path / name
    assert run("gen", text, "-o", f"{path}#mode={mode}", *options).code == 0
    assert run("dump", "-k", path).text == f"{kind}\n"
    copy = tmp_path / f"copy-{name}"
    assert run("copy", text, f"{copy}#mode={mode}", *options).code == 0
    assert run("dump", "-k", copy).text == f"{kind}\n"
    assert run("dump", "-k", f"{copy}#mode={mode}").text == f"{kind}\n"


def test_a_kind_of_the_source_that_fits_the_mode_is_kept(run, text, tmp_path):
    assert run("gen", text, "-o", tmp_path / "a.nc", "-k", "nc6").code == 0
    for mode, kind in (("classic", "64-bit offset"), ("netcdf-4", "netCDF-4")):
        target = tmp_path / f"{mode}.nc"
        assert run("copy", tmp_path / "a.nc", f"{target}#mode={mode}").code == 0
        assert run("dump", "-k", target).text == f"{kind}\n"


def test_options_that_contradict_a_mode_are_refused(run, text, tmp_path):
    ran = run("copy", text, f"{tmp_path}/y.nc#mode=netcdf-3", "-k", "nc4")
    assert (ran.code, "asks for a classic file" in ran.stderr) == (1, True)
    assert run("gen", text, "-o", tmp_path / "z.zarr").code == 0
    ran = run("dump", f"{tmp_path}/z.zarr#mode=netcdf-4")
    assert (ran.code, "but this is a Zarr store" in ran.stderr) == (1, True)
    groups = tmp_path / "g.cdl"
    groups.write_text(GROUPS)
    ran = run("gen", groups, "-o", f"{tmp_path}/g.nc#mode=classic")
    assert (ran.code, "group" in ran.stderr) == (1, True), ran.stderr
    assert not (tmp_path / "g.nc").exists()
