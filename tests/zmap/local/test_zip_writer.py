"""Zip files that ncz writes: bytes that never change, and errors."""

from __future__ import annotations

import errno
import hashlib
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from ncz.errors import ZmapError
from ncz.zmap.local.zip import ZipZmap
from ncz.zmap.local.zip_layout import NCZARR_PREFIX
from ncz.zmap.local.zip_writer import ZipWriter
from tests.zmap.contract import TREE, WritableZmapContract
from tests.zmap.local.test_zip import write


@pytest.fixture
def places(tmp_path):
    """A new file name at each call."""
    numbers = iter(range(1_000_000))
    return lambda: str(tmp_path / f"store{next(numbers)}.zip")


class TestWhileWriting(WritableZmapContract):
    @pytest.fixture
    def store(self, places, closing):
        def make(objects):
            writer = closing(ZipWriter(places(), "x.zip"))
            for key, value in objects.items():
                writer.put(key, value)
            return writer

        return make

    @pytest.fixture
    def empty(self, places, closing):
        return closing(ZipWriter(places(), "x.zip", prefix=NCZARR_PREFIX))


def entries_of(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return archive.infolist()


def test_netcdf_c_finds_its_prefix_in_the_first_entry(tmp_path):
    entries = entries_of(write(str(tmp_path / "x.zip"), TREE, NCZARR_PREFIX))
    assert entries[0].filename == NCZARR_PREFIX
    assert entries[0].is_dir()
    assert sorted(e.filename for e in entries[1:]) == sorted(NCZARR_PREFIX + key for key in TREE)


def test_entries_are_stored_with_one_date_and_permission(tmp_path):
    for entry in entries_of(write(str(tmp_path / "x.zip"), TREE)):
        assert entry.compress_type == zipfile.ZIP_STORED
        assert entry.date_time == (1980, 1, 1, 0, 0, 0)
        assert entry.external_attr >> 16 == stat.S_IFREG | 0o644
        assert not entry.flag_bits & 0x8  # sizes stand before the data: a stream can be read


@pytest.mark.parametrize("prefix", ["", NCZARR_PREFIX])
def test_the_bytes_equal_zipfile_s(tmp_path, prefix, monkeypatch):
    objects = {
        "v/0": b"",
        "v/1": b"12",
        "gr\u00f6\u00dfe/0": b"3" * 70_000,
        "v/2": b"4" * (3 << 20),
    }
    ours = write(str(tmp_path / "ours.zip"), objects, prefix)
    monkeypatch.setattr(
        ZipWriter, "_append_at_once", lambda self, *entry: self._zip.writestr(*entry)
    )
    theirs = write(str(tmp_path / "theirs.zip"), objects, prefix)
    assert Path(ours).read_bytes() == Path(theirs).read_bytes()


def test_objects_that_were_put_can_be_read_before_the_file_is_complete(tmp_path, closing):
    writer = ZipWriter(str(tmp_path / "x.zip"), "x.zip")
    for number in range(300):
        writer.put(f"v/{number}", bytes([number % 256]) * number)
        if number % 7 == 0:
            assert writer.get(f"v/{number // 2}") == bytes([number // 2 % 256]) * (number // 2)
    writer.close()
    zmap = closing(ZipZmap(str(tmp_path / "x.zip")))
    for number in range(300):
        assert zmap.get(f"v/{number}") == bytes([number % 256]) * number


def test_the_bytes_are_the_same_for_any_name_of_the_file(tmp_path):
    first = write(str(tmp_path / "a.zip"), TREE, NCZARR_PREFIX)
    second = write(str(tmp_path / "another.zip"), TREE, NCZARR_PREFIX)
    digests = [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in (first, second)]
    assert digests[0] == digests[1]
    # ... and on every system and with every Python:
    small = write(str(tmp_path / "small.zip"), {".zgroup": b"{}", "v/0": b"1"})
    digest = hashlib.sha256(Path(small).read_bytes()).hexdigest()
    assert digest == "e69a404e7b151b1eeb73da375db859cf5427ca0cfa9b2063ddd351dee37eeb64"


def test_the_order_of_documents_does_not_matter(tmp_path):
    documents = {key: value for key, value in TREE.items() if "/." in key or key[0] == "."}
    backwards = dict(reversed(documents.items()))
    first = Path(write(str(tmp_path / "a.zip"), documents)).read_bytes()
    assert first == Path(write(str(tmp_path / "b.zip"), backwards)).read_bytes()


def test_each_key_is_written_once_and_the_roots_documents_last(tmp_path, closing):
    path = str(tmp_path / "x.zip")
    writer = closing(ZipWriter(path, path))
    for _ in range(3):
        for key in (".zattrs", ".zgroup", "g/.zgroup", "zarr.json", "g/v/zarr.json"):
            writer.put(key, b"{}")
    writer.put("g/v/c/0", b"1")
    writer.close()
    assert [entry.filename for entry in entries_of(path)] == [
        "g/v/c/0", "g/v/zarr.json", "g/.zgroup", ".zattrs", ".zgroup", "zarr.json",
    ]  # fmt: skip


def test_a_chunk_is_written_once(tmp_path, closing):
    writer = closing(ZipWriter(str(tmp_path / "x.zip"), "x.zip"))
    writer.put("v/0", b"1")
    with pytest.raises(ZmapError, match="/v/0: a zip file is written in one pass"):
        writer.put("v/0", b"2")
    with pytest.raises(ZmapError, match="/v/0: an object cannot be deleted from a zip file"):
        writer.delete("v/0")


def test_a_name_that_is_not_utf8_is_refused(tmp_path, closing):
    writer = closing(ZipWriter(str(tmp_path / "x.zip"), "x.zip"))
    with pytest.raises(ZmapError, match="names in a zip file must be UTF-8"):
        writer.put("gr\udcfcn", b"")


def test_a_zip_of_many_entries_has_the_large_directory(tmp_path, closing):
    path = str(tmp_path / "x.zip")
    writer = closing(ZipWriter(path, path))
    for number in range(70_000):
        writer.put(f"v/{number}", b"")
    writer.close()
    zmap = closing(ZipZmap(path))
    assert sum(1 for _ in zmap.walk("v")) == 70_000
    tail = Path(path).read_bytes()[-22:]
    assert struct.unpack("<H", tail[10:12]) == (0xFFFF,)  # the count stands in zip64's record


class Full:
    """A file on a disk with a limited number of free bytes."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write(self, data):
        self._room -= len(data)
        if self._room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._file.write(data)


@pytest.mark.parametrize("room", [10, 200, 1000, 1100])
def test_a_full_disk_is_one_error_and_no_warning(tmp_path, room, closing):
    writer = closing(ZipWriter(str(tmp_path / "x.zip"), "x.zip"))
    writer._file = writer._zip.fp = Full(writer._file, room)

    def fill_up():
        writer.put("v/0", b"x" * 900)
        writer.put(".zgroup", b"y" * 50)
        writer.close()

    with pytest.raises(ZmapError, match="cannot write: No space left on device; free some space"):
        fill_up()
