"""References that the entries gen of a set generate."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.errors import FormatError
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import MOST_GENERATED
from ncz.zmap.reference.gen_entries import generate_references
from ncz.zmap.reference.templates import parse_template

ENTRY: dict[str, Any] = {
    "key": "v/{{i}}.{{j}}",
    "url": "{{u}}/{{i}}.nc",
    "offset": "{{10 * j}}",
    "length": 10,
    "dimensions": {"i": [4, 2], "j": {"stop": 2}},
}
TEMPLATES = {"u": parse_template("s3://b")}


def test_the_last_dimension_varies_fastest():
    found = list(generate_references([ENTRY], TEMPLATES, "x.json"))
    assert found == [
        (f"v/{i}.{j}", ByteRange(f"s3://b/{i}.nc", 10 * j, 10)) for i in (4, 2) for j in (0, 1)
    ]


@pytest.mark.parametrize(
    ("dimensions", "keys"),
    [
        ({"i": {"start": 3, "stop": 0, "step": -2}}, ["v/3", "v/1"]),
        ({"i": []}, []),
        ({"i": {"stop": 0}}, []),
    ],
)
def test_numbers(dimensions, keys):
    entry = {"key": "v/{{i}}", "url": "f", "dimensions": dimensions}
    assert list(generate_references([entry], {}, "x")) == [(key, ByteRange("f")) for key in keys]


def test_without_dimensions_there_is_one():
    assert list(generate_references([{"key": "k", "url": "f", "dimensions": {}}], {}, "x")) == [
        ("k", ByteRange("f"))
    ]


def without(name: str) -> dict[str, Any]:
    return {member: value for member, value in ENTRY.items() if member != name}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({}, "gen must be a list"),
        ([7], r"gen\[0\]: an entry must be an object"),
        ([without("dimensions")], "dimensions must be an object"),
        ([without("key")], "key must be a text"),
        ([without("offset")], "offset and length must be given together"),
        ([{**ENTRY, "dimensions": {"i": 7}}], r"dimensions.i: a dimension must be a list"),
        ([{**ENTRY, "dimensions": {"i": [True]}}], "a dimension must be a list"),
        ([{**ENTRY, "dimensions": {"i": {"stop": 9, "step": 0}}}], "a dimension must be a list"),
        ([{**ENTRY, "offset": "{{ -1 }}"}], "'-1' is not a valid offset or length"),
        ([{**ENTRY, "length": 1.5}], "length must be a text"),
        ([{**ENTRY, "url": "{{absent}}"}], r"gen\[0\]"),
        ([ENTRY, {**ENTRY, "dimensions": {"i": {"stop": MOST_GENERATED}}}], "more than"),
    ],
)
def test_invalid_texts(entries, message):
    with pytest.raises(FormatError, match=message):
        list(generate_references(entries, TEMPLATES, "x.json"))
