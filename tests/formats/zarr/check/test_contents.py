"""Stores that are read for a check."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.formats.zarr.check.contents import key_in, read_contents
from ncz.zmap.location import parse_location
from ncz.zmap.memory import MemoryZmap

GROUP = {"zarr_format": 2}
ARRAY = {
    "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "order": "C",
    "compressor": None, "filters": None, "fill_value": 0,
}  # fmt: skip


def read(**documents: Any):
    objects = {
        key.replace("__", "/"): document if isinstance(document, bytes) else
        json.dumps(document).encode() for key, document in documents.items()
    }  # fmt: skip
    zmap = MemoryZmap(objects, "memory://check")
    contents, findings = read_contents(zmap, parse_location("memory://check"), None)
    return contents, [(each.code, each.key) for each in findings]


def test_nodes_are_known_by_their_keys():
    contents, findings = read(**{".zgroup": GROUP, "g/.zgroup": GROUP, "g/v/.zarray": ARRAY})
    assert contents is not None
    assert [*contents.groups] == ["", "g"]
    assert [*contents.arrays] == [*contents.variables] == ["g/v"]
    assert contents.zarr_format == 2
    assert contents.data("g/v") is not None
    assert contents.data("w") is None
    assert findings == []


def test_an_array_of_an_unknown_type_is_no_variable():
    contents, findings = read(**{".zgroup": GROUP, "v/.zarray": {**ARRAY, "dtype": "<q9"}})
    assert contents is not None
    assert [*contents.arrays] == ["v"]
    assert contents.variables == {}
    assert [key for _, key in findings] == ["v/.zarray"]


def test_a_root_that_cannot_be_read_is_one_finding():
    contents, findings = read(**{".zgroup": b"{"})
    assert contents is None
    assert findings == [("store-unreadable", ".zgroup")]


def test_an_array_may_be_the_root():
    contents, _ = read(**{".zarray": ARRAY})
    assert contents is not None
    assert ([*contents.arrays], [*contents.groups]) == ([""], [])


@pytest.mark.parametrize(
    ("location", "key"),
    [
        ("memory://k: /v/.zarray", "v/.zarray"),
        ("memory://k: /v/.zarray: line 1 column 5", "v/.zarray"),
        ("memory://other: /v", ""),
        ("memory://k", ""),
        (None, ""),
    ],
)
def test_keys_of_messages(location: str | None, key: str):
    assert key_in(MemoryZmap({}, "memory://k"), location) == key
