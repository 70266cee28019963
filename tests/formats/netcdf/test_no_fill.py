"""The lines ``_NoFill`` of ``dump -s`` equal ncdump's, and ``gen`` reads them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

h5py = pytest.importorskip("h5py", reason="h5py is not installed")
pytestmark = pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not installed")

CDL = """netcdf s {
types: int(*) vl ; compound cc { int a ; } ; opaque(3) oo ; byte enum ee { x = 1 } ;
dimensions: x = 3 ; u = unlimited ;
variables:
  int plain(x) ; int off(x) ; off:_NoFill = "false" ;
  string t(x) ; t:_NoFill = "true" ;
  char c(x) ; c:_NoFill = "true" ;
  int sc ; sc:_NoFill = "true" ;
  double z(x) ; z:_FillValue = 3. ; z:_NoFill = "true" ;
  vl v(x) ; v:_NoFill = "true" ;
  cc d(x) ; d:_NoFill = "true" ;
  oo o(x) ; o:_NoFill = "true" ;
  ee e(x) ; e:_NoFill = "true" ;
  int big(u, x) ; big:_NoFill = "true" ; big:_DeflateLevel = 3 ; big:_Endianness = "big" ;
}
"""
NO_FILL = {"t", "c", "sc", "z", "v", "d", "o", "e", "big"}


def special(text):
    """Return the special attributes of each variable, in order."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if ":_" in line and not line.startswith(":")]


def ncdump(path):
    done = subprocess.run(
        ["ncdump", "-h", "-s", str(path)], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def named(text):
    return {line.partition(":")[0] for line in special(text) if ":_NoFill" in line}


def test_files_that_gen_writes(run, tmp_path):
    (tmp_path / "s.cdl").write_text(CDL)
    assert run("gen", tmp_path / "s.cdl", "-o", tmp_path / "s.nc").code == 0
    text = run("dump", "-h", "-s", tmp_path / "s.nc").text
    assert special(text) == special(ncdump(tmp_path / "s.nc"))
    assert named(text) == NO_FILL
    (tmp_path / "again.cdl").write_text(text)
    assert run("gen", tmp_path / "again.cdl", "-o", tmp_path / "again.nc").code == 0
    assert special(ncdump(tmp_path / "again.nc")) == special(text)
    assert run("gen", "-q", tmp_path / "s.cdl", "-o", tmp_path / "s.zarr").code == 0
    assert named(run("dump", "-h", "-s", tmp_path / "s.zarr").text) == NO_FILL


def test_files_of_h5py(run, tmp_path):
    path = tmp_path / "h.h5"
    with h5py.File(path, "w") as file:
        file["usual"] = [1, 2, 3]
        file.create_dataset("filled", (3,), "f4", fillvalue=2)
        file.create_dataset("never", (3,), "f4", fill_time="never")
        file.create_dataset("both", (3,), "f4", fillvalue=5, fill_time="never")
        file.create_dataset("chunked", (3,), "f4", chunks=(2,))
        file["text"] = "a"
        undefined = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        undefined.set_fill_time(h5py.h5d.FILL_TIME_IFSET)
        space = h5py.h5s.create_simple((3,))
        h5py.h5d.create(file.id, b"undefined", h5py.h5t.NATIVE_INT32, space, undefined)
    text = run("dump", "-h", "-s", path).text
    assert special(text) == special(ncdump(path))
    assert named(text) == {"usual", "never", "chunked", "text", "undefined"}


def test_classic_files_have_no_fill_values(run, tmp_path):
    cdl = 'netcdf x { dimensions: n = 2 ; variables: int v(n) ; v:_NoFill = "true" ; }'
    (tmp_path / "x.cdl").write_text(cdl)
    assert run("gen", "-k", "nc3", tmp_path / "x.cdl", "-o", tmp_path / "x.nc").code == 0
    text = run("dump", "-h", "-s", tmp_path / "x.nc").text
    assert (special(text), special(ncdump(tmp_path / "x.nc"))) == ([], [])
