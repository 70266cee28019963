"""Special attributes of CDL, read as the storage of a variable."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import Callbacks, CdlError, Notice
from ncz.model.tree import Storage


def storage(attributes: str, word: str = "int", notices: list[Notice] | None = None) -> Storage:
    text = f"netcdf s {{ dimensions: x = 8 ; y = 8 ; variables: {word} v(x, y) ; {attributes} }}"

    def refuse(notice: Notice) -> None:
        raise AssertionError(notice)

    callbacks = Callbacks(notify=refuse if notices is None else notices.append)
    dataset = read_cdl(text.encode(), source="s.cdl", callbacks=callbacks)
    return dataset.root.variables[0].storage


def codecs(attributes: str, word: str = "int") -> list[dict[str, Any]] | None:
    filters = storage(attributes, word).filters
    return None if filters is None else [each.to_json() for each in filters]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('v:_Storage = "contiguous" ;', {"storage_class": "contiguous"}),
        ("v:_ChunkSizes = 2, 4 ;", {"storage_class": "chunked", "chunks": (2, 4)}),
        ("v:_ChunkSizes = 0, 4 ;", {"chunks": None}),
        ("v:_ChunkSizes = 2, 4 ; v:_ShardSizes = 4, 8 ;", {"shards": (4, 8)}),
        ('v:_Endianness = "big" ;', {"endianness": "big"}),
        ('v:_Endianness = "native" ;', {"endianness": None}),
        ('v:_NoFill = "true" ;', {"no_fill": True}),
        ("v:_NoFill = 0 ;", {"no_fill": False}),
    ],
)
def test_storage(attributes, expected):
    found = storage(attributes)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("v:_DeflateLevel = 3 ;", [{"id": "zlib", "level": 3}]),
        ('v:_Shuffle = "true" ; v:_DeflateLevel = 3 ;',
         [{"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 3}]),
        ('v:_Shuffle = "false" ;', None),
        ('v:_Filter = "32015,5" ;', [{"id": "zstd", "level": 5}]),
        ('v:_Filter = "2|1,3" ;',
         [{"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 3}]),
        ('v:_DeflateLevel = 3 ; v:_Codecs = "{\\"id\\": \\"bz2\\", \\"level\\": 1}" ;',
         [{"id": "bz2", "level": 1}]),
        ('v:_Codecs = "[]" ;', []),
    ],
)  # fmt: skip
def test_filters(attributes, expected):
    assert codecs(attributes) == expected


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('v:_Storage = "tape" ;', 'use one of "contiguous", "compact", "chunked"'),
        ("v:_ChunkSizes = -1, 4 ;", "a chunk size cannot be negative"),
        ("v:_ChunkSizes = 2 ;", "1 size for 2 dimensions"),
        ("v:_ChunkSizes = 18446744073709551615, 1 ;", "a chunk size is too large"),
        ('v:_ChunkSizes = "2" ;', "expected whole numbers"),
        ("v:_ChunkSizes = 3, 4 ; v:_ShardSizes = 4, 8 ;", "not a whole number of chunks"),
        ('v:_Shuffle = "maybe" ;', 'expected "true" or "false"'),
        ("v:_DeflateLevel = 77 ;", "_DeflateLevel"),
        ('v:_DeflateLevel = "3" ;', "expected exactly one value, a whole number"),
        ('v:_Filter = "x" ;', '"x" is not a valid filter'),
        ('v:_Filter = "1,4294967296" ;', "a number of more than 32 bits"),
        ('v:_Filter = "9999" ;', "name a codec in _Codecs instead"),
        ('v:_Codecs = "{" ;', "the value is not valid JSON"),
        ('v:_Codecs = "[1]" ;', 'each codec must be a JSON object with an "id"'),
    ],
)
def test_values_that_are_not_valid(attributes, message):
    with pytest.raises(CdlError, match=message):
        storage(attributes)


def test_values_without_an_effect_are_reported():
    notices: list[Notice] = []
    assert storage("v:_ChunkSizes = 2, 4, 8 ;", notices=notices).chunks == (2, 4)
    assert [n.code for n in notices] == ["chunk-sizes-ignored"]
    notices.clear()
    storage("v:_QuantizeBitGroomNumberOfSignificantDigits = 3 ;", notices=notices)
    assert "only float and double can be quantized" in notices[0].message
    notices.clear()
    storage(':_IsNetcdf4 = 0 ; :_NCProperties = "x" ;', notices=notices)
    assert [n.code for n in notices] == ["special-attribute-ignored"] * 2


def test_rounding():
    found = storage("v:_QuantizeBitGroomNumberOfSignificantDigits = 3 ;", "float").quantize
    assert found is not None
    assert (found.algorithm, found.digits) == ("BitGroom", 3)
    with pytest.raises(CdlError, match="expected one whole number from 1 to 7"):
        storage("v:_QuantizeBitGroomNumberOfSignificantDigits = 8 ;", "float")
