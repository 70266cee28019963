"""Datasets in streams: the bytes of files on standard input, and open files in Python."""

from __future__ import annotations

import gzip
import io
import tempfile
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b'netcdf d { dimensions: x = 3 ; variables: int v(x) ; v:units = "m" ; data: v = 1, 2, 3 ; }'


class Pipe(io.RawIOBase):
    """A stream that gives few bytes at a time, and cannot go back."""

    def __init__(self, data: bytes) -> None:
        self._rest = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._rest.read(min(size, 1000) if size >= 0 else -1)


@pytest.fixture
def copies(tmp_path, monkeypatch):
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(params=["d.nc", "c.nc", "d.zip", "d.nc.gz"])
def data(tmp_path, request):
    kind: Any = "classic" if request.param == "c.nc" else "netCDF-4"
    path = tmp_path / request.param
    if request.param == "d.nc.gz":
        ncz.gen(io.BytesIO(CDL), tmp_path / "d.nc", notify=ignore_notice)
        return gzip.compress((tmp_path / "d.nc").read_bytes())
    ncz.gen(io.BytesIO(CDL), path, kind=kind, notify=ignore_notice)
    return path.read_bytes()


def test_commands_read_the_bytes_of_files(run, tmp_path, copies, data):
    assert run("copy", "-", tmp_path / "o.zarr", stdin=data).code == 0
    assert ncz.open(tmp_path / "o.zarr")["v"][...].tolist() == [1, 2, 3]
    assert b"\tint v(x) ;" in run("dump", "-h", "-", stdin=data).stdout
    assert run("dump", "-a", "v:units", "-", stdin=data).stdout == b"m\n"
    assert run("info", "-", stdin=data).text.startswith("stdin: ")
    assert run("diff", "--data-only", "-", tmp_path / "o.zarr", stdin=data).code == 0
    assert [*copies.iterdir()] == []


@pytest.mark.parametrize("stream", [io.BytesIO, Pipe])
def test_functions_read_streams(tmp_path, copies, data, stream):
    ncz.copy(stream(data), tmp_path / "o.nc", notify=ignore_notice)
    assert ncz.open(tmp_path / "o.nc")["v"][...].tolist() == [1, 2, 3]
    assert "int v(x)" in ncz.dump(stream(data), header_only=True)
    assert "int v(x)" in ncz.dump(stream(CDL), header_only=True)
    assert ncz.digest(stream(data)) == ncz.digest(tmp_path / "o.nc")
    assert [*copies.iterdir()] == []


def test_texts_are_read_as_before(run, tmp_path):
    as_json = run("dump", "--json", "-", stdin=CDL).stdout
    assert run("dump", "-", stdin=as_json).text == run("dump", "-", stdin=CDL).text
    assert run("info", "-", stdin=b"netcdf d { x }").stderr.startswith("ncz: stdin:1:")
    assert run("info", "-").stderr.startswith("ncz: stdin:1:1: this is not CDL")


def test_an_open_file_is_read_from_its_position(tmp_path):
    path = tmp_path / "d.nc"
    ncz.gen(io.BytesIO(CDL), path, notify=ignore_notice)
    path.write_bytes(b"12" + path.read_bytes())
    with open(path, "rb") as file:
        file.seek(2)
        assert ncz.info(file).name == "d"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"GRIB\0\0\x60\x01" + bytes(84), "ncz: standard input: this is a GRIB file"),
        (b"CDF\1\0", "ncz: standard input: byte 4: the netCDF file is damaged"),
        (b"PK\3\4 no zip file", "ncz: standard input: the zip file is truncated or damaged"),
    ],
)
def test_errors_name_standard_input(run, copies, content, says):
    ran = run("info", "-", stdin=content)
    assert ran.code == 1
    assert ran.stderr.startswith(says)
    assert str(copies) not in ran.stderr
    assert [*copies.iterdir()] == []


def test_a_reference_set_refers_to_no_temporary_copy(run, tmp_path):
    path = tmp_path / "d.nc"
    ncz.gen(io.BytesIO(CDL), path, notify=ignore_notice)
    packed = tmp_path / "d.nc.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for source in ("-", packed):
        ran = run("copy", source, tmp_path / "refs.json", stdin=path.read_bytes())
        assert "a reference set cannot refer to the contents of a stream" in ran.stderr
        assert not (tmp_path / "refs.json").exists()
