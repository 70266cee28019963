"""The compressor zstd.

numcodecs decodes zstd frame by frame, with a limit for each. The header of a frame may contain its
decoded size. A chunk may have several frames, and frames without data ("skippable"). The headers of
a frame's blocks give its end, and its largest possible size, without decompressing anything.

Source: RFC 8878, section 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ncz.codec import (
    ArraySpec,
    Bytes,
    Codec,
    Configuration,
    EncodedBytes,
    Hdf5Parameter,
    Hdf5Spelling,
    Parameter,
    Stage,
    TooLong,
    V3Parameter,
    V3Spelling,
    flag,
    to_bytes,
)
from ncz.record import record

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


_MAGIC = b"\x28\xb5\x2f\xfd"
_LARGEST_BLOCK = 128 << 10
_SLACK = 64 << 20  # blocks of a frame without a size may be small; see `decompress_zstd`

_RAW, _REPEATED, _COMPRESSED = range(3)


@record
class Frame:
    """A frame: its place in the data, and the most bytes that it can contain.

    The number of bytes is exact if `is_exact`; otherwise its blocks may contain less.
    """

    start: int
    end: int
    most: int
    is_exact: bool


class Zstd(Codec):
    """The codec zstd: frames of Zstandard."""

    id = "zstd"
    kind = "compressor"
    parameters = (
        Parameter("level", "integer", 0, -131072, 22, wraps=True),
        flag("checksum", False, is_recent=True),
    )
    effort = ("level", "checksum")
    hdf5 = Hdf5Spelling(32015, (Hdf5Parameter("level", 0, signed=True),), ("zstandard",))
    v3 = V3Spelling("zstd", (V3Parameter("level", 0), V3Parameter("checksum", False)))
    short = (("level", 3),)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Decompress frames that contain at most `stage.limit` bytes together."""

        def decode_frame(frame: bytes) -> bytes:
            return to_bytes(self.load(stage.configuration).decode(frame))

        return decompress_zstd(to_bytes(value), stage.limit, decode_frame)

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Compare the sizes of all frames."""
        try:
            parts = list(frames(data))
        except ValueError:
            return False
        most = sum(frame.most for frame in parts)
        if size is None:
            return True
        return most == size if all(frame.is_exact for frame in parts) else most >= size


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


def frames(data: EncodedBytes) -> Iterator[Frame]:
    """Iterate over frames except skippable ones. Raises `ValueError` if the data end early."""
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


def _frame(data: EncodedBytes, start: int) -> Frame:
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
            f"its header declares {declared} bytes, but its blocks contain at most {most}"
        )
    return Frame(start, at, declared if width else most, bool(width))


CODECS = (Zstd(),)
