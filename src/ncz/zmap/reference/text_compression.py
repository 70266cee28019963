"""Compress or decompress the text of a reference set."""

from __future__ import annotations

from ncz.errors import FormatError
from ncz.zmap.key import LARGEST_SET, too_large
from ncz.zmap.kinds import GZIP, GZIP_SUFFIXES, ZSTD, ZSTD_SUFFIXES

_ZSTD_LEVEL, _GZIP_LEVEL = 3, 6


def compress_text(text: bytes, path: str) -> bytes:
    """Return the text of a set as the name of its file says: ``.json.zst``, ``.json.gz``."""
    name = path.lower()
    if name.endswith(ZSTD_SUFFIXES):
        from numcodecs.zstd import compress

        return bytes(compress(text, _ZSTD_LEVEL))
    if name.endswith(GZIP_SUFFIXES):
        from ncz.codec.deflate_streams import GZIP as WINDOW
        from ncz.codec.deflate_streams import deflate

        return deflate(text, _GZIP_LEVEL, WINDOW)
    return text


def decompress_text(data: bytes, location: str) -> bytes:
    """Return the text of a set that may be compressed with Zstandard or gzip.

    Raises `FormatError` for damaged data, and `ZmapError` for more than `LARGEST_SET` bytes of
    text.
    """
    if not data.startswith((GZIP, ZSTD)):
        return data
    import zlib

    from ncz.codec import TooLong
    from ncz.codec.deflate_streams import GZIP as WINDOW
    from ncz.codec.inflate import inflate

    try:
        if data.startswith(GZIP):
            return bytes(inflate(data, LARGEST_SET, WINDOW))
        from numcodecs.zstd import decompress as decoded

        from ncz.codec.zstd import decompress_zstd

        return decompress_zstd(data, LARGEST_SET, lambda frame: bytes(decoded(frame)))
    except TooLong as error:
        raise too_large(location, LARGEST_SET) from error
    except (ValueError, RuntimeError, zlib.error) as error:
        raise FormatError(f"the compressed text is damaged: {error}", location) from error
