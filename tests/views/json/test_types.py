"""User-defined types in JSON that are not valid."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.errors import CdlError
from ncz.model.types import Atomic, Compound, Field, Vlen
from ncz.views.json.reader import read_json


def read(types: dict[str, Any]) -> Any:
    document = {"format": "ncz-dataset", "version": 1, "name": "n", "types": types}
    return read_json(json.dumps(document).encode(), source="t").root.types


def test_a_type_may_use_those_before_it():
    vlen = {"kind": "vlen", "base": "int"}
    compound = {"kind": "compound", "fields": [{"name": "a", "type": "/v", "shape": [2]}]}
    first = Vlen(name="/v", base=Atomic.INT)
    second = Compound(name="/c", fields=(Field(name="a", type=first, shape=(2,)),))
    assert read({"v": vlen, "c": compound}) == (first, second)
    with pytest.raises(CdlError, match="a known type"):
        read({"c": compound, "v": vlen})


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"kind": "set"}, '"kind" must be one of opaque, vlen, enum, compound'),
        ({"kind": "opaque", "size": 0}, "a size must be a whole number, 1 or more"),
        ({"kind": "vlen"}, 'type /t has no member "base", which is required'),
        ({"kind": "vlen", "base": "/t"}, 'unknown type "/t"'),
        (
            {"kind": "enum", "base": "float", "members": {"a": 1}},
            "the base must be an integer",
        ),
        (
            {"kind": "enum", "base": "int", "members": {}},
            "members must be an object",
        ),
        ({"kind": "enum", "base": "byte", "members": {"a": 200}}, "200 does not fit byte"),
        ({"kind": "compound", "fields": []}, "type /t has no fields"),
        (
            {"kind": "compound", "fields": [{"name": "a", "type": "int", "size": 2}]},
            "a field must be",
        ),
        (
            {"kind": "compound", "fields": [{"name": "a", "type": "int", "shape": [0]}]},
            "a shape of positive numbers",
        ),
    ],
)
def test_errors(declared: dict[str, Any], message: str):
    with pytest.raises(CdlError) as raised:
        read({"t": declared})
    assert message in str(raised.value)
    assert str(raised.value).startswith("t:1:")
