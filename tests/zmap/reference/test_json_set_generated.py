"""References that a set generates."""

from __future__ import annotations

import pytest

from ncz.errors import FormatError
from ncz.zmap.byte_range import ByteRange
from tests.zmap.reference.test_json_set import read


def gen(**parts):
    entry = {"key": "k{{i}}", "url": "u", "dimensions": {"i": [0]}, **parts}
    return read({"version": 1, "gen": [{k: v for k, v in entry.items() if v is not None}]})


def test_the_last_dimension_varies_fastest():
    found = gen(
        key="v/{{i}}.{{j}}",
        url="f{{j}}.nc",
        offset="{{i * 10}}",
        length=8,
        dimensions={"i": {"start": 1, "stop": 4, "step": 2}, "j": [5, 2]},
    )
    assert list(found.items()) == [
        ("v/1.5", ByteRange("f5.nc", 10, 8)),
        ("v/1.2", ByteRange("f2.nc", 10, 8)),
        ("v/3.5", ByteRange("f5.nc", 30, 8)),
        ("v/3.2", ByteRange("f2.nc", 30, 8)),
    ]


def test_without_offset_and_length_it_is_the_whole_file():
    assert gen() == {"k0": ByteRange("u")}


def test_without_dimensions_there_is_one():
    assert gen(key="k", dimensions={}) == {"k": ByteRange("u")}


def test_generated_references_prevail():
    entry = {"key": "k", "url": "new", "dimensions": {"i": [0]}}
    assert read({"version": 1, "refs": {"k": ["old"]}, "gen": [entry]}) == {"k": ByteRange("new")}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"offset": "1"}, "offset and length must be given together"),
        ({"length": "1"}, "offset and length must be given together"),
        ({"key": None}, "key must be a text"),
        ({"url": 1}, "url must be a text"),
        ({"dimensions": None}, "dimensions must be an object"),
        ({"dimensions": {"i": {}}}, "must be a list of whole numbers"),
        ({"dimensions": {"i": {"stop": 3, "step": 0}}}, "must be a list of whole numbers"),
        ({"dimensions": {"i": {"stop": 1 << 70}}}, "must be a list of whole numbers"),
        ({"dimensions": {"i": ["a"]}}, "must be a list of whole numbers"),
        ({"offset": "-1", "length": "2"}, "not a valid offset"),
        ({"offset": "x", "length": "2"}, "not a valid offset"),
        ({"key": "../{{i}}"}, "a key cannot"),
        ({"url": "{{j}}"}, "j is not defined"),
    ],
    ids=str,
)
def test_entries_that_are_not_valid(parts, message):
    with pytest.raises(FormatError, match=message):
        gen(**parts)


def test_ten_million_keys_are_refused_before_any_is_made():
    dimensions = {"i": {"stop": 10_000}, "j": {"stop": 1000}}
    with pytest.raises(FormatError, match="generates more than 1000000 references"):
        gen(key="{{i}}.{{j}}", dimensions=dimensions)


def test_many_entries_share_the_limit():
    entry = {"key": "{{i}}", "url": "u", "dimensions": {"i": {"stop": 1_000_000}}}
    one_more = {"key": "k", "url": "u", "dimensions": {}}
    with pytest.raises(FormatError, match="generates more than") as error:
        read({"version": 1, "gen": [entry, one_more]})
    assert error.value.location == "refs.json: gen[1]"
