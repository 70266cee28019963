"""``ncz copy`` from netCDF files to Zarr; ``make test`` copies a part of the examples."""

from __future__ import annotations

import json

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import EXAMPLES
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, USER_TYPES
from tests.sampled import sampled

NAMES = [e.stem for e in EXAMPLES if e.stem not in USER_TYPES]

EMPTY_STRINGS = ("no_data", "scalars", "strings")
"""Examples with empty strings, which are read as NIL from Zarr. --verify takes both for equal."""


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", sampled(NAMES, 10))
def test_a_copy_contains_everything(files, run, tmp_path, name):
    """Types, attributes, dimensions and values are compared by --verify."""
    for key, path in files.items():
        if key.rpartition(".")[0] != name:
            continue
        for mode in ("nczarr,v2", "nczarr,v3"):
            target = f"{tmp_path}/{key}.{mode}.zarr#mode={mode}"
            ran = run("copy", "--verify", path, target)
            assert ran.code == 0, ran.stderr
            printed = run("dump", target, "-n", "x").text
            if name in EMPTY_STRINGS:
                continue
            assert printed == run("dump", path, "-n", "x").text.replace('\\n",\n\t\t\t"', "\\n")


@pytest.mark.parametrize("mode", ["nczarr,v2", "nczarr,v3", "zarr,v2", "zarr,v3"])
def test_texts_that_end_with_nul_do_not_in_zarr(mode, tmp_path):
    netCDF4 = pytest.importorskip("netCDF4")
    with netCDF4.Dataset(tmp_path / "x.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 1)
        file.createVariable("v", "S1", ("x",), fill_value=b"\0")[:] = b"a"
        file.title = ""  # which netCDF4-python writes as one NUL
    target = tmp_path / "x.zarr"
    ncz.copy(
        tmp_path / "x.nc", f"{target}#mode={mode}", verify=True, allow_loss=True,
        notify=ignore_notice,
    )  # fmt: skip
    root = json.loads((target / ("zarr.json" if "v3" in mode else ".zattrs")).read_text())
    assert root.get("attributes", root)["title"] == ""
    with ncz.open(tmp_path / "x.nc") as source, ncz.open(target) as copy:
        assert source.attrs["title"] == copy.attrs["title"] == ""
        assert source["v"].attrs["_FillValue"] == "\0"
