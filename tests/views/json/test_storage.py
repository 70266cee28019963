"""The member "storage" of a variable in JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.errors import CdlError
from ncz.model.quantization import Quantization
from ncz.model.tree import Storage
from ncz.model.types import Atomic
from ncz.text.source import SourceText
from ncz.views.json.members import Members
from ncz.views.json.storage import read_storage
from ncz.views.json.tree import scan


def storage(rank: int = 2, **members: Any) -> Storage:
    source = SourceText(json.dumps({"storage": members}).encode(), "a.json")
    return read_storage(Members(source), scan(source), Atomic.FLOAT, rank)


def test_everything_can_be_given():
    found = storage(
        layout="chunked", chunks=[2, 3], shards=[4, 6], endianness="big", fill=1.5,
        codecs=[{"id": "zlib", "level": 4}], quantize={"algorithm": "BitGroom", "digits": 3},
    )  # fmt: skip
    assert (found.storage_class, found.chunks, found.shards) == ("chunked", (2, 3), (4, 6))
    assert (found.endianness, found.fill) == ("big", 1.5)
    assert [codec.to_json() for codec in found.filters or ()] == [{"id": "zlib", "level": 4}]
    assert found.quantize == Quantization(algorithm="BitGroom", digits=3)
    assert storage() == Storage()
    assert storage(no_fill=True, string_length=5) == Storage(no_fill=True, string_length=5)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"chunks": [2]}, '"chunks" must have one number per dimension: 2'),
        ({"chunks": [0, 1]}, '"chunks" must be a list of whole numbers'),
        ({"layout": "linear"}, '"layout" must be one of chunked, contiguous, compact'),
        ({"codecs": ["zlib"]}, 'each codec must be an object with a member "id"'),
        ({"codecs": [{"id": "nonsense"}]}, "nonsense"),
        ({"quantize": {"algorithm": "BitGroom"}}, 'no member "digits"'),
        ({"quantize": {"algorithm": "Round", "digits": 3}}, '"algorithm" must be one of'),
        ({"string_length": 0}, '"string_length" must be a whole number, 1 or more'),
        ({"fill": "x"}, "x"),
        ({"other": 1}, 'unknown member "other"'),
    ],
)
def test_invalid_storage_is_an_error(members: dict[str, Any], message: str):
    with pytest.raises(CdlError, match=message):
        storage(**members)
