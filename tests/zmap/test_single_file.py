"""Files that are stores or datasets."""

from __future__ import annotations

import zipfile

import pytest

from ncz.zmap.location import parse_location
from ncz.zmap.single_file import fault_of_file, kind_of_file


@pytest.mark.parametrize(
    ("path", "first", "kind"),
    [
        ("x", b"\x89HDF\r\n\x1a\n", "netCDF file"),
        ("x", b"CDF\x01", "netCDF file"),
        ("x", b"PK\x03\x04", "zip file"),
        ("x.json", b'{"version": 1}', "reference set"),
        ("x.txt", b"hello", None),
        ("x.png", b"\x89PNG\r\n\x1a\n", None),
    ],
)
def test_the_kind_of_a_file(path, first, kind):
    assert kind_of_file(path, first) == kind


def zipped(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def fault_of(path):
    return fault_of_file(parse_location(str(path)), path.read_bytes()[:8])


def test_a_zip_file_is_a_store_if_it_has_a_document_and_nothing_foreign(tmp_path):
    assert fault_of(zipped(tmp_path / "store.zip", **{".zgroup": '{"zarr_format": 2}'})) is None
    empty = fault_of(zipped(tmp_path / "empty.zip"))
    assert empty is not None
    assert empty.is_empty
    photos = fault_of(zipped(tmp_path / "photos.zip", photo="x"))
    assert photos is not None
    assert (photos.reason, photos.is_empty) == ("the zip file has no document of a store", False)
    mixed = zipped(tmp_path / "mixed.zip", **{".zgroup": '{"zarr_format": 2}', "a/photo.jpg": "x"})
    assert fault_of(mixed) is not None


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"\x89PNG\r\n\x1a\n", "PNG"), (b"hello", "a file of another kind")],
)
def test_other_files_are_named(tmp_path, data, reason):
    (tmp_path / "x").write_bytes(data)
    fault = fault_of(tmp_path / "x")
    assert fault is not None
    assert reason in fault.reason
