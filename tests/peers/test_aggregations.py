"""Aggregations between ncz, cfdm and cf-python.

NCZ_PEERS_CFA is the Python of an environment with cf-python and cf-units.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.formats.aggregation.conftest import read
from tests.formats.aggregation.masters import listed, write

PYTHON = os.environ.get("NCZ_PEERS_CFA", "")
pytestmark = pytest.mark.skipif(
    not PYTHON, reason="NCZ_PEERS_CFA does not name a Python with cf-python and cf-units"
)

UDUNITS = """
import ctypes.util, glob, os, cf_units, json, sys
folder = os.path.dirname(cf_units.__file__)
own = glob.glob(folder + ".libs/libudunits2*")[:1]
os.environ.setdefault("UDUNITS2_XML_PATH", folder + "/etc/share/udunits2.xml")
find = ctypes.util.find_library
ctypes.util.find_library = lambda name: own[0] if own and name == "udunits2" else find(name)
"""
"""cfunits needs the library of UDUNITS from the system, or else finds that of cf-units."""

VALUES = np.arange(48, dtype="f4").reshape(6, 4, 2)
CDL = f"""netcdf source {{ dimensions: time = 6 ; lat = 4 ; lon = 2 ; variables:
  double time(time) ; time:units = "days since 2000-01-01" ; time:standard_name = "time" ;
  double lat(lat) ; lat:units = "degrees_north" ; double lon(lon) ; lon:units = "degrees_east" ;
  float tas(time, lat, lon) ; tas:units = "K" ; tas:standard_name = "air_temperature" ;
  short z(lat, lon) ; z:scale_factor = 0.5 ; z:units = "m" ; z:standard_name = "altitude" ;
data: time = 0, 1, 2, 3, 4, 5 ; lat = 1, 2, 3, 4 ; lon = 1, 2 ;
  tas = {listed(VALUES)} ; z = {listed(np.arange(8))} ; }}
"""


def asked(program: str, folder: Path, *arguments: object) -> str:
    """Run a program in the peers' environment and return what it prints.

    cfdm takes relative names of pieces from the working folder, which is `folder`.
    """
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", UDUNITS + program, *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("target", ["out.nca", "out.zarr"])
def test_cfdm_reads_what_ncz_writes(run, tmp_path, target):
    source, path = write(tmp_path / "source.nc", CDL), tmp_path / target
    mode = "cf" if target.endswith("nca") else "cf,zarr,v3"
    done = run("copy", source, path, "--mode", mode, "--pieces", "time/4,lat/3")
    assert done.code == 0, done.stderr
    program = """
import cfdm
fields = {f.nc_get_variable(): f.array.tolist() for f in cfdm.read(sys.argv[1])}
print(json.dumps(fields))
"""
    found = json.loads(asked(program, tmp_path, target))
    assert found["tas"] == VALUES.tolist()
    assert found["z"] == (np.arange(8).reshape(4, 2) / 2).tolist()


def test_ncz_reads_what_cf_python_writes(run, tmp_path):
    program = """
import cf
field = cf.example_field(2)
for i, part in enumerate((field[:12], field[12:20], field[20:])):
    cf.write(part, f"p{i}.nc")
joined = cf.read([f"p{i}.nc" for i in range(3)], cfa_write="field")
cf.write(joined, "all.nc", cfa="field")
print(json.dumps(field.array.tolist()))
"""
    wanted = json.loads(asked(program, tmp_path))
    assert "CF-1.13 aggregation" in run("info", tmp_path / "all.nc").text
    np.testing.assert_array_equal(read(tmp_path / "all.nc", "air_potential_temperature"), wanted)
