"""The complete entries of a zip file that was not finished."""

from __future__ import annotations

import os
import struct
import zlib
from typing import BinaryIO
from zipfile import ZipInfo

from ncz.zmap.key import is_document
from ncz.zmap.local.zip_layout import UTF8, new_entry

_HEADER = struct.Struct("<HH4xLLLHH")  # a local header after its magic bytes and version
_BLOCK = 1 << 20


def complete_entries(file: BinaryIO) -> tuple[list[ZipInfo], int]:
    """Return the complete entries of an unfinished file, and the end of the last one.

    Documents are written last, so an unfinished file contains none.
    """
    size = file.seek(0, os.SEEK_END)
    entries: list[ZipInfo] = []
    at = 0
    while at < size:
        file.seek(at)
        header = file.read(30)
        if len(header) < 30 or header[:4] != b"PK\3\4":
            break
        flags, method, crc, stored, length, name, extra = _HEADER.unpack(header[6:])
        text = file.read(name)
        fields = file.read(extra)
        if fields[:2] == b"\1\0" and len(fields) >= 20:  # 64-bit lengths
            length, stored = struct.unpack("<QQ", fields[4:20])
        start = at + 30 + name + extra
        if method or stored != length or start + length > size or _crc(file, length) != crc:
            break
        entry = new_entry(text.decode("utf-8" if flags & UTF8 else "cp437"))
        entry.header_offset, entry.CRC = at, crc
        entry.file_size = entry.compress_size = length
        if is_document(entry.filename):
            break
        entries.append(entry)
        at = start + length
    return entries, at


def _crc(file: BinaryIO, length: int) -> int:
    crc = 0
    while length > 0 and (block := file.read(min(length, _BLOCK))):
        crc = zlib.crc32(block, crc)
        length -= len(block)
    return crc if length == 0 else -1
