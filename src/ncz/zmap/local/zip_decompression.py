"""Decompress entries of zip files piece by piece, without more memory than a piece needs."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from bz2 import BZ2Decompressor
    from lzma import LZMADecompressor


PIECE = 1 << 20  # bytes that are read or decompressed in one call

_LZMA_HEADER = struct.Struct("<2xHBL")  # length of the properties: a byte, size of the dictionary


class _Inflater:
    """zlib's decompressor with the methods of `bz2`'s and `lzma`'s."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._inflater.eof

    @property
    def needs_input(self) -> bool:
        return not self._inflater.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inflater.decompress(self._inflater.unconsumed_tail + data, max_length)


class _Lzma:
    """LZMA as in zip files, after a special header.

    The header declares the memory that it allocates first; `largest` is the most that the data
    need.
    """

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._decompressor: LZMADecompressor | None = None

    @property
    def eof(self) -> bool:
        return self._decompressor is not None and self._decompressor.eof

    @property
    def needs_input(self) -> bool:
        return self._decompressor is None or self._decompressor.needs_input

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if self._decompressor is None:
            import lzma

            size, first, dictionary = _LZMA_HEADER.unpack_from(data)
            rest, lc = divmod(first, 9)
            pb, lp = divmod(rest, 5)
            chain = [
                {
                    "id": lzma.FILTER_LZMA1, "lc": lc, "lp": lp, "pb": pb,
                    "dict_size": min(dictionary, self._largest),
                }
            ]  # fmt: skip
            self._decompressor = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=chain)
            data = data[4 + size :]
        return self._decompressor.decompress(data, max_length)


_Decompressor: TypeAlias = "_Inflater | _Lzma | BZ2Decompressor"


def decompressor_of(entry: zipfile.ZipInfo) -> _Decompressor:
    """Return the decompressor of an entry. Raises NotImplementedError for an unknown method."""
    if entry.compress_type == zipfile.ZIP_DEFLATED:
        return _Inflater()
    if entry.compress_type == zipfile.ZIP_BZIP2:
        import bz2

        return bz2.BZ2Decompressor()
    if entry.compress_type == zipfile.ZIP_LZMA:
        return _Lzma(max(1 << 12, entry.file_size))
    raise NotImplementedError


def decompress(decompressor: _Decompressor, pieces: Iterator[bytes], most: int) -> Iterator[bytes]:
    """Yield decompressed pieces of data, up to `most` bytes in all."""
    for piece in pieces:
        data = piece
        while most > 0 and not decompressor.eof:
            part = decompressor.decompress(data, min(most, PIECE))
            most -= len(part)
            yield part
            data = b""
            if decompressor.needs_input and len(part) < PIECE:
                break
        if most <= 0 or decompressor.eof:
            return
