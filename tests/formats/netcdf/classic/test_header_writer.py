"""Headers of new classic files, read back."""

from __future__ import annotations

import io

import pytest

from ncz.cdl.reader import read_cdl
from ncz.formats.netcdf.classic.header import read_header
from ncz.formats.netcdf.classic.header_writer import HeaderWriter
from ncz.formats.netcdf.classic.layout import plan_arrays
from ncz.zmap.file import LocalFile

CDL = b"""netcdf s { dimensions: t = UNLIMITED ; x = 3 ;
variables: int v(t, x) ; v:units = "K" ; v:range = 1s, 2s, 3s ; double w(x) ; char c(x) ;
  :title = "\xc3\xa9" ; :empty = "" ; }"""


@pytest.mark.parametrize("version", [1, 2, 5])
def test_a_header_is_read_back(tmp_path, version):
    dataset = read_cdl(CDL, source="s")
    begins = {"/v": 1000, "/w": 2000, "/c": 3000}
    data = HeaderWriter(version).encode(dataset, plan_arrays(dataset), begins, 7)
    assert data[:4] == b"CDF" + bytes([version])
    assert len(data) % 4 == 0
    (tmp_path / "f.nc").write_bytes(data + bytes(4000))
    file = LocalFile(str(tmp_path / "f.nc"))
    header = read_header(file)
    file.close()
    assert header.records == 7
    assert [(d.name, d.size) for d in header.dimensions] == [("t", None), ("x", 3)]
    assert [(v.name, v.dimensions, v.begin) for v in header.variables] == [
        ("v", (0, 1), 1000), ("w", (1,), 2000), ("c", (1,), 3000),
    ]  # fmt: skip
    found = header.variables[0].attributes
    assert [(a.name, a.values) for a in found] == [("units", ("K",)), ("range", (1, 2, 3))]
    assert [(a.name, a.text) for a in header.attributes] == [("title", "\u00e9"), ("empty", "")]


def test_the_library_reads_it(tmp_path):
    netcdf = pytest.importorskip("scipy.io", reason="scipy is not installed").netcdf_file
    dataset = read_cdl(b"netcdf s { dimensions: x = 2 ; variables: int v(x) ; }", source="s")
    begins = {"/v": 0}
    size = len(HeaderWriter(1).encode(dataset, plan_arrays(dataset), begins, 0))
    header = HeaderWriter(1).encode(dataset, plan_arrays(dataset), {"/v": size}, 0)
    data = io.BytesIO(header + b"\0\0\0\1\0\0\0\2")
    with netcdf(data, mmap=False) as file:
        assert file.variables["v"][:].tolist() == [1, 2]
