"""Names of attributes that are not in Unicode's form NFC, as on a Mac."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.formats.netcdf.attribute_names import with_normal_attributes
from tests.conftest import Run
from tests.test_round_trip import parsed

NAME = "e\u0301"
CDL = f"netcdf x {{ variables: int v ; v:{NAME} = 1 ; :{NAME} = 2 ; data: v = 3 ; }}"


@pytest.mark.parametrize("kind", ["netCDF-4", "classic"])
def test_netcdf_c_finds_them(kind: str, run: Run, tmp_path: Path):
    store, target = tmp_path / "x.zarr", tmp_path / "x.nc"
    assert run("gen", "-", "-o", f"{store}#mode=zarr,v3", stdin=CDL.encode()).code == 0
    ran = run("copy", "--kind", kind, "--verify", store, target)
    assert ran.code == 0, ran.stderr
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    with netcdf4.Dataset(target) as found:
        assert found.getncattr(NAME) == 2
        assert found["v"].ncattrs() == ["\u00e9"]
        assert found["v"].getncattr(NAME) == 1


def test_a_dataset_with_other_names_is_unchanged():
    dataset = parsed(b"netcdf x { variables: int v ; v:a = 1 ; }")
    assert with_normal_attributes(dataset) is dataset
