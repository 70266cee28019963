"""The zmap over a zip file: layouts, hostile entries and damage."""

from __future__ import annotations

import shutil
import subprocess
import warnings
import zipfile

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
from tests.zmap.contract import TREE, ZmapContract
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
