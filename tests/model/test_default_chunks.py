"""Default chunk shapes: as netcdf-c 4.10.1 chooses them, and bounded."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.default_chunks import LARGEST, balanced_chunks, default_chunks
from ncz.model.tree import Dimension


def dimensions(*lengths: int | None) -> list[Dimension]:
    """Dimensions of these lengths; None is unlimited."""
    return [
        Dimension(name=f"d{i}", size=n or 0, unlimited=n is None) for i, n in enumerate(lengths)
    ]


# Measured with netcdf-c 4.10.1 (nc_inq_var_chunking after nc_def_var).
MEASURED = [
    (1, (None,), (4096,)),
    (4, (None,), (1024,)),
    (0, (None,), (512,)),
    (4, (None, None), (2048, 2048)),
    (2, (None, None), (2896, 2896)),
    (8, (None, None, None), (127, 127, 127)),
    (1, (None, None, None), (255, 255, 255)),
    (4, (None, 5), (1, 5)),
    (4, (5, None), (5, 1)),
    (4, (10,), (10,)),
    (4, (None, 10000, 10000), (1, 2000, 2000)),
    (4, (10000, 10000), (2000, 2000)),
    (8, (100000, 100000), (1429, 1429)),
    (8, (10**9,), (2096437,)),
    (1, (10**9,), (16666667,)),
    (8, (4000, 1000), (2000, 500)),
    (8, (2049, 1025), (1025, 513)),
    (4, (100, 100, 100, 100), (34, 34, 34, 34)),
    (8, (2097153,), (1048577,)),
    (8, (None, None, 7), (1, 1, 7)),
]


@pytest.mark.parametrize(("size", "lengths", "chunks"), MEASURED)
def test_chunks_match_netcdf_c(size, lengths, chunks):
    assert default_chunks(dimensions(*lengths), size) == chunks


def test_scalar_and_empty():
    assert default_chunks([], 8) == ()
    assert default_chunks(dimensions(4, 5), 100, largest=10) == (1, 1)
    assert default_chunks(dimensions(3, 1, 1, 1, 1, 1), 10, largest=15) == (1,) * 6
    assert default_chunks(dimensions(0), 8) == (1,)
    assert default_chunks(dimensions(0, 3), 8) == (1, 3)


@given(
    st.sampled_from([0, 1, 2, 4, 8]),
    st.lists(st.one_of(st.none(), st.integers(0, 2**40)), max_size=6),
)
def test_chunks_are_at_least_one_and_bounded(size, lengths):
    chunks = default_chunks(dimensions(*lengths), size)
    assert len(chunks) == len(lengths)
    assert all(n >= 1 for n in chunks)
    assert math.prod(chunks) * (size or 8) <= LARGEST


@pytest.mark.parametrize(
    ("lengths", "item_size", "largest", "chunks"),
    [
        ((1000, 1000, 1000), 4, 1 << 20, (16, 125, 125)),
        ((365, 180, 360), 4, 1 << 20, (41, 45, 120)),
        ((8760, 720, 1440), 4, 10**7, (154, 90, 180)),
    ],
)
def test_a_series_and_a_map_touch_about_as_many_chunks(lengths, item_size, largest, chunks):
    assert balanced_chunks(lengths, ("T", "Y", "X"), item_size, largest) == chunks
    times, rows, columns = (-(-n // c) for n, c in zip(lengths, chunks, strict=True))
    assert 0.4 < times / (rows * columns) < 2.5


@pytest.mark.parametrize(
    ("lengths", "largest", "chunks"),
    [((1000, 1000), 4000, (32, 31)), ((300, 7), 400, (75, 1)), ((5, 4), 40, (5, 2))],
)
def test_the_first_of_two_axes_without_roles_is_time(lengths, largest, chunks):
    assert balanced_chunks(lengths, (None, None), 4, largest) == chunks


def test_a_series_and_a_map_cost_about_the_same():
    lengths = (3000, 400, 600)
    found = balanced_chunks(lengths, ("T", "Y", "X"), 4, 10**6)
    series = math.ceil(3000 / found[0])
    maps = math.ceil(400 / found[1]) * math.ceil(600 / found[2])
    assert 0.5 <= series / maps <= 2
    assert 0.5 * 10**6 <= math.prod(found) * 4 <= 10**6
    # Whatever the order of the dimensions.
    assert balanced_chunks((600, 3000, 400), ("X", "T", "Y"), 4, 10**6) == (
        found[2], found[0], found[1],
    )  # fmt: skip
