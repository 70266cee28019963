"""Strings that are not stored: libraries that only read a file cannot get their fill value."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest

import ncz
from ncz.errors import ignore_notice

CDL = """netcdf s { dimensions: x = 6 ; y = 2 ; t = UNLIMITED ; variables:
  string a(x) ; a:_ChunkSizes = 2 ;
  string b(x) ; b:_ChunkSizes = 2 ; string b:_FillValue = "none" ;
  string c(x) ; c:_ChunkSizes = 2 ;
  string d(y, x) ; string d:_FillValue = "none" ;
  int n(t) ; string e(t) ; string e:_FillValue = "none" ;
data: a = "p", "q", _, _, _, _ ; b = "p", "q", _, _, _, _ ; d = "1", "2" ; n = 1, 2, 3 ; e = "r" ; }
"""
EXPECTED = {
    "a": ["p", "q", "", "", "", ""],
    "b": ["p", "q", "none", "none", "none", "none"],
    "c": [""] * 6,
    "d": [["1", "2", "none", "none", "none", "none"], ["none"] * 6],
    "e": ["r", "none", "none"],
}


@pytest.mark.parametrize("has_chunks", [False, True], ids=["values", "missing chunks"])
def test_h5py_reads_them(has_chunks, tmp_path: Path):
    text, store, file = tmp_path / "s.cdl", tmp_path / "s.zarr", tmp_path / "s.nc"
    text.write_text(CDL)
    source = text
    if has_chunks:
        ncz.gen(text, store, notify=ignore_notice)
        for place in ("a/1", "a/2", "b/1", "b/2", "c/0", "c/1", "c/2"):
            (store / place).unlink(missing_ok=True)
        source = store
    ncz.copy(source, file, notify=ignore_notice)
    with h5py.File(file) as opened:
        found = {name: opened[name].asstr()[()].tolist() for name in EXPECTED}
    assert found == EXPECTED
    assert ncz.diff(source, file) == []
