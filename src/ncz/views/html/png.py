"""A map of values as a PNG picture, in colours from dark blue to yellow.

Source: the PNG specification, for a picture with a palette.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ANCHORS = (
    (40, 20, 90), (50, 60, 140), (40, 105, 150), (35, 145, 140), (60, 180, 115), (145, 210, 70),
    (250, 230, 60),
)  # fmt: skip
"""Colours from the least value to the largest, each brighter than the one before."""

GRADIENT = f"linear-gradient(90deg, {', '.join(f'rgb{color}' for color in _ANCHORS)})"
"""The same colours in CSS, from left to right."""

_STEPS = 255
"""Colours of the palette; one more is transparent, for missing values."""


def png_uri(values: NDArray[np.float64]) -> str:
    """Return a picture of the values as a data URI. The least and the largest get the end colours.

    Parameters
    ----------
    values
        Two dimensions, rows from top to bottom. NaN is transparent.
    """
    return "data:image/png;base64," + b64encode(_png(_indices(values))).decode()


def _indices(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the index of each value's colour; `_STEPS` for missing ones."""
    import numpy as np

    indices = np.full(values.shape, _STEPS, np.uint8)
    known = np.isfinite(values)
    if known.any():
        low, high = values[known].min(), values[known].max()
        with np.errstate(all="ignore"):
            span = (high - low) or 1.0
            scaled = (values[known] - low) / span * (_STEPS - 1)
        indices[known] = np.clip(np.nan_to_num(scaled), 0, _STEPS - 1).astype(np.uint8)
    return indices


def _png(indices: NDArray[np.uint8]) -> bytes:
    height, width = indices.shape
    rows = b"".join(b"\0" + row.tobytes() for row in indices)
    palette = b"".join(map(_color, range(_STEPS))) + b"\0\0\0"
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _part(b"PLTE", palette),
            _part(b"tRNS", b"\xff" * _STEPS + b"\0"),
            _part(b"IDAT", zlib.compress(rows, 9)),
            _part(b"IEND", b""),
        )
    )


def _color(step: int) -> bytes:
    place = step / (_STEPS - 1) * (len(_ANCHORS) - 1)
    number = min(int(place), len(_ANCHORS) - 2)
    part = place - number
    pairs = zip(_ANCHORS[number], _ANCHORS[number + 1], strict=True)
    return bytes(round(a + (b - a) * part) for a, b in pairs)


def _part(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
