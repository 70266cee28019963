"""PNG files with a palette.

Source: the PNG specification.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.late import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.views.colormaps import Color


def png(numbers: NDArray[np.uint8], colors: Sequence[Color]) -> bytes:
    """Return a PNG file of the indices of colours; the index after the last is transparent."""
    height, width = numbers.shape
    rows = b"".join(b"\0" + row.tobytes() for row in numbers)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _part(b"PLTE", b"".join(map(bytes, colors)) + b"\0\0\0"),
            _part(b"tRNS", b"\xff" * len(colors) + b"\0"),
            _part(b"IDAT", zlib.compress(rows, 9)),
            _part(b"IEND", b""),
        )
    )


def _part(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def resize(numbers: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Return a picture of another size; each pixel is the nearest one of the old picture."""
    rows = (np.arange(height) * numbers.shape[0]) // height
    columns = (np.arange(width) * numbers.shape[1]) // width
    picture: NDArray[np.uint8] = numbers[rows][:, columns]
    return picture


def line_pixels(parts: NDArray[np.float64], width: int, height: int) -> NDArray[np.bool_]:
    """Return the mask of pixels that a line touches; missing values are gaps.

    Parameters
    ----------
    parts
        The places of the values: 0 is at the bottom, 1 at the top, and NaN is missing.
    width, height
        The size of the picture.
    """
    pixels = np.zeros((height, width), bool)
    scaled = parts * (height - 1)
    is_finite = np.isfinite(scaled).tolist()
    places = np.clip(np.nan_to_num(scaled), 0, height - 1).round().astype(int).tolist()
    last: tuple[int, int] | None = None
    for number, place in enumerate(places):
        if not is_finite[number]:
            last = None
            continue
        x = round(number * (width - 1) / max(1, len(places) - 1))
        begin, before = last or (x, place)
        for column in range(begin, x + 1):
            part = (column - begin) / (x - begin) if x > begin else 1.0
            here = round(places[number] * part + (last or (x, place))[1] * (1 - part))
            first, end = sorted((before, here))
            pixels[height - 1 - end : height - first, column] = True
            before = here
        last = (x, place)
    return pixels
