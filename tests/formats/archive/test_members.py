"""The dataset in an archive."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from typing import IO

import pytest

from ncz.errors import FormatError
from ncz.formats.archive.members import member_of_tar, member_of_zip


def tarred(*names: str) -> IO[bytes]:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(name)
            archive.addfile(entry, io.BytesIO(name.encode()))
    file.seek(0)
    return file


def zipped(*names: str) -> IO[bytes]:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    file.seek(0)
    return file


Open = Callable[..., tuple[str, IO[bytes]]]


@pytest.fixture(params=["tar", "zip"])
def opened(request: pytest.FixtureRequest) -> Open:
    make, member = (tarred, member_of_tar) if request.param == "tar" else (zipped, member_of_zip)
    return lambda *names, inside="": member(make(*names), inside, f"a.{request.param}")


def test_the_only_dataset_is_found(opened: Open):
    name, file = opened("notes.txt", "d/a.nc", "d/._a.nc")
    assert name == "d/a.nc"
    assert file.read() == b"d/a.nc"


def test_one_of_several_is_named(opened: Open):
    name, file = opened("a.nc", "b.h5", inside="/b.h5")
    assert (name, file.read()) == ("b.h5", b"b.h5")


def test_parts_of_a_member_are_read(opened: Open):
    _, file = opened("x" * 9, "long-name.nc")
    file.seek(5)
    assert file.read(4) == b"name"
    assert file.read() == b".nc"


@pytest.mark.parametrize(
    ("names", "inside", "message"),
    [
        (["a.txt"], "", "has no netCDF or HDF5 file, and no Zarr store; unpack it first"),
        (["a.nc", "b.nc"], "", r"has 2 datasets: a\.nc, b\.nc; name one, such as"),
        (["a.nc"], "c.nc", r"no member is named 'c\.nc'; it has a\.nc"),
        ([], "c.nc", "it has nothing"),
    ],
)
def test_an_ambiguous_member_is_an_error(opened: Open, names, inside: str, message: str):
    with pytest.raises(FormatError, match=message):
        opened(*names, inside=inside)


def test_a_store_is_the_whole_tar_archive():
    file = tarred("a.zarr/.zgroup", "a.zarr/v/0")
    name, found = member_of_tar(file, "", "a.tar")
    assert name == ""
    assert found is file
    assert found.tell() == 0


@pytest.mark.parametrize("member", [member_of_tar, member_of_zip])
def test_a_damaged_archive_is_an_error(member):
    with pytest.raises(FormatError, match=r"damaged|cannot be read"):
        member(io.BytesIO(b"x" * 700), "", "a.tar")
