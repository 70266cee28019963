"""A corpus of netCDF files of every maker: dumps, copies to Zarr and back, and xarray's view."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from tests.api.xarray.complex_numbers import with_complex
from tests.conftest import Run
from tests.formats.netcdf import by_netcdf4, by_others
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, ncdump
from tests.formats.netcdf.reading import read_differences
from tests.sampled import sampled

for needed in ("netCDF4", "h5netcdf", "xarray", "zarr"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")

MAKERS = {maker.__name__: maker for maker in (*by_netcdf4.FILES, *by_others.FILES)}

LEFT_OUT = ("h5py_left_out",)
"""Files with types that netCDF does not have."""

ALONE = (*LEFT_OUT, "h5netcdf_invalid")
"""Files that no peer reads: netCDF-C 4.10.1 crashes when it closes a file with unnamed types."""

UNNAMED = {"h5netcdf_invalid": ("types:", "_AnonymousEnum1", "b:_", " b = TRUE")}
"""Patterns of lines of variables and attributes whose type has no name: ncdump 4.10 prints them,
and 4.9 does not."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the file with a name, which is made once."""
    folder = tmp_path_factory.mktemp("corpus")

    def file(name: str) -> Path:
        path: Path = folder / f"{name}.nc"
        if not path.exists():
            MAKERS[name](path)
        return path

    return file


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", MAKERS)
def test_dump_equals_ncdump(made, run: Run, name):
    expected = ncdump(made(name), "-s")
    if name.endswith("classic_model"):  # ncdump 4.9 takes them for other files of HDF5
        expected = expected.replace(":_IsNetcdf4 = 0", ":_IsNetcdf4 = 1")
    ran = run("dump", "-s", made(name))
    assert ran.code == (1 if name in LEFT_OUT else 0), ran.stderr
    lines = ran.text.splitlines(keepends=True)
    unnamed = [n for n, line in enumerate(lines) if any(p in line for p in UNNAMED.get(name, ()))]
    for number in reversed(unnamed):
        del lines[number : number + (2 if lines[number].startswith(" b =") else 1)]
    assert "".join(lines) == expected
    assert bool(unnamed) is (name in UNNAMED)


@pytest.mark.parametrize("mode", ["nczarr,v2", "nczarr,v3"])
@pytest.mark.parametrize("name", sampled([name for name in MAKERS if name not in ALONE], 4))
def test_through_zarr_and_back(made, run: Run, tmp_path, name, mode):
    """Every value, type and attribute is kept by netCDF4's reading."""
    path, store, again = made(name), f"{tmp_path}/x.zarr#mode={mode}", tmp_path / "x.nc"
    ran = run("copy", "--verify", path, store)
    assert ran.code == 0, ran.stderr
    kind = run("dump", "-k", path).text.strip()
    ran = run("copy", "--verify", "--kind", kind, store, again)
    assert ran.code == 0, ran.stderr
    assert read_differences(path, again) == []


REFUSED = ("characters",)
"""Files with chars and a _FillValue of text, which xarray reads in no form of Zarr V3."""

OTHERWISE = {
    ("h5py_layouts", "2"): "an empty attribute of numbers is an empty text in Zarr V2",
}
"""Files that xarray does not read in the same way from Zarr, and why."""

UNSEEN = {"odd_names": "a\\b"}
"""Variables that zarr-python does not list."""


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("name", sampled([name for name in MAKERS if name not in ALONE], 4))
def test_xarray_sees_equal_datasets(made, run: Run, tmp_path, name, version):
    import xarray

    path, store = made(name), tmp_path / "x.zarr"
    ran = run("copy", "--for", "xarray", "--zarr-format", version, "--allow-loss", path, store)
    if version == "3" and name in REFUSED:
        assert ran.code == 2
        assert "--for: xarray cannot read" in ran.stderr
        return
    assert ran.code == 0, ran.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = xarray.open_dataset(path, engine="netcdf4").load()
        ours = xarray.open_zarr(store, consolidated=False).load()
    theirs = with_complex(theirs, ours)
    for each in (ours, theirs, *ours.variables.values()):  # it does not compare compounds
        each.attrs = {
            key: value
            for key, value in each.attrs.items()
            if not key.startswith("_nczarr") and key != "complex"
        }
    theirs = theirs.drop_vars(UNSEEN.get(name, []))
    assert ours.identical(theirs) is ((name, version) not in OTHERWISE), f"{ours}\n{theirs}"
