"""The places of the bytes of objects."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.zmap.byte_range import ByteRange, ByteRanges


def test_a_range_is_a_whole_file_unless_it_says_otherwise():
    whole = ByteRange("a.nc")
    assert (whole.offset, whole.length) == (0, None)
    assert whole != ByteRange("a.nc", 0, 0)
    assert len({whole, ByteRange("a.nc"), ByteRange("b.nc")}) == 2
    with pytest.raises(AttributeError):
        whole.offset = 4  # type: ignore[misc]


def test_ranges_name_the_keys_of_their_rows():
    ranges = ByteRanges(
        "a.nc",
        np.array([[0, 0], [0, 1]]),
        np.array([10, 20]),
        np.array([5, 6]),
        lambda rows: [".".join(map(str, row)) for row in rows.tolist()],
    )
    assert ranges.keys(ranges.indices[1:]) == ["0.1"]
