"""The bytes of compressed files, piece by piece."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import IO, Any

from ncz.errors import ZmapError
from ncz.formats.archive.signs import BZIP2, XZ
from ncz.zmap.kinds import GZIP, ZSTD

_LARGEST_IN_MEMORY = 1 << 30
"""Bytes of a file of zstd, and of its contents, which are decompressed as a whole."""


def _gzip(file: IO[bytes], _: str) -> IO[bytes]:
    import gzip

    return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]


def _bzip2(file: IO[bytes], _: str) -> IO[bytes]:
    import bz2

    return bz2.BZ2File(file)


def _xz(file: IO[bytes], _: str) -> IO[bytes]:
    import lzma

    return lzma.LZMAFile(file)


def _zstd(file: IO[bytes], url: str) -> IO[bytes]:
    from numcodecs.zstd import decompress

    from ncz.codec import TooLong
    from ncz.codec.zstd import decompress_zstd

    data = file.read(_LARGEST_IN_MEMORY + 1)
    try:
        if len(data) > _LARGEST_IN_MEMORY:
            raise TooLong(_LARGEST_IN_MEMORY)
        whole = decompress_zstd(data, _LARGEST_IN_MEMORY, lambda frame: bytes(decompress(frame)))
    except TooLong as error:
        raise ZmapError(
            "the compressed file is larger than 1 GiB", url,
            "decompress it first with zstd -d, and open the result",
        ) from error  # fmt: skip
    return io.BytesIO(whole)


_READERS: Mapping[bytes, Callable[[IO[bytes], str], IO[bytes]]] = {
    GZIP: _gzip, BZIP2: _bzip2, XZ: _xz, ZSTD: _zstd,
}  # fmt: skip
"""The first bytes of a compressed file, and the function that reads it."""


def decompress_stream(file: IO[bytes], start: bytes, url: str) -> IO[bytes] | None:
    """Return a file of the decompressed bytes; None if a file is not compressed.

    Parameters
    ----------
    file
        The file, at its beginning.
    start
        Its first bytes.
    url
        Its name in messages.
    """
    read = next((each for magic, each in _READERS.items() if start.startswith(magic)), None)
    return None if read is None else read(file, url)


def damage() -> tuple[type[BaseException], ...]:
    """Return the errors of a compressed file that is damaged."""
    import lzma
    import zlib

    errors: tuple[Any, ...] = (EOFError, OSError, ValueError, RuntimeError, zlib.error)
    return (*errors, lzma.LZMAError)
