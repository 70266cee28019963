"""Datasets in compressed files and archives are read from a temporary copy."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numcodecs
import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"netcdf d { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }"


@pytest.fixture(params=["classic", "netCDF-4"])
def data(tmp_path, request):
    ncz.gen(io.BytesIO(CDL), tmp_path / "d.nc", kind=request.param, notify=ignore_notice)
    return (tmp_path / "d.nc").read_bytes()


@pytest.fixture
def copies(tmp_path, monkeypatch):
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def tar(data: bytes, *names: str, mode: Any = "w") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def zipped(data: bytes, *names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, data)
    return stream.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "d.nc.gz": gzip.compress,
    "d.nc.bz2": bz2.compress,
    "d.nc.xz": lzma.compress,
    "d.nc.zst": lambda data: bytes(numcodecs.Zstd().encode(data)),
    "no suffix": gzip.compress,
    "two members.nc.gz": lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:]),
    "b.tar": lambda data: tar(data, "notes.txt", "in/d.nc", "in/._d.nc"),
    "b.tgz": lambda data: tar(data, "d.nc", mode="w:gz"),
    "b.tar.bz2": lambda data: tar(data, "d.nc", mode="w:bz2"),
    "c.zip": lambda data: zipped(data, "read.me", "d.nc"),
    "c.zip.gz": lambda data: gzip.compress(zipped(data, "d.nc")),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_dataset_is_read_and_its_copy_removed(tmp_path, copies, data, name):
    path = tmp_path / name
    path.write_bytes(PACKED[name](data))
    with ncz.open(path) as ds:
        assert ds["v"][...].tolist() == [1, 2, 3]
        assert ds.filepath() == str(path)
        assert pickle.loads(pickle.dumps(ds))["v"][1] == 2
        assert [*copies.iterdir()]
    ncz.copy(path, tmp_path / "o.zarr")
    assert ncz.diff(path, tmp_path / "o.zarr", data_only=True) == []
    assert [*copies.iterdir()] == []


@pytest.mark.parametrize(
    ("chain", "content"),
    [
        ("zip://a.nc::{}", lambda data: zipped(data, "a.nc", "b.nc")),
        ("tar://a.nc::{}", lambda data: tar(data, "a.nc", "b.nc")),
        ("gzip://a.nc::{}", gzip.compress),
        ("bz2://::{}", bz2.compress),
        ("xz://a.nc::{}", lzma.compress),
    ],
)
def test_a_chain_names_the_content_of_a_file(tmp_path, data, chain, content):
    path = tmp_path / "f"
    path.write_bytes(content(data))
    with ncz.open(chain.format(path)) as ds:
        assert ds["v"][...].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (lambda data: gzip.compress(data)[:-20], "the compressed file is damaged"),
        (lambda data: lzma.compress(data)[:-20], "the compressed file is damaged"),
        (lambda data: tar(data, "a.nc", "b.nc"), "has 2 datasets: a.nc, b.nc; name one, such as"),
        (lambda data: tar(data, "a.txt"), "this tar archive has no netCDF or HDF5 file"),
        (lambda data: zipped(data, "a.nc", "b.nc"), "has 2 datasets: a.nc, b.nc"),
        (lambda _: gzip.compress(b"text"), "this is not a dataset that ncz knows"),
    ],
)
def test_unreadable_archives_are_one_line(tmp_path, copies, data, content, says):
    path = tmp_path / "f.gz"
    path.write_bytes(content(data))
    with pytest.raises(ncz.NczError) as caught:
        ncz.open(path)
    text = str(caught.value)
    assert says in text
    assert str(path) in text
    assert str(copies) not in text
    assert [*copies.iterdir()] == []


def test_a_copy_that_the_disk_has_no_room_for(tmp_path, copies, monkeypatch):
    import shutil

    class Usage:
        free = (256 << 20) + (1 << 20)

    path = tmp_path / "bomb.nc.gz"
    path.write_bytes(gzip.compress(bytes(8 << 20)))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage)
    with pytest.raises(ncz.NczError, match="needs more than the 1 MiB that are free"):
        ncz.open(path)
    with pytest.raises(ncz.NczError, match="needs more than the 1 MiB that are free"):
        ncz.open(b"CDF\1" + bytes(8 << 20))
    assert [*copies.iterdir()] == []


def test_a_store_in_a_zip_file_is_a_store(tmp_path, data):
    Path(tmp_path / "s.nc").write_bytes(data)
    ncz.copy(tmp_path / "s.nc", tmp_path / "s.zip")
    assert ncz.info(tmp_path / "s.zip").format != "netCDF"
    assert ncz.open(tmp_path / "s.zip")["v"][...].tolist() == [1, 2, 3]


def test_a_compressed_file_is_not_changed(tmp_path, data):
    path = tmp_path / "d.nc.gz"
    path.write_bytes(gzip.compress(data))
    before = path.read_bytes()
    with ncz.open(path, "r+") as ds, pytest.raises((ncz.NczError, TypeError)):
        ds.attrs["title"] = "t"
    assert path.read_bytes() == before
