"""The entries of an unfinished zip file that need not be written again."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest

from ncz.zmap.local.unfinished_zip import complete_entries


def entry(name: str, data: bytes, *, zip64: bool = False, **changed: int) -> bytes:
    """Return a local header of APPNOTE.TXT and its data, with changes of the header."""
    length = 0xFFFFFFFF if zip64 else len(data)
    extra = struct.pack("<HHQQ", 1, 16, len(data), len(data)) if zip64 else b""
    header = {
        "version": 45 if zip64 else 20, "flags": 0 if name.isascii() else 0x800, "method": 0,
        "time": 0, "date": 33, "crc": zlib.crc32(data), "stored": length, "length": length,
        "name": len(name.encode()), "extra": len(extra),
    }  # fmt: skip
    packed = struct.pack("<HHHHHLLLHH", *(header | changed).values())
    return b"PK\3\4" + packed + name.encode() + extra + data


FIRST = entry("v/0", b"abc")


def kept(*parts: bytes) -> tuple[list[tuple[str, int, int]], int]:
    """Return the name, offset and size of each complete entry, and the end of the last one."""
    entries, end = complete_entries(io.BytesIO(b"".join(parts)))
    assert all(each.file_size == each.compress_size for each in entries)
    return [(each.filename, each.header_offset, each.file_size) for each in entries], end


@pytest.mark.parametrize("zip64", [False, True])
def test_complete_entries_are_kept(zip64):
    second = entry("v/ä", b"defg" * 20_000, zip64=zip64)
    entries = [("v/0", 0, 3), ("v/ä", len(FIRST), 80_000)]
    assert kept(FIRST, second) == (entries, len(FIRST + second))
    third = entry("w/0", b"")
    assert kept(FIRST, second, third)[0] == [*entries, ("w/0", len(FIRST + second), 0)]


@pytest.mark.parametrize("zip64", [False, True])
def test_an_entry_is_kept_only_if_it_is_whole(zip64):
    second = entry("v/1", b"defg", zip64=zip64)
    for length in range(len(second)):
        assert kept(FIRST, second[:length]) == ([("v/0", 0, 3)], len(FIRST)), length


@pytest.mark.parametrize(
    "second",
    [
        entry("v/1", b"defg", crc=1),
        entry("v/1", b"defg", method=8),
        entry("v/1", b"defg", length=3),
        entry("v/1", b"defg", stored=3),
        entry("v/.zarray", b"{}"),  # documents are written last, when all else is complete
        b"PK\1\2" + FIRST[4:],
    ],
    ids=["checksum", "compressed", "length", "stored length", "document", "directory"],
)
def test_other_entries_end_the_kept_part(second):
    assert kept(FIRST, second, FIRST) == ([("v/0", 0, 3)], len(FIRST))


def test_an_entry_of_a_file_with_64_bit_lengths_can_be_read_when_it_is_complete():
    file = io.BytesIO(FIRST + entry("v/1", b"defg", zip64=True))
    entries, end = complete_entries(file)
    file.seek(end)
    with zipfile.ZipFile(file, "w") as archive:
        archive.filelist.extend(entries)
    with zipfile.ZipFile(file) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "v/0": b"abc",
            "v/1": b"defg",
        }
