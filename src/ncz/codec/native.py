"""Decode with libraries that cannot be told how much they may give, in a way that bounds them.

zfp does not check where its data end. pcodec and numcodecs' JSON and MessagePack allocate what the
data ask for.

Sources: zfp's ``zfp.c`` (mode of a stream); numcodecs' json.py and msgpacks.py for the layout of
encoded objects: the objects, then the dtype and the shape.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ncz.codec.bounded import TooLong
from ncz.codec.gates import Stage, zfp_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Elements = NDArray[Any]

_DTYPES = ("f4", "f8", "i4", "i8", "u4", "u8", "i2", "u2", "f2", "i1", "u1")
_TOKENS = 1 << 20


def zfp_padding(data: bytes) -> int:
    """Return the number of bytes that zfp may read in all; it does not check its data's end."""
    size, shape = zfp_shape(data)
    blocks = math.prod(-(-length // 4) for length in shape)
    # Each of a block's values takes its own bits, and less than as many to tell them apart.
    bits: int = 16 * size * 4 ** len(shape) + 128
    mode = int.from_bytes(data[:20], "little") >> 84
    if mode & 0xFFF == 0xFFF:
        bits = max((mode >> 12 & 0x7FFF) + 1, min((mode >> 27 & 0x7FFF) + 1, bits))
    elif mode & 0xFFF < 2048:
        bits = (mode & 0xFFF) + 1
    return 64 + -(-blocks * bits // 8)


def decode_zfp(data: bytes, stage: Stage, codec: Any) -> Elements:
    """Decode zfp, in a buffer in which it cannot reach the end."""
    needed = zfp_padding(data)
    if needed > 4 * stage.limit + (64 << 20):
        raise TooLong(stage.limit)
    decoded: Elements = codec.decode(data.ljust(needed + 64, b"\0"))
    return decoded


def decode_pcodec(data: bytes, stage: Stage) -> Elements:
    """Decode pcodec into a buffer of the largest size that is allowed."""
    import numpy as np
    from pcodec import standalone

    reason: Exception | None = None
    for dtype in _DTYPES:  # the library refuses all but the dtype of the data
        out = np.empty(stage.limit // np.dtype(dtype).itemsize + 1, dtype)
        try:
            done = standalone.simple_decompress_into(data, out)
        except Exception as error:
            reason = error if reason is None or "type" in str(reason) else reason
            continue
        if not done.finished or done.n_processed == out.size:
            raise TooLong(stage.limit)
        return out[: done.n_processed]
    raise ValueError(str(reason))


def decode_json(data: bytes, stage: Stage) -> Elements:
    """Decode numcodecs' JSON."""
    import json

    given = stage.configuration
    text = data.decode(given.get("encoding") or "utf-8")
    if sum(map(text.count, "[{,:")) > _TOKENS + 8 * stage.count:
        raise ValueError(f"it holds more values than a chunk of {stage.count} objects may")
    return _objects(json.loads(text, strict=given.get("strict", True)), stage)


def decode_msgpack(data: bytes, stage: Stage) -> Elements:
    """Decode numcodecs' MessagePack."""
    import msgpack

    raw = bool(stage.configuration.get("raw", False))
    return _objects(msgpack.unpackb(data, raw=raw, strict_map_key=False), stage)


def _objects(items: Any, stage: Stage) -> Elements:
    """Return an array of the objects, which are followed by a dtype and a shape."""
    import numpy as np

    message = f"it does not hold {stage.count} objects"
    if not isinstance(items, list) or len(items) < 2 or not isinstance(items[-1], list):
        raise ValueError(message)
    *values, dtype, shape = items
    if not all(type(n) is int and n >= 0 for n in shape) or math.prod(shape) != stage.count:
        raise ValueError(message)
    kind = np.dtype(dtype.decode() if isinstance(dtype, bytes) else dtype)
    if kind.itemsize * stage.count > stage.limit:
        raise TooLong(stage.limit)
    elements = np.empty(shape, kind)
    if shape:
        if len(values) != shape[0]:
            raise ValueError(message)
        elements[:] = values
    else:
        elements[...] = values[0] if values else None
    return elements
