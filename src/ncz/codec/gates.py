"""Checks before a codec runs: what the encoded data declare must agree with what they are.

Native libraries trust the sizes in the data. A header that declares more than there is makes them
read, or write, memory that is not theirs; one that declares very much makes them allocate it. Each
check here compares the declared sizes with the actual bytes, and with the most bytes that the stage
may give. It raises `ValueError` if they do not agree.

Sources: c-blosc's README_HEADER and README_CHUNK_FORMAT; numcodecs' codecs; zfp's ``zfp.c`` for the
header of a stream.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ncz.codec.bounded import TooLong
from ncz.record import record


@record
class Stage:
    """What is known of one step of decoding.

    Attributes
    ----------
    configuration
        The codec's configuration.
    limit
        The most bytes that the step may give.
    count
        The number of elements of the chunk.
    """

    configuration: Mapping[str, Any]
    limit: int
    count: int


def check(name: str, data: bytes, stage: Stage) -> None:
    """Raise `ValueError` if the codec must not be called with `data`."""
    match name:
        case "blosc":
            _check_blosc(data, stage)
        case "lz4":
            _check_lz4(data, stage)
        case "vlen-utf8" | "vlen-bytes" | "vlen-array":
            _check_objects(data, stage)
        case "packbits":
            _check_packbits(data, stage)
        case "delta" | "fixedscaleoffset" | "quantize" | "categorize":
            _check_converted(data, stage, "astype", "dtype")
        case "astype":
            _check_converted(data, stage, "encode_dtype", "decode_dtype")
        case "zfpy":
            _check_zfp(data, stage)


def _refuse_longer(size: int, stage: Stage) -> None:
    if size > stage.limit:
        raise TooLong(stage.limit)


def _check_blosc(data: bytes, stage: Stage) -> None:
    if len(data) < 16:
        raise ValueError("it is shorter than the header of blosc")
    flags = data[2]
    size, block, encoded = (int.from_bytes(data[at : at + 4], "little") for at in (4, 8, 12))
    _refuse_longer(size, stage)
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


def _check_block_starts(starts: bytes, first: int, end: int) -> None:
    """Check that each block has at least its four bytes of length, after the table."""
    import numpy as np

    places = np.frombuffer(starts, "<i4")
    if places.size and not (int(places.min()) >= first and int(places.max()) <= end - 4):
        raise ValueError("its table of blocks points outside of it")


def _check_lz4(data: bytes, stage: Stage) -> None:
    size = int.from_bytes(data[:4], "little")
    _refuse_longer(size, stage)
    # A byte of lz4 stands for 255 bytes at most.
    if len(data) < 5 or size > 255 * len(data):
        raise ValueError(f"its {len(data)} bytes cannot hold the {size} that it declares")


def _check_objects(data: bytes, stage: Stage) -> None:
    """Check the number of objects, each of which has four bytes of length at least."""
    count = int.from_bytes(data[:4], "little")
    if len(data) < 4 or count != stage.count:
        raise ValueError(f"it does not hold {stage.count} objects")
    if 4 + 4 * count > len(data):
        raise ValueError(f"its {len(data)} bytes are too few for {count} objects")


def _check_packbits(data: bytes, stage: Stage) -> None:
    """Check the number of booleans, one byte each."""
    if not data or data[0] > 7 or data[0] > 8 * (len(data) - 1):
        raise ValueError("it does not start with the number of bits that are padding")
    _refuse_longer(8 * (len(data) - 1) - data[0], stage)


def _check_converted(data: bytes, stage: Stage, encoded: str, decoded: str) -> None:
    """Check a filter that converts elements; `encoded` and `decoded` name its dtypes."""
    import numpy as np

    given = stage.configuration
    to = np.dtype(given.get(decoded) or given.get(encoded) or "u1")
    of = np.dtype(given.get(encoded) or given.get(decoded) or "u1")
    _refuse_longer(len(data) // max(1, of.itemsize) * to.itemsize, stage)


_ZFP_SIZES = (4, 8, 4, 8)  # of int32, int64, float32 and float64
_ZFP_BITS = {1: 48, 2: 24, 3: 16, 4: 12}  # of the length of each axis, by the number of axes


def zfp_shape(data: bytes) -> tuple[int, tuple[int, ...]]:
    """Return the size of an element in bytes, and the shape, that the header of zfp declares."""
    if data[:3] != b"zfp" or len(data) < 12:
        raise ValueError("it does not start with the header of zfp")
    meta = int.from_bytes(data[4:11], "little")
    size, axes = _ZFP_SIZES[meta & 3], (meta >> 2 & 3) + 1
    bits = _ZFP_BITS[axes]
    shape = tuple((meta >> 4 + bits * axis & (1 << bits) - 1) + 1 for axis in range(axes))
    return size, shape


def _check_zfp(data: bytes, stage: Stage) -> None:
    size, shape = zfp_shape(data)
    _refuse_longer(size * math.prod(shape), stage)
