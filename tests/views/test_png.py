"""PNG files, and pictures of lines."""

from __future__ import annotations

import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from ncz.views.png import line_pixels, png, resize

COLORS = [(n, 255 - n, n // 2) for n in range(0, 250, 50)]
PICTURES = hnp.arrays(
    "u1", hnp.array_shapes(min_dims=2, max_dims=2, max_side=9),
    elements=st.integers(0, len(COLORS)),
)  # fmt: skip


@given(PICTURES)
def test_others_read_the_same_pixels(numbers: np.ndarray):
    with Image.open(io.BytesIO(png(numbers, COLORS))) as image:
        found = np.asarray(image.convert("RGBA"))
    assert found.shape == (*numbers.shape, 4)
    assert np.array_equal(found[..., 3], np.where(numbers == len(COLORS), 0, 255))
    seen = numbers < len(COLORS)
    assert np.array_equal(found[seen][:, :3], np.array(COLORS)[numbers[seen]])


@given(PICTURES, st.integers(1, 20), st.integers(1, 20))
def test_another_size_has_the_same_corners(numbers: np.ndarray, width: int, height: int):
    found = resize(numbers, width, height)
    assert found.shape == (height, width)
    assert found[0, 0] == numbers[0, 0]
    assert set(found.flat) <= set(numbers.flat)
    assert np.array_equal(resize(numbers, *numbers.shape[::-1]), numbers)


@given(
    st.lists(st.floats(0, 1) | st.just(float("nan")), max_size=12),
    st.integers(1, 30), st.integers(1, 9),
)  # fmt: skip
def test_a_line_has_no_holes(parts: list[float], width: int, height: int):
    """A column has pixels if it is between two neighbours that are not missing."""
    pixels = line_pixels(np.array(parts), width, height)
    assert pixels.shape == (height, width)
    known = [part == part for part in parts]
    columns = [round(n * (width - 1) / max(1, len(parts) - 1)) for n in range(len(parts))]
    wanted = {column for column, is_known in zip(columns, known, strict=True) if is_known}
    for n in range(len(parts) - 1):
        if known[n] and known[n + 1]:
            wanted |= set(range(columns[n], columns[n + 1] + 1))
    assert set(np.flatnonzero(pixels.any(axis=0))) == wanted
    for n, part in enumerate(parts):
        if known[n]:
            assert pixels[height - 1 - round(part * (height - 1)), columns[n]]
