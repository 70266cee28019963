"""The files in tar archives, in stored order."""

from __future__ import annotations

import io
import tarfile

import pytest

from ncz.zmap.local.tar_entries import TarEntry, tar_entries


def archive(*members: tuple[str, bytes | None], **fields: object) -> bytes:
    """Return an archive of files; one without data has the other fields."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            if data is None:
                for field, value in fields.items():
                    setattr(entry, field, value)
            else:
                entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data or b""))
    return file.getvalue()


def entries(data: bytes) -> list[tuple[str, TarEntry]]:
    return list(tar_entries(io.BytesIO(data)))


def test_the_bytes_of_each_file_are_at_its_place():
    files = {"b": b"second", "a": b"first" * 200, "empty": b"", "a/" + "n" * 150: b"long name"}
    data = archive(*files.items())
    found = entries(data)
    assert [name for name, _ in found] == [*files]
    assert {name: data[e.start : e.start + e.size] for name, e in found} == files


def test_a_hard_link_is_the_file_that_it_names():
    data = archive(("a", b"x"), ("b", None), type=tarfile.LNKTYPE, linkname="a")
    assert [entry for _, entry in entries(data)] == [TarEntry(512, 1)] * 2


@pytest.mark.parametrize(
    "fields",
    [
        {"type": tarfile.SYMTYPE, "linkname": "a"},
        {"type": tarfile.LNKTYPE, "linkname": "missing"},
        {"type": tarfile.DIRTYPE},
        {"type": tarfile.CHRTYPE},
    ],
)
def test_links_out_of_the_archive_folders_and_devices_are_skipped(fields):
    assert [name for name, _ in entries(archive(("a", b"x"), ("b", None), **fields))] == ["a"]


def test_a_sparse_file_is_an_error():
    with pytest.raises(tarfile.ReadError, match="'b' is sparse"):
        entries(archive(("b", None), type=tarfile.GNUTYPE_SPARSE))


@pytest.mark.parametrize("end", [700, 1100, 1600])
def test_an_archive_that_ends_early_is_an_error(end: int):
    data = archive(("a", b"x" * 600), ("b", b"y" * 600))
    assert len(entries(data)) == 2
    with pytest.raises(tarfile.TarError):
        entries(data[:end])


def test_a_header_that_is_not_valid_is_not_the_end():
    data = bytearray(archive(("a", b"x"), ("b", b"y"), ("c", b"z")))
    data[1024 + 148] ^= 1  # the checksum of b
    with pytest.raises(tarfile.TarError):
        entries(bytes(data))
