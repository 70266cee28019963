"""The zmap over a zip file: layouts, hostile entries, damage, and bytes that never change."""

from __future__ import annotations

import errno
import hashlib
import shutil
import stat
import struct
import subprocess
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ZmapError
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.zip import ZipZmap
from ncz.zmap.local.zip_layout import NCZARR_PREFIX
from ncz.zmap.local.zip_writer import ZipWriter
from tests.sampled import share_of
from tests.zmap.contract import TREE, WritableZmapContract, ZmapContract
from tests.zmap.local.test_directory import fill


@pytest.fixture
def places(tmp_path):
    """A new file name at each call."""
    numbers = iter(range(1_000_000))
    return lambda: str(tmp_path / f"store{next(numbers)}.zip")


def write(path, objects, prefix=""):
    writer = ZipWriter(path, path, prefix=prefix)
    for key, value in objects.items():
        writer.put(key, value)
    writer.close()
    return path


def by_hand(path, entries, **options):
    """A zip of (name, bytes) pairs, in their order, twins and all."""
    with zipfile.ZipFile(path, "w", **options) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a duplicate name
        for name, value in entries:
            archive.writestr(name, value)
    return str(path)


class TestWrittenByUs(ZmapContract):
    @pytest.fixture
    def store(self, places, closing):
        return lambda objects: closing(ZipZmap(write(places(), objects)))


class TestNczarrLayout(ZmapContract):
    """Below a folder, which is found by the documents in it; without any there is no such store."""

    @pytest.fixture
    def store(self, places, closing):
        def make(objects):
            has_root = any(name in objects for name in ROOT_DOCUMENTS)
            return closing(ZipZmap(write(places(), objects, NCZARR_PREFIX if has_root else "")))

        return make


class TestCompressedByOthers(ZmapContract):
    @pytest.fixture
    def store(self, places, closing):
        return lambda objects: closing(
            ZipZmap(by_hand(places(), objects.items(), compression=zipfile.ZIP_DEFLATED))
        )


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


# ---- layouts of others


@pytest.mark.parametrize(
    "prefix", ["", "tiny/", "x.zarr/", "data/2024/x.zarr/", "./", "./x.zarr/", "grün/"]
)
def test_a_store_below_a_folder(tmp_path, prefix, closing):
    entries = [(prefix + key, value) for key, value in TREE.items()]
    if prefix.strip("./"):
        entries.insert(0, (prefix, b""))  # netcdf-c's and zip's directory entries
        entries.insert(3, (f"{prefix}g/", b""))
    zmap = closing(ZipZmap(by_hand(tmp_path / "x.zip", entries)))
    assert {key: zmap.get(key) for key in zmap.walk()} == TREE
    assert zmap.ignored == ()


def test_a_mac_leaves_its_own_folder_next_to_the_store(tmp_path, closing):
    entries = [("__MACOSX/x.zarr/._.zgroup", b"?"), ("x.zarr/.zgroup", b"{}"), ("x.zarr/v/0", b"1")]
    zmap = closing(ZipZmap(by_hand(tmp_path / "x.zip", entries)))
    assert list(zmap.walk()) == [".zgroup", "v/0"]
    assert zmap.ignored == ("__MACOSX/x.zarr/._.zgroup",)


def test_a_mac_leaves_a_file_next_to_the_store(tmp_path, closing):
    entries = [(".DS_Store", b"?"), ("x.zarr/.zgroup", b"{}"), ("x.zarr/.DS_Store", b"?")]
    zmap = closing(ZipZmap(by_hand(tmp_path / "x.zip", entries)))
    assert list(zmap.walk()) == [".DS_Store", ".zgroup"]
    assert zmap.ignored == (".DS_Store",)


@pytest.mark.parametrize(
    "names",
    [
        ["a/.zgroup", "b/.zgroup"],  # two stores
        ["readme.txt", "x.zarr/.zgroup"],
        ["v/0", "v/1"],  # no document at all
        ["abc/.zgroup", "abd/.zgroup"],
    ],
)
def test_without_one_root_all_keys_are_shown(tmp_path, names, closing):
    zmap = closing(ZipZmap(by_hand(tmp_path / "x.zip", [(name, b"") for name in names])))
    assert list(zmap.walk()) == names


def test_a_root_that_has_documents_is_the_root(tmp_path, closing):
    zmap = closing(ZipZmap(by_hand(tmp_path / "x.zip", [("g/.zgroup", b""), (".zattrs", b"")])))
    assert list(zmap.walk()) == [".zattrs", "g/.zgroup"]


@pytest.mark.parametrize("inside", [True, False], ids=["from-inside", "from-outside"])
def test_a_directory_zipped_by_hand(tmp_path, inside, closing):
    if shutil.which("zip") is None:
        pytest.skip("there is no zip program here")
    objects = {**TREE, "with space/grün": b"odd", "100%/.zarray": b"{}"}
    fill(tmp_path / "x.zarr", objects)
    location, what = (tmp_path / "x.zarr", ".") if inside else (tmp_path, "x.zarr")
    subprocess.run(["zip", "-q", "-r", tmp_path / "x.zip", what], cwd=location, check=True)
    with_zip = closing(ZipZmap(str(tmp_path / "x.zip")))
    assert {key: with_zip.get(key) for key in with_zip.walk()} == objects


@pytest.mark.parametrize("prefix", ["", NCZARR_PREFIX])
def test_our_zip_unpacked_by_hand_is_a_directory_store(tmp_path, prefix):
    path = write(str(tmp_path / "x.zip"), {**TREE, "grün/v/0": b"1"}, prefix)
    shutil.unpack_archive(path, tmp_path / "out")
    zmap = DirectoryZmap(str(tmp_path / "out" / prefix))
    assert {key: zmap.get(key) for key in zmap.walk()} == {**TREE, "grün/v/0": b"1"}


def test_names_without_the_mark_of_utf8_are_taken_as_utf8(tmp_path, closing):
    path = tmp_path / "x.zip"
    by_hand(path, [("grün/.zgroup", b"{}"), (".zgroup", b"")])
    raw = bytearray(path.read_bytes())
    for magic, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = raw.find(magic)
        raw[at + flags : at + flags + 2] = b"\0\0"
    path.write_bytes(raw)
    assert closing(ZipZmap(str(path))).get("grün/.zgroup") == b"{}"


# ---- hostile and damaged files


def test_entries_that_lead_out_are_left_out(tmp_path, closing):
    bad = ["../evil", "/abs/.zarray", "a/../../b", "a//b", "..\\evil", "a/.."]
    entries = [(name, b"evil") for name in bad] + [(".zgroup", b"{}"), ("v/0", b"good")]
    zmap = closing(ZipZmap(by_hand(tmp_path / "x.zip", entries)))
    assert list(zmap.walk()) == [".zgroup", "v/0"]
    assert sorted(zmap.ignored) == sorted(bad)


def test_a_backslash_can_be_part_of_a_name(tmp_path, closing):
    zmap = closing(ZipZmap(by_hand(tmp_path / "x.zip", [(".zgroup", b""), ("a\\b/0", b"1")])))
    assert zmap.search("") == [".zgroup", "a\\b"]


def test_of_entries_with_one_name_the_last_is_read(tmp_path, closing):
    entries = [(".zgroup", b"old"), ("v/0", b"1"), (".zgroup", b"newer"), (".zgroup", b"newest!")]
    zmap = closing(ZipZmap(by_hand(tmp_path / "x.zip", entries)))
    assert zmap.get(".zgroup") == b"newest!"
    assert zmap.get_range(".zgroup", 1, 2) == b"ew"
    assert list(zmap.walk()) == [".zgroup", "v/0"]


def test_an_encrypted_entry_is_an_error_that_names_it(tmp_path, closing):
    path = tmp_path / "x.zip"
    by_hand(path, [(".zgroup", b"{}")])
    raw = bytearray(path.read_bytes())
    raw[6] |= 1
    raw[raw.find(b"PK\1\2") + 8] |= 1
    path.write_bytes(raw)
    zmap = closing(ZipZmap(str(path), "x.zip"))
    assert zmap.search("") == [".zgroup"]
    for read in (zmap.get, lambda key: zmap.get_range(key, 0, 1)):
        with pytest.raises(ZmapError, match=r"x\.zip: /\.zgroup: the entry is encrypted"):
            read(".zgroup")


def test_an_unknown_compression_is_an_error_that_names_it(tmp_path, closing):
    path = tmp_path / "x.zip"
    by_hand(path, [(".zgroup", b"{}")])
    raw = bytearray(path.read_bytes())
    raw[8:10] = raw[raw.find(b"PK\1\2") + 10 :][:2] = b"\x63\0"
    raw[raw.find(b"PK\1\2") + 10] = 0x63
    path.write_bytes(raw)
    with pytest.raises(ZmapError, match=r"/\.zgroup: the entry is compressed by method 99"):
        closing(ZipZmap(str(path), "x.zip")).get(".zgroup")


def test_a_wrong_checksum_is_an_error(tmp_path, closing):
    path = tmp_path / "x.zip"
    by_hand(path, [(".zgroup", b"{    }")])
    path.write_bytes(path.read_bytes().replace(b"{    }", b"{ 17 }"))
    with pytest.raises(ZmapError, match=r"/\.zgroup: the zip file is truncated or damaged"):
        closing(ZipZmap(str(path), "x.zip")).get(".zgroup")


@pytest.mark.parametrize("keep", [0, 1, 22, 100, 400, -1, -20])
def test_a_truncated_zip_is_an_error(tmp_path, keep):
    path = tmp_path / "x.zip"
    write(str(path), TREE)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ZmapError, match=r"x\.zip: the zip file is truncated or damaged"):
        ZipZmap(str(path), "x.zip")


@settings(
    max_examples=share_of(300),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_damage_is_one_clean_error_or_none(tmp_path, data):
    path = tmp_path / "damaged.zip"
    path.unlink(missing_ok=True)
    compressed = data.draw(st.sampled_from([0, 8, 12, 14]))
    by_hand(path, TREE.items(), compression=compressed)
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw)
    try:
        zmap = ZipZmap(str(path))
    except ZmapError:
        return
    for key in zmap.walk():
        for read in (zmap.get, lambda key: zmap.get_range(key, 1, 2)):
            try:
                read(key)
            except ZmapError as error:
                assert "\n" not in str(error)  # noqa: PT017
    zmap.close()


@settings(
    max_examples=share_of(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(junk=st.binary(max_size=200))
def test_arbitrary_bytes_are_one_clean_error(tmp_path, junk):
    path = tmp_path / "junk.zip"
    path.write_bytes(b"PK\3\4" + junk)
    with pytest.raises(ZmapError):
        ZipZmap(str(path))


# ---- writing


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
def test_the_bytes_are_those_that_zipfile_writes(tmp_path, prefix, monkeypatch):
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


def test_the_bytes_are_the_same_whatever_the_file_is_called(tmp_path):
    first = write(str(tmp_path / "a.zip"), TREE, NCZARR_PREFIX)
    second = write(str(tmp_path / "another.zip"), TREE, NCZARR_PREFIX)
    digests = [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in (first, second)]
    assert digests[0] == digests[1]
    # ... and on every system and with every Python:
    small = write(str(tmp_path / "small.zip"), {".zgroup": b"{}", "v/0": b"1"})
    digest = hashlib.sha256(Path(small).read_bytes()).hexdigest()
    assert digest == "e69a404e7b151b1eeb73da375db859cf5427ca0cfa9b2063ddd351dee37eeb64"


def test_the_order_in_which_documents_are_put_does_not_matter(tmp_path):
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
    """A file on a disk that takes so many bytes and no more."""

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


def test_an_interrupt_while_a_file_is_opened_is_raised(places, monkeypatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    path = places()
    write(path, {".zgroup": b"{}"})
    monkeypatch.setattr("ncz.zmap.local.zip.store_entries", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ZipZmap(path)


def test_a_dataset_names_the_chunks_of_a_zip_file_that_it_cannot_read(places):
    path = places()
    write(path, {".zgroup": b'{"zarr_format": 2}'})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("v//0", b"")
    told: list[str] = []
    ncz.open(path, notify=lambda notice: told.append(notice.message)).close()
    assert told == ["documents or chunks whose names are not keys: 'v//0'; left out"]
