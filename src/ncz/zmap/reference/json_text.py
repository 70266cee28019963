"""Write a reference set as JSON of version 0 or 1, and compress or decompress its text."""

from __future__ import annotations

import binascii
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted

from ncz.errors import FormatError
from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.kinds import GZIP, GZIP_SUFFIXES, ZSTD, ZSTD_SUFFIXES
from ncz.zmap.limits import LARGEST_SET, too_large
from ncz.zmap.reference.keyed import Entry, Reference


def json_text(entries: Mapping[str, Entry], version: int = 1, *, generates: bool = False) -> bytes:
    """Return the text of a set, in which bytes that are not ASCII text are base64.

    `generates` says whether version 1 has regular references as ``gen``.
    """
    lines: list[str] = []
    gen = ""
    if generates and version:
        from ncz.zmap.reference.generate import as_generated

        found, entries = as_generated(entries)
        gen = f'"gen":{json.dumps(found)},\n' if found else ""
    for key, entry in entries.items():
        if isinstance(entry, ByteRanges):
            lines += _lines(entry)
        else:
            lines.append(f"{quoted(key)}:{_value(entry)}")
    start, end = ('{"version":1,' + gen + '"refs":{', "}}") if version else ("{", "}")
    return (start + "\n" + ",\n".join(lines) + "\n" + end + "\n").encode("ascii")


def _lines(ranges: ByteRanges) -> Iterator[str]:
    url = quoted(ranges.url)
    keys = map(quoted, ranges.keys(ranges.indices))
    for key, offset, length in zip(
        keys, ranges.offsets.tolist(), ranges.lengths.tolist(), strict=True
    ):
        yield f"{key}:[{url},{offset},{length}]"


_quoted = lru_cache(maxsize=1000)(quoted)
"""The JSON text of a URL, which thousands of references have in common."""


def _value(reference: Reference) -> str:
    if isinstance(reference, ByteRange):
        url = _quoted(reference.url)
        if reference.length is None:
            return f"[{url}]"
        return f"[{url},{reference.offset},{reference.length}]"
    if reference.isascii() and not reference.startswith(b"base64:"):
        return quoted(reference.decode("ascii"))
    return f'"base64:{binascii.b2a_base64(reference, newline=False).decode("ascii")}"'


_ZSTD_LEVEL, _GZIP_LEVEL = 3, 6


def compressed(text: bytes, path: str) -> bytes:
    """Return the text of a set as the name of its file says: ``.json.zst``, ``.json.gz``."""
    name = path.lower()
    if name.endswith(ZSTD_SUFFIXES):
        from numcodecs.zstd import compress

        return bytes(compress(text, _ZSTD_LEVEL))
    if name.endswith(GZIP_SUFFIXES):
        from ncz.codec.deflate import GZIP as WINDOW
        from ncz.codec.deflate import deflate

        return deflate(text, _GZIP_LEVEL, WINDOW)
    return text


def decompressed(data: bytes, location: str) -> bytes:
    """Return the text of a set that may be compressed with Zstandard or gzip.

    Raises `FormatError` for damaged data, and `ZmapError` for more than `LARGEST_SET` bytes of
    text, of which no more are made.
    """
    if not data.startswith((GZIP, ZSTD)):
        return data
    from ncz.codec.base import TooLong
    from ncz.codec.deflate import GZIP as WINDOW
    from ncz.codec.deflate import inflate, library

    try:
        if data.startswith(GZIP):
            return inflate(data, LARGEST_SET, WINDOW)
        from numcodecs.zstd import decompress as decoded

        from ncz.codec.compressors import decompress_zstd

        return decompress_zstd(data, LARGEST_SET, lambda frame: bytes(decoded(frame)))
    except TooLong as error:
        raise too_large(location, LARGEST_SET) from error
    except (ValueError, RuntimeError, library().error) as error:
        raise FormatError(f"the compressed text is damaged: {error}", location) from error
