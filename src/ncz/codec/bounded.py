"""Decompression that stops at a limit, so that a few bytes cannot become gigabytes.

A chunk's size is known before it is decoded. The standard library's decompressors stop at that
size. Frames of blosc, lz4 and zstd declare their size, and are decoded only if it fits. Sources:
RFC 1950-1952; c-blosc's README_HEADER; numcodecs' LZ4 (four bytes of size before the block);
RFC 8878, section 3.1.1.1.
"""

from __future__ import annotations

from typing import Any

Configuration = dict[str, Any]


class TooLong(ValueError):
    """The data decode to more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"it decodes to more than {limit} bytes")


def inflate(data: bytes, limit: int, window: int) -> bytes:
    """Decompress zlib (`window` 15), or gzip (31) of one or more members."""
    from ncz.codec.deflate import decompressor

    result: bytes = b""
    while True:
        stream = decompressor(window)
        result += stream.decompress(data, limit + 1 - len(result))
        if len(result) > limit:
            raise TooLong(limit)
        if not stream.eof:
            raise ValueError("the compressed data ends too early")
        data = stream.unused_data.lstrip(b"\0")
        if not data or window == 15:
            return result


def bunzip2(data: bytes, limit: int) -> bytes:
    """Decompress bzip2."""
    import bz2

    return _stream(bz2.BZ2Decompressor(), data, limit)


def unlzma(data: bytes, limit: int, configuration: Configuration) -> bytes:
    """Decompress lzma, in the container format and with the filters of the configuration."""
    import lzma

    container = configuration.get("format", 1)
    if container == lzma.FORMAT_RAW:
        stream = lzma.LZMADecompressor(container, filters=configuration.get("filters"))
    else:
        stream = lzma.LZMADecompressor(lzma.FORMAT_AUTO)
    return _stream(stream, data, limit)


def _stream(stream: Any, data: bytes, limit: int) -> bytes:
    result: bytes = stream.decompress(data, limit + 1)
    if len(result) > limit:
        raise TooLong(limit)
    if not stream.eof:
        # A raw lzma stream may have no end marker; then only the size can be checked.
        more: bytes = b"" if stream.needs_input else stream.decompress(b"", limit + 1 - len(result))
        result += more
        if len(result) > limit:
            raise TooLong(limit)
        if not stream.eof and stream.needs_input and not result:
            raise ValueError("the compressed data ends too early")
    return result


def declared_size(codec_id: str, data: bytes) -> int | None:
    """Return the decoded size that a blosc, lz4 or zstd frame declares; None if it has none."""
    if codec_id == "blosc":
        return int.from_bytes(data[4:8], "little") if len(data) >= 16 else 0
    if codec_id == "lz4":
        return int.from_bytes(data[:4], "little")
    if codec_id == "zstd":
        return _zstd_size(data)
    return None


def _zstd_size(data: bytes) -> int | None:
    if data[:4] != b"\x28\xb5\x2f\xfd" or len(data) < 6:
        return None
    descriptor = data[4]
    single_segment = bool(descriptor & 0x20)
    width = (1 if single_segment else 0, 2, 4, 8)[descriptor >> 6]
    if width == 0:
        return None
    start = 5 + (not single_segment) + (0, 1, 2, 4)[descriptor & 3]
    size = int.from_bytes(data[start : start + width], "little")
    return size + 256 if width == 2 else size
