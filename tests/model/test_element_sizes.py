"""The elements that filters divide."""

from __future__ import annotations

import pytest

from ncz.model.element_sizes import with_element_sizes, with_whole_elements
from ncz.model.filters import make_filter

ZLIB, SHUFFLE, ALL_BYTES = (
    make_filter("zlib", level=1),
    make_filter("shuffle", elementsize=4),
    make_filter("shuffle", elementsize=1),
)
CHECKSUM, UNSIZED = make_filter("fletcher32"), make_filter("shuffle")


@pytest.mark.parametrize(
    ("codecs", "expected"),
    [
        ((ZLIB, SHUFFLE), (SHUFFLE, ZLIB)),
        ((ZLIB, CHECKSUM, SHUFFLE), (SHUFFLE, ZLIB, CHECKSUM)),
        ((SHUFFLE, ZLIB, SHUFFLE), (SHUFFLE, SHUFFLE, ZLIB)),
        ((CHECKSUM, SHUFFLE), (CHECKSUM, SHUFFLE)),  # whose four bytes are one element more
        (
            (CHECKSUM, make_filter("shuffle", elementsize=8)),
            (make_filter("shuffle", elementsize=8), CHECKSUM),
        ),
        ((ZLIB, ALL_BYTES), (ZLIB, ALL_BYTES)),
        ((ZLIB, UNSIZED), (ZLIB, UNSIZED)),
        ((ZLIB, CHECKSUM), (ZLIB, CHECKSUM)),
        ((SHUFFLE, ZLIB, CHECKSUM), (SHUFFLE, ZLIB, CHECKSUM)),
    ],
)
def test_shuffle_divides_whole_elements(codecs, expected):
    assert with_whole_elements(codecs) == expected


def test_each_shuffle_has_the_size_of_its_elements():
    codecs = (make_filter("astype", encode_dtype="<f4", decode_dtype="<f8"), UNSIZED, ZLIB)
    sized = list(with_element_sizes(codecs, 8))
    assert [codec.id for codec in sized] == ["astype", "shuffle", "zlib"]
    assert sized[1].get("elementsize") == 4
