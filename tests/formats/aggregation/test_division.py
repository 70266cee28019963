"""Division of variables into pieces."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.formats.aggregation.division import split, split_by
from tests.sampled import share_of


def counts(lengths):
    return tuple(map(len, lengths))


@pytest.mark.parametrize(
    ("shape", "axes", "largest", "wanted"),
    [
        ((100, 80, 120), "TYX", 400_000, (3, 2, 2)),  # the example of S3netCDF4
        ((80, 120, 100), "YXT", 400_000, (2, 2, 3)),
        ((100, 80, 120), "TYX", 50_000_000, (1, 1, 1)),
        ((100, 80), "TZ", 8000, (2, 2)),
        ((10, 100, 80, 120), "NTYX", 400_000, (10, 3, 2, 2)),  # members of an ensemble
        ((80, 3, 120), "YNX", 50_000_000, (1, 3, 1)),
        ((100, 10), "TN", 50_000_000, (1, 1)),
        ((100, 80), "YX", 8000, (2, 2)),
        ((1000,), "?", 400, (10,)),
        ((2, 3), "TX", 1, (2, 3)),
    ],
)
def test_time_series_and_maps_are_divided_alike(shape, axes, largest, wanted):
    assert counts(split(shape, list(axes), 4, largest)) == wanted


@settings(max_examples=share_of(50))
@given(
    st.lists(st.tuples(st.integers(1, 300), st.sampled_from("TZYXN")), max_size=4),
    st.integers(1, 10_000),
)
def test_pieces_cover_the_array_and_are_small(dimensions, largest):
    shape = tuple(length for length, _ in dimensions)
    lengths = split(shape, [axis for _, axis in dimensions], 1, largest)
    assert tuple(map(sum, lengths)) == shape
    assert all(n > 0 for row in lengths for n in row)
    assert all(max(row) - min(row) <= 1 for row in lengths)
    mean = math.prod(shape) / math.prod(counts(lengths))
    assert mean <= largest or counts(lengths) == shape


def test_lengths_can_be_chosen():
    assert split_by((25, 4, 3), ("time", "lat", "lon"), {"time": 10, "lon": 7}) == (
        (10, 10, 5),
        (4,),
        (3,),
    )
