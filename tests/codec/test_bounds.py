"""The largest size of a stored chunk, and the exact size if it is known."""

from __future__ import annotations

import pytest

from ncz.codec import ArraySpec
from ncz.codec.bounds import encoded_size, max_stored_size


def test_the_most_bytes_of_a_stored_chunk():
    assert max_stored_size([], ArraySpec((1000,), 4)) == 4000
    assert max_stored_size([], ArraySpec((1000,), 0)) == 256 << 20  # objects, such as strings
    assert max_stored_size([], ArraySpec((1 << 20,), 0)) == 1 << 30
    assert 4000 < max_stored_size([{"id": "gzip", "level": 1}], ArraySpec((1000,), 4)) < 20_000


@pytest.mark.parametrize(
    ("codec", "size"),
    [
        (None, 400),
        ({"id": "shuffle", "elementsize": 4}, 400),
        ({"id": "crc32c", "location": "end"}, 404),
        ({"id": "zlib", "level": 1}, None),
    ],
)
def test_encoded_size(codec, size):
    assert encoded_size([] if codec is None else [codec], ArraySpec((100,), 4)) == size
