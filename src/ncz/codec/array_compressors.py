"""Compressors of arrays: zfpy and pcodec. Neither can limit the size of its output.

zfp does not check the end of its data; pcodec allocates the memory that the data request. They are
called in a way that bounds them.

Source: zfp's ``zfp.c`` for the header and the mode of a stream.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.codec import (
    LARGEST,
    Bytes,
    Codec,
    Parameter,
    Stage,
    TooLong,
    by_numcodecs,
    integer,
    to_bytes,
)
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


class Zfpy(Codec):
    """The codec zfpy."""

    id = "zfpy"
    kind = "compressor"
    parameters = (
        Parameter("mode", default=4),
        Parameter("tolerance", "number", -1),
        Parameter("rate", "number", -1),
        Parameter("precision", "number", -1),
        Parameter("compression_kwargs"),
    )
    v3 = by_numcodecs("zfpy")
    needs_array = True
    install = "pip install 'ncz[zfp]'"

    def check(self, data: Bytes, stage: Stage) -> None:
        """Check the shape in the header."""
        size, shape = _zfp_shape(data)
        stage.refuse_longer(size * math.prod(shape))

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Decode from a buffer with padding, because zfp may read beyond its data."""
        codec = self.load(stage.configuration)
        data = to_bytes(value)
        size = zfp_padding(data)
        if size > 4 * stage.limit + (64 << 20):
            raise TooLong(stage.limit)
        decoded: Elements = codec.decode(data.ljust(size + 64, b"\0"))
        return decoded


_ZFP_SIZES = (4, 8, 4, 8)  # of int32, int64, float32 and float64
_ZFP_BITS = {1: 48, 2: 24, 3: 16, 4: 12}  # of the length of each axis, by the number of axes


def _zfp_shape(data: Bytes) -> tuple[int, tuple[int, ...]]:
    """Return the size of an element in bytes, and the shape, that the header of zfp declares."""
    if data[:3] != b"zfp" or len(data) < 12:
        raise ValueError("it does not start with the header of zfp")
    meta = int.from_bytes(data[4:11], "little")
    size, axes = _ZFP_SIZES[meta & 3], (meta >> 2 & 3) + 1
    bits = _ZFP_BITS[axes]
    shape = tuple((meta >> 4 + bits * axis & (1 << bits) - 1) + 1 for axis in range(axes))
    return size, shape


def zfp_padding(data: bytes) -> int:
    """Return the number of bytes that zfp may read in all; it does not check its data's end."""
    size, shape = _zfp_shape(data)
    bits = longest_block(size, len(shape))
    mode = int.from_bytes(data[:20], "little") >> 84
    if mode & 0xFFF == 0xFFF:
        bits = max((mode >> 12 & 0x7FFF) + 1, min((mode >> 27 & 0x7FFF) + 1, bits))
    elif mode & 0xFFF < 2048:
        bits = (mode & 0xFFF) + 1
    return 64 + bytes_of_blocks(shape, bits)


def longest_block(size: int, axes: int) -> int:
    """Return the most bits of a block of zfp, of numbers of `size` bytes."""
    # Each value of a block takes its own bits, and fewer bits to separate it from the others.
    return 16 * size * (1 << 2 * axes) + 128


def bytes_of_blocks(shape: tuple[int, ...], bits: int) -> int:
    """Return the bytes of all blocks of an array from the bits of each."""
    return -(-math.prod(-(-length // 4) for length in shape) * bits // 8)


_DTYPES = ("f4", "f8", "i4", "i8", "u4", "u8", "i2", "u2", "f2", "i1", "u1")


class PCodec(Codec):
    """The codec pcodec."""

    id = "pcodec"
    kind = "compressor"
    parameters = (
        integer("level", 8, 0, 12),
        Parameter("mode_spec", "text", "auto"),
        Parameter("delta_spec", "text", "auto"),
        Parameter("paging_spec", "text", "equal_pages_up_to"),
        integer("delta_encoding_order", None, 0, 7),
        integer("equal_pages_up_to", 2**18, 1, LARGEST),
    )
    v3 = by_numcodecs("pcodec")
    needs_array = True
    install = "pip install pcodec"

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Decode into a buffer of the largest size that is allowed."""
        self.load(stage.configuration)  # raises if it is not installed
        from pcodec import standalone

        data = to_bytes(value)
        reason: Exception | None = None
        for dtype in _DTYPES:  # the library refuses other dtypes
            out = np.empty(stage.limit // np.dtype(dtype).itemsize + 1, dtype)
            try:
                progress = standalone.simple_decompress_into(data, out)
            except Exception as error:
                reason = error if reason is None or "type" in str(reason) else reason
                continue
            if not progress.finished or progress.n_processed == out.size:
                raise TooLong(stage.limit)
            return out[: progress.n_processed]
        raise ValueError(str(reason))


CODECS = (Zfpy(), PCodec())
