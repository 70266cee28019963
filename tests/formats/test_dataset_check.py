"""The check of netCDF files."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT, Run

CORPUS = sorted((ROOT / "tests" / "corpus").rglob("*.nc"))
CDL = """netcdf f {{ dimensions: time = 40 ; x = 50 ;
variables: double time(time) ; time:units = "days since 2000-01-01" ;
  float v(time, x) ; v:_ChunkSizes = 1, 50 ; v:_DeflateLevel = 1 ; v:coordinates = "lat" ;
data: time = {} ; v = {} ; }}""".format(
    ", ".join(map(str, range(40))),
    ", ".join(str(n % 17) for n in range(2000)),
)  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "f.cdl").write_text(CDL)
    ncz.gen(tmp_path / "f.cdl", tmp_path / "f.nc", kind="netCDF-4")
    return tmp_path / "f.nc"


def test_a_netcdf_file_is_checked(run: Run, file):
    ran = run("check", file)
    assert (ran.code, ran.text.splitlines()) == (
        0,
        [
            "note: name-unknown: /v: coordinates names lat, which the file does not have; add it,"
            " or change the attribute with ncz edit",
            "0 errors, 0 warnings, 1 note",
        ],
    )
    assert "/v: 40 of 40 chunks" in run("check", "--census", file).text


def test_a_file_is_opened_once(run: Run, file):
    assert run("check", "--trace", file).stderr.count(f"open {file}") == 1


@pytest.mark.parametrize("name", ["s.zarr", "s.zip", "v3.zarr", "s.json"])
def test_a_store_is_opened_once(run: Run, file, tmp_path, name):
    store = tmp_path / name
    modes = ["zarr", "v3"] if name == "v3.zarr" else []
    ncz.copy(file, store, modes=modes, allow_loss=True, notify=ignore_notice)
    traced = run("check", "--trace", store)
    assert traced.stderr.count(f"open {store}") == 1, traced.stderr
    report = ncz.check(file, audience="zarr-python")
    assert [f.code for f in report.findings] == ["reader-unopened", "name-unknown"]


def test_a_damaged_chunk_is_named(run: Run, file):
    data = bytearray(file.read_bytes())
    h5py = pytest.importorskip("h5py")
    with h5py.File(file) as opened:
        place = opened["v"].id.get_chunk_info(7)
    data[place.byte_offset + 4 : place.byte_offset + place.size] = bytes(place.size - 4)
    file.write_bytes(data)
    assert run("check", file).code == 0
    ran = run("check", "--data", file)
    assert ran.code == 1
    assert "error: chunk-damaged: /v: /v chunk 7.0: " in ran.text
    assert ran.text.endswith("1 error, 0 warnings, 1 note\n")


def test_a_truncated_file_is_an_error_of_the_report(run: Run, file, tmp_path):
    (tmp_path / "t.nc").write_bytes(file.read_bytes()[:-100])
    ran = run("check", tmp_path / "t.nc")
    assert (ran.code, ran.stderr) == (1, "")
    assert ran.text.startswith("error: store-unreadable: /: the file is truncated")
    ncz.gen(tmp_path / "f.cdl", tmp_path / "c.nc", kind="64-bit offset", notify=ignore_notice)
    (tmp_path / "c.nc").write_bytes((tmp_path / "c.nc").read_bytes()[:-100])
    ran = run("check", tmp_path / "c.nc")
    assert ran.code == 1
    assert ran.text.startswith("error: file-truncated: /")


def test_a_group_of_a_file(run: Run, tmp_path):
    (tmp_path / "g.cdl").write_text(
        "netcdf g { group: h { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; } }"
    )
    ncz.gen(tmp_path / "g.cdl", tmp_path / "g.nc")
    ran = run("check", "--census", f"{tmp_path}/g.nc/h")
    assert (ran.code, ran.text.splitlines()[0]) == (0, "/v: 1 of 1 chunk, 8 bytes")


@pytest.mark.parametrize("path", CORPUS[::4], ids=lambda path: path.name)
def test_files_of_others_are_checked(path):
    report = ncz.check(path, data=True, notify=ignore_notice)
    codes = {f.code for f in report.findings if f.severity == "error"}
    assert codes <= {"codec-missing"}
