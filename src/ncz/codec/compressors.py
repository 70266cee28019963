"""Compressors of bytes: blosc, bz2, lzma, zstd, lz4 and snappy.

bz2 and lzma are those of the standard library, which stop at a limit. numcodecs decodes zstd frame
by frame, none of which can give more than it may. A frame says in its header how much it holds, or
it does not; a chunk may have several frames, and frames that hold nothing ("skippable"). The
headers of a frame's blocks tell where it ends, and how much it can hold at most, without
decompressing anything.

Sources: RFC 8878, section 3.1, for zstd; the formats of bzip2 and xz; numcodecs for lz4; c-blosc's
README_HEADER and README_CHUNK_FORMAT.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ncz.codec import (
    LARGEST,
    LEVEL,
    Bytes,
    Codec,
    Configuration,
    Encoded,
    Hdf5Parameter,
    Hdf5Spelling,
    Parameter,
    Stage,
    TooLong,
    V3Parameter,
    V3Spelling,
    by_numcodecs,
    choice,
    flag,
    integer,
    to_bytes,
)
from ncz.record import record

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


_VERSIONS = (2, 2)
"""The revision of the HDF5 filter, and of Blosc's format."""

_AUTOMATIC = ("bitshuffle", "shuffle")


class Blosc(Codec):
    """Blosc."""

    id = "blosc"
    kind = "compressor"
    parameters = (
        integer("clevel", 5, 0, 9),
        integer("blocksize", 0, 0, LARGEST),
        choice("cname", "lz4", "blosclz", "lz4", "lz4hc", "zlib", "zstd"),
        integer("shuffle", 1, -1, 2),
        Parameter("typesize", "integer", None, 1, 255, is_recent=True),
    )
    hdf5 = Hdf5Spelling(
        32001,
        (
            *(Hdf5Parameter(),) * 3,
            Hdf5Parameter("blocksize", 0),
            Hdf5Parameter("clevel", 5),
            Hdf5Parameter("shuffle", 1),
            # numcodecs has no snappy; ncz can name it, but not write it.
            Hdf5Parameter("cname", 0, ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")),
        ),
    )
    v3 = V3Spelling(
        "blosc",
        (
            V3Parameter("typesize", is_item_size=True),
            V3Parameter("cname", "zstd"),
            V3Parameter("clevel", 5),
            V3Parameter("shuffle", "noshuffle", ("noshuffle", "shuffle", "bitshuffle"), _AUTOMATIC),
            V3Parameter("blocksize", 0),
        ),
    )
    short = (("cname", "lz4"), ("clevel", 5), ("shuffle", 1))

    def hdf5_parameters(
        self, numbers: tuple[int, ...], item_size: int, chunk_size: int
    ) -> tuple[int, ...]:
        """Return versions and sizes, which only the writer of a file knows, and the numbers."""
        return (*_VERSIONS, item_size, item_size * chunk_size, *numbers[4:])

    def check(self, data: Bytes, stage: Stage) -> None:
        """Compare the sizes in the header, and the table of blocks, with the data."""
        if len(data) < 16:
            raise ValueError("it is shorter than the header of blosc")
        flags = data[2]
        size, block, encoded = (int.from_bytes(data[at : at + 4], "little") for at in (4, 8, 12))
        stage.refuse_longer(size)
        if encoded != len(data):
            raise ValueError(f"its header declares {encoded} bytes, but it has {len(data)}")
        if size and not 0 < block <= size:
            raise ValueError(f"its header declares blocks of {block} bytes, of {size} in all")
        if flags & 2:  # the elements follow as they are
            if encoded != size + 16:
                raise ValueError(f"its header declares {size} bytes, but {encoded - 16} follow")
            return
        table = 16 + 4 * (-(-size // block) if size else 0)
        if table > encoded:
            raise ValueError("it is shorter than its table of blocks")
        _check_block_starts(data[16:table], table, encoded)

    def encode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Encode in one thread, because several write the blocks in an order that varies.

        numcodecs uses several in the main thread only, and reads its setting each time.
        """
        from numcodecs import blosc

        if threading.current_thread() is not threading.main_thread():
            return super().encode(value, stage)
        chosen, blosc.use_threads = blosc.use_threads, False
        try:
            return super().encode(value, stage)
        finally:
            blosc.use_threads = chosen

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Compare the sizes in the header."""
        head = data[:16]
        return (
            len(head) == 16
            and int.from_bytes(head[12:], "little") == len(data)
            and size in (None, int.from_bytes(head[4:8], "little"))
        )


def _check_block_starts(starts: Bytes, first: int, end: int) -> None:
    """Check that each block has at least its four bytes of length, after the table."""
    import numpy as np

    places = np.frombuffer(starts, "<i4")
    if places.size and not (int(places.min()) >= first and int(places.max()) <= end - 4):
        raise ValueError("its table of blocks points outside of it")


# Compressors of bytes: bz2, lzma, zstd, lz4 and snappy.


_BZ2_END = 0x177245385090  # these 48 bits, the checksum, and up to 7 bits of padding


class Bz2(Codec):
    """bzip2."""

    id = "bz2"
    kind = "compressor"
    parameters = (integer("level", 1, 1, 9),)
    hdf5 = Hdf5Spelling(307, LEVEL)
    v3 = by_numcodecs("bz2")
    short = (("level", 5),)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Decompress at most `stage.limit` bytes."""
        import bz2

        return _stream(bz2.BZ2Decompressor(), to_bytes(value), stage.limit)

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Check the first bytes and the last bits."""
        if len(data) < 14 or data[:3] != b"BZh":
            return False
        tail = int.from_bytes(data[-11:], "big")
        return any(tail >> 32 + bits & 2**48 - 1 == _BZ2_END for bits in range(8))


_XZ_EXTREME = 2**31
_XZ_PRESETS = (*range(10), *(_XZ_EXTREME | preset for preset in range(10)))
_DICTIONARY = 256 << 20  # bytes of memory that lzma may take beside its output


class Lzma(Codec):
    """xz, lzma, or raw data of lzma's filters."""

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
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
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
    """One block of lz4, after its decoded size."""

    id = "lz4"
    kind = "compressor"
    # The library takes 0 for 1, and larger numbers for 65537.
    parameters = (integer("acceleration", 1, 0, 65537),)
    v3 = by_numcodecs("lz4")
    short = (("acceleration", 1),)

    def check(self, data: Bytes, stage: Stage) -> None:
        """Compare the decoded size with the data, of which a byte stands for 255 at most."""
        size = int.from_bytes(data[:4], "little")
        stage.refuse_longer(size)
        if len(data) < 5 or size > 255 * len(data):
            raise ValueError(f"its {len(data)} bytes cannot hold the {size} that it declares")

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Compare the decoded size."""
        return len(data) > 4 and size in (None, int.from_bytes(data[:4], "little"))


class Snappy(Codec):
    """Snappy, which is named in old stores."""

    id = "snappy"
    kind = "compressor"
    can_encode = False


# --- zstd -----------------------------------------------------------------------------------------

_MAGIC = b"\x28\xb5\x2f\xfd"
_LARGEST_BLOCK = 128 << 10
_SLACK = 64 << 20  # blocks of a frame without a size may be small; see `decompress_zstd`

_RAW, _REPEATED, _COMPRESSED = range(3)


@record
class Frame:
    """A frame: its place in the data, and the most bytes that it holds.

    The number of bytes is exact if `is_exact`; otherwise its blocks may hold less.
    """

    start: int
    end: int
    most: int
    is_exact: bool


class Zstd(Codec):
    """Frames of Zstandard."""

    id = "zstd"
    kind = "compressor"
    parameters = (
        integer("level", 0, -131072, 22),
        flag("checksum", False, is_recent=True),
    )
    hdf5 = Hdf5Spelling(32015, (Hdf5Parameter("level", 0, signed=True),))
    v3 = V3Spelling("zstd", (V3Parameter("level", 0), V3Parameter("checksum", False)))
    short = (("level", 3),)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Decompress frames that hold at most `stage.limit` bytes together."""

        def decode_frame(frame: bytes) -> bytes:
            return to_bytes(self.load(stage.configuration).decode(frame))

        return decompress_zstd(to_bytes(value), stage.limit, decode_frame)

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Compare the sizes of all frames."""
        try:
            found = list(frames(data))
        except ValueError:
            return False
        most = sum(frame.most for frame in found)
        if size is None:
            return True
        return most == size if all(frame.is_exact for frame in found) else most >= size


def decompress_zstd(data: bytes, limit: int, decode: Callable[[bytes], bytes]) -> bytes:
    """Decompress all frames; `decode` decompresses one.

    A frame without a size is refused if its blocks can hold 64 MiB more than `limit`. Writers fill
    all blocks but the last, so no ordinary frame is concerned.
    """
    parts = []
    length = 0
    for frame in frames(data):
        if length + frame.most > limit + (0 if frame.is_exact else _SLACK):
            raise TooLong(limit)
        if frame.most == 0:
            continue  # numcodecs takes an empty frame for a damaged one
        whole = frame.start == 0 and frame.end == len(data)
        part = decode(data if whole else data[frame.start : frame.end])
        length += len(part)
        if length > limit:
            raise TooLong(limit)
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def frames(data: Encoded) -> Iterator[Frame]:
    """Iterate over the frames, without those to skip. Raises `ValueError` if the data end early."""
    at = 0
    if not data:
        raise ValueError("the compressed data is empty")
    while at < len(data):
        if data[at + 1 : at + 4] == b"\x2a\x4d\x18" and data[at] >> 4 == 5:
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        elif data[at : at + 4] == _MAGIC:
            frame = _frame(data, at)
            yield frame
            at = frame.end
        else:
            raise ValueError("this is not a zstd frame")
    if at > len(data):
        raise ValueError("the compressed data ends too early")


def _frame(data: Encoded, start: int) -> Frame:
    descriptor = data[start + 4] if start + 4 < len(data) else 0
    is_single = bool(descriptor & 0x20)
    at = start + 5
    block = _LARGEST_BLOCK
    if not is_single:
        window = data[at] if at < len(data) else 0
        log = 10 + (window >> 3)
        block = min(block, (1 << log) + (1 << log >> 3) * (window & 7))
        at += 1
    at += (0, 1, 2, 4)[descriptor & 3]  # the number of a dictionary
    width = (1 if is_single else 0, 2, 4, 8)[descriptor >> 6]
    declared = int.from_bytes(data[at : at + width], "little") + (256 if width == 2 else 0)
    at += width
    most = 0
    is_last = False
    while not is_last:
        header = int.from_bytes(data[at : at + 3], "little")
        if at + 3 > len(data):
            raise ValueError("the compressed data ends too early")
        is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        at += 3 + (1 if kind == _REPEATED else size)
        most += block if kind == _COMPRESSED else size
    at += 4 if descriptor & 4 else 0  # a checksum
    if at > len(data):
        raise ValueError("the compressed data ends too early")
    if width and declared > most:
        raise ValueError(
            f"its header declares {declared} bytes, but its blocks hold at most {most}"
        )
    return Frame(start, at, declared if width else most, bool(width))


CODECS = (Zstd(), Lz4(), Bz2(), Lzma(), Snappy(), Blosc())
