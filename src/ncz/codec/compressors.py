"""Compressors of bytes: bz2, lzma, lz4 and snappy.

bz2 and lzma come from the standard library, and stop at a limit.

Sources: the formats of bzip2 and xz; numcodecs for lz4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import (
    LEVEL,
    ArraySpec,
    Bytes,
    Codec,
    Configuration,
    EncodedBytes,
    Hdf5Spelling,
    Parameter,
    Stage,
    TooLong,
    by_numcodecs,
    choice,
    integer,
    to_bytes,
)

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


_BZ2_END = 0x177245385090  # these 48 bits, the checksum, and up to 7 bits of padding


class Bz2(Codec):
    """The codec bz2: bzip2."""

    id = "bz2"
    kind = "compressor"
    parameters = (integer("level", 1, 1, 9),)
    effort = ("level",)
    hdf5 = Hdf5Spelling(307, LEVEL, ("bzip2",))
    v3 = by_numcodecs("bz2")
    short = (("level", 5),)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Decompress at most `stage.limit` bytes."""
        import bz2

        return _stream(bz2.BZ2Decompressor(), to_bytes(value), stage.limit)

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Check the first bytes and the last bits."""
        if len(data) < 14 or data[:3] != b"BZh":
            return False
        tail = int.from_bytes(data[-11:], "big")
        return any(tail >> 32 + bits & 2**48 - 1 == _BZ2_END for bits in range(8))


_XZ_EXTREME = 2**31
_XZ_PRESETS = (*range(10), *(_XZ_EXTREME | preset for preset in range(10)))
_DICTIONARY = 256 << 20  # bytes of memory that lzma may take in addition to its output


class Lzma(Codec):
    """The codec lzma: xz, lzma, or raw data of lzma's filters."""

    id = "lzma"
    kind = "compressor"
    parameters = (
        choice("format", 1, 1, 2, 3),
        choice("check", -1, -1, 0, 1, 4, 10),
        choice("preset", None, *_XZ_PRESETS),
        Parameter("filters"),
    )
    v3 = by_numcodecs("lzma")
    short = (("preset", 6),)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Decompress at most `stage.limit` bytes, in the container format that is configured."""
        import lzma

        container = stage.configuration.get("format", 1)
        if container == lzma.FORMAT_RAW:
            filters = stage.configuration.get("filters")
            stream = lzma.LZMADecompressor(container, filters=filters)
        else:
            stream = lzma.LZMADecompressor(lzma.FORMAT_AUTO, memlimit=_DICTIONARY)
        return _stream(stream, to_bytes(value), stage.limit)

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Check the first and last bytes of xz."""
        if configuration.get("format", 1) != 1:
            return True
        return len(data) >= 32 and data[:6] == b"\xfd7zXZ\0" and data[-2:] == b"YZ"


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


class Lz4(Codec):
    """The codec lz4: one block, after its decoded size."""

    id = "lz4"
    kind = "compressor"
    # The library takes 0 for 1, and larger numbers for 65537.
    parameters = (integer("acceleration", 1, 0, 65537),)
    effort = ("acceleration",)
    v3 = by_numcodecs("lz4")
    short = (("acceleration", 1),)

    def check(self, data: Bytes, stage: Stage) -> None:
        """Compare the decoded size with the data: one byte decodes to 255 bytes at most."""
        size = int.from_bytes(data[:4], "little")
        stage.refuse_longer(size)
        if len(data) < 5 or size > 255 * len(data):
            raise ValueError(f"its {len(data)} bytes are too few for the {size} that it declares")

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Compare the decoded size."""
        return len(data) > 4 and size in (None, int.from_bytes(data[:4], "little"))


class Snappy(Codec):
    """The codec snappy, which old stores name."""

    id = "snappy"
    kind = "compressor"
    can_encode = False


CODECS = (Lz4(), Bz2(), Lzma(), Snappy())
