"""Files that are compressed or archives, by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from ncz.formats.archive.signs import has_store, is_archive
from ncz.formats.kinds import Source
from ncz.zmap.location import parse_location


def is_one(path: Path, data: bytes) -> bool:
    path.write_bytes(data)
    return is_archive(Source(parse_location(str(path))))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_are_archives_but_sets_of_json(tmp_path: Path, compress):
    assert is_one(tmp_path / "a.nc.x", compress(b"CDF\1"))
    assert not is_one(tmp_path / "a.json.gz", compress(b"{}"))


@pytest.mark.parametrize("data", [b"", b"CDF\1" + bytes(300), b"\x89HDF\r\n\x1a\n", b"text" * 200])
def test_other_files_are_not(tmp_path: Path, data: bytes):
    assert not is_one(tmp_path / "a.nc", data)


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return file.getvalue()


def tarred(*names: str) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name))
    return file.getvalue()


def test_archives_of_stores_are_read_in_place(tmp_path: Path):
    assert is_one(tmp_path / "a.zip", zipped("a.nc", "b.NC"))
    assert not is_one(tmp_path / "a.zip", zipped("a.zarr/.zgroup", "a.nc"))
    assert not is_one(tmp_path / "a.zip", zipped("notes.txt"))
    assert not is_one(tmp_path / "a.zip", b"PK\3\4damaged")
    assert is_one(tmp_path / "a.tar", tarred("a.nc"))
    assert not is_one(tmp_path / "a.tar", tarred("a.zarr/zarr.json"))


def test_a_document_of_a_store_is_found_in_any_folder():
    assert has_store(["a/b/.zgroup"])
    assert not has_store(["a.nc", "zgroup", "zarr.json.bak"])
