"""The entries of existing zip files as keys of a store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from ncz.zmap.local.archive_entries import StoreEntries, entries_of
from ncz.zmap.local.zip_layout import UTF8

_END = 22  # bytes of the record at the end, without a comment
_LONGEST_END = _END + 0xFFFF


def store_entries(archive: ZipFile, inside: str = "") -> StoreEntries[ZipInfo]:
    """Return the entries of a store; see `entries_of`."""
    return entries_of(((_name(entry), entry) for entry in archive.infolist()), inside)


def check_count(archive: ZipFile, file: BinaryIO) -> None:
    """Raise `BadZipFile` if the directory has other entries than the file's end counts.

    zipfile believes the lengths of an entry's name and comment. A length that is too large hides
    the entries after it. The file's comment may contain bytes that look like another end, which
    zipfile takes.
    """
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - _LONGEST_END)
    file.seek(start)
    end = file.read()
    at = len(end) - _END if end[-_END:][:4] == b"PK\5\6" else end.rfind(b"PK\5\6")
    counted = int.from_bytes(end[at + 10 : at + 12], "little")
    if at >= 0 and counted not in (0xFFFF, len(archive.filelist) & 0xFFFF):
        raise BadZipFile(f"it counts {counted} entries, and lists {len(archive.filelist)}")
    if sum(1 for _ in _ends(end)) > 1:
        raise BadZipFile("it has two ends, one of them in a comment")


def _ends(data: bytes) -> Iterator[int]:
    """Yield the places of ends of a zip file whose comments reach exactly to the file's end."""
    at = data.find(b"PK\5\6")
    while at >= 0:
        if at + _END + int.from_bytes(data[at + 20 : at + 22], "little") == len(data):
            yield at
        at = data.find(b"PK\5\6", at + 1)


def _name(entry: ZipInfo) -> str:
    """Return the entry's name; most names that are not flagged as UTF-8 are UTF-8 too."""
    name = entry.orig_filename
    if entry.flag_bits & UTF8 or name.isascii():
        return name
    if entry.filename != name:  # a Unicode name in the extra field
        return entry.filename
    return name.encode("cp437").decode("utf-8", "surrogateescape")
