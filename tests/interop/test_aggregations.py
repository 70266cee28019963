"""Aggregations between ncz, cfdm, cf-python and cfapyx, which xarray uses.

NCZ_PEERS_CFA is the Python of an environment with cf-python, cf-units and cfapyx; ``make interop``
creates one. A peer that it lacks is said to be missing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.formats.aggregation.conftest import read
from tests.formats.aggregation.masters import listed, write

PYTHON = os.environ.get("NCZ_PEERS_CFA") or str(
    Path(sys.prefix) / "peers" / "cfa" / "bin" / "python"
)
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not os.path.exists(PYTHON),
        reason="cfdm, cf-python and cfapyx are not installed; run 'make interop', or let"
        " NCZ_PEERS_CFA name a Python that has them",
    ),
]
LIMIT = 120
"""The seconds that a peer may take."""

UDUNITS = """
import ctypes.util, glob, os, cf_units, json, sys
folder = os.path.dirname(cf_units.__file__)
own = glob.glob(folder + ".libs/libudunits2*")[:1]
os.environ.setdefault("UDUNITS2_XML_PATH", folder + "/etc/share/udunits2.xml")
find = ctypes.util.find_library
ctypes.util.find_library = lambda name: own[0] if own and name == "udunits2" else find(name)
"""
"""cfunits needs the library of UDUNITS of the system, or uses the one of cf-units."""

VALUES = np.arange(48, dtype="f4").reshape(6, 4, 2)
CDL = f"""netcdf source {{ dimensions: time = 6 ; lat = 4 ; lon = 2 ; variables:
  double time(time) ; time:units = "days since 2000-01-01" ; time:standard_name = "time" ;
  double lat(lat) ; lat:units = "degrees_north" ; double lon(lon) ; lon:units = "degrees_east" ;
  float tas(time, lat, lon) ; tas:units = "K" ; tas:standard_name = "air_temperature" ;
  short z(lat, lon) ; z:scale_factor = 0.5 ; z:units = "m" ; z:standard_name = "altitude" ;
data: time = 0, 1, 2, 3, 4, 5 ; lat = 1, 2, 3, 4 ; lon = 1, 2 ;
  tas = {listed(VALUES)} ; z = {listed(np.arange(8))} ; }}
"""


@cache
def has(peer: str) -> bool:
    """Return whether the peers' environment has a package."""
    program = f"import importlib.util as u, sys; sys.exit(u.find_spec({peer!r}) is None)"
    return subprocess.run([PYTHON, "-c", program], check=False, timeout=LIMIT).returncode == 0


def asked(peer: str, program: str, folder: Path, *arguments: object) -> str:
    """Run a program in the peers' environment and return its output.

    The test is skipped if the environment lacks the peer. cfdm takes relative names of pieces from
    the working folder, which is `folder`.
    """
    if not has(peer):
        pytest.skip(f"the environment of NCZ_PEERS_CFA has no {peer}; install it there")
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", UDUNITS + program, *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("target", ["out.nca", "out.zarr"])
def test_cfdm_reads_masters_of_ncz(run, tmp_path, target):
    source, path = write(tmp_path / "source.nc", CDL), tmp_path / target
    mode = "cf" if target.endswith("nca") else "cf,zarr,v3"
    done = run("copy", source, path, "--mode", mode, "--pieces", "time/4,lat/3")
    assert done.code == 0, done.stderr
    program = """
import cfdm
fields = {f.nc_get_variable(): f.array.tolist() for f in cfdm.read(sys.argv[1])}
print(json.dumps(fields))
"""
    found = json.loads(asked("cfdm", program, tmp_path, target))
    assert found["tas"] == VALUES.tolist()
    assert found["z"] == (np.arange(8).reshape(4, 2) / 2).tolist()


def test_ncz_reads_masters_of_cf_python(run, tmp_path):
    program = """
import cf
field = cf.example_field(2)
for i, part in enumerate((field[:12], field[12:20], field[20:])):
    cf.write(part, f"p{i}.nc")
joined = cf.read([f"p{i}.nc" for i in range(3)], cfa_write="field")
cf.write(joined, "all.nc", cfa="field")
print(json.dumps(field.array.tolist()))
"""
    wanted = json.loads(asked("cf", program, tmp_path))
    assert "CF-1.13 aggregation" in run("info", tmp_path / "all.nc").text
    np.testing.assert_array_equal(read(tmp_path / "all.nc", "air_potential_temperature"), wanted)


@pytest.fixture
def parts(run, tmp_path):
    """Two files, each with a part of the times."""
    source = write(tmp_path / "source.nc", CDL)
    for name, times in (("a.nc", "0:4"), ("b.nc", "4:6")):
        assert run("copy", source, tmp_path / name, "--isel", f"time={times}").code == 0
    return tmp_path


def test_ncz_reads_masters_of_cfdm_alone(run, parts):
    program = """
import cfdm
def field(name):
    (found,) = (f for f in cfdm.read(name, cfa_write="field") if f.nc_get_variable() == "tas")
    return found
whole = cfdm.Field.concatenate([field("a.nc"), field("b.nc")], axis=0)
cfdm.write(whole, "all.nc", cfa="field")
assert "cf" not in sys.modules
"""
    asked("cfdm", program, parts)
    assert run("ls", parts / "all.nc", "/tas").text.split() == ["/tas/0.0.0", "/tas/1.0.0"]
    np.testing.assert_array_equal(read(parts / "all.nc"), VALUES)


def test_ncz_reads_masters_of_cfapyx(run, parts):
    program = """
import cfapyx
made = cfapyx.CFANetCDF(["a.nc", "b.nc"])
made.create()
made.write("all.nca")
"""
    asked("cfapyx", program, parts)
    assert "CF-1.13 aggregation" in run("info", parts / "all.nca").text
    np.testing.assert_array_equal(read(parts / "all.nca"), VALUES)


def test_xarray_with_cfapyx_reads_masters_of_ncz(run, tmp_path):
    """cfapyx cannot unpack values, so that ``z`` is left out."""
    source = write(tmp_path / "source.nc", CDL)
    made = run("copy", source, tmp_path / "out.nca", "--mode", "cf", "--pieces", "time/4,lat/3")
    assert made.code == 0, made.stderr
    program = """
import numpy, xarray
found = xarray.open_dataset("out.nca", engine="CFA")
print(json.dumps([numpy.asarray(found["tas"].data).tolist(), found["lat"].values.tolist()]))
"""
    values, latitudes = json.loads(asked("cfapyx", program, tmp_path))
    assert values == VALUES.tolist()
    assert latitudes == [1, 2, 3, 4]
