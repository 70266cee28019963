"""Entries of zip files, decompressed piece by piece."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest

from ncz.zmap.local import zip_decompression
from ncz.zmap.local.zip_decompression import decompress, decompressor_of

DATA = bytes(range(256)) * 50 + bytes(9000)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(zip_decompression, "PIECE", 4096)


def stored(data: bytes, method: int) -> tuple[zipfile.ZipInfo, bytes]:
    """Return the entry of a zip file, and its bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("v", data)
    (entry,) = zipfile.ZipFile(file).infolist()
    name, extra = struct.unpack_from("<HH", file.getvalue(), entry.header_offset + 26)
    start = entry.header_offset + 30 + name + extra
    return entry, file.getvalue()[start : start + entry.compress_size]


METHODS = [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@pytest.mark.parametrize("size", [100, 1 << 30])
@pytest.mark.parametrize("method", METHODS)
def test_pieces_of_any_size(method, size):
    entry, data = stored(DATA, method)
    size = min(size, len(data))
    pieces = (data[at : at + size] for at in range(0, len(data), size))
    parts = list(decompress(decompressor_of(entry), pieces, len(DATA)))
    assert b"".join(parts) == DATA
    assert max(map(len, parts)) <= 4096


@pytest.mark.parametrize("method", METHODS)
def test_no_more_than_the_most(method):
    entry, data = stored(DATA, method)
    parts = decompress(decompressor_of(entry), iter([data]), 1000)
    assert b"".join(parts) == DATA[:1000]


def test_an_unknown_method():
    entry = zipfile.ZipInfo("v")
    entry.compress_type = 99
    with pytest.raises(NotImplementedError):
        decompressor_of(entry)
