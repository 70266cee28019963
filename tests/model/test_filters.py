"""Records of filters."""

from __future__ import annotations

import pytest

from ncz.model.filters import Filter, Hdf5Filter, make_filter, with_integers


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({"id": "zlib", "level": "5"}, {"id": "zlib", "level": 5}),
        ({"id": "zlib", "level": 5}, {"id": "zlib", "level": 5}),
        ({"id": "blosc", "cname": "5"}, {"id": "blosc", "cname": "5"}),
        ({"id": "unheard-of", "level": "5"}, {"id": "unheard-of", "level": "5"}),
    ],
)
def test_a_text_with_an_integer_is_the_integer(configuration, expected):
    assert with_integers(configuration) == expected
    assert Filter.from_json(configuration).to_json() == expected


def test_the_members_of_a_filter_keep_their_order():
    codec = make_filter("blosc", shuffle=1, cname="lz4")
    assert codec.id == "blosc"
    assert codec.get("cname") == "lz4"
    assert codec.get("clevel", 9) == 9
    assert list(codec.to_json()) == ["id", "shuffle", "cname"]
    assert Filter.from_json(codec.to_json()) == codec


@pytest.mark.parametrize(
    ("hdf5", "text", "description"),
    [
        (Hdf5Filter(1, (5,)), "1,5", "1 (deflate)"),
        (Hdf5Filter(2), "2", "2 (shuffle)"),
        (Hdf5Filter(60000, (1, 2)), "60000,1,2", "60000"),
    ],
)
def test_a_filter_of_hdf5_in_words(hdf5, text, description):
    assert str(hdf5) == text
    assert hdf5.description == description
