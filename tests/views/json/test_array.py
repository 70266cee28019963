"""Data of a JSON variable: nested lists that fit the shape."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ncz.errors import CdlError
from ncz.model.data import read_all
from ncz.model.grid import ChunkGrid
from ncz.model.types import Atomic
from ncz.text.source import SourceText
from ncz.views.json import array
from ncz.views.json.array import JsonArray, read_data
from ncz.views.json.tree import scan


def data(text: str, shape: tuple[int, ...], nc_type: Atomic = Atomic.INT) -> JsonArray | None:
    source = SourceText(b'{"d": ' + text.encode() + b"}", "a.json")
    grid = ChunkGrid(shape, tuple(max(1, n) for n in shape))
    return read_data(source, scan(source).members["d"], nc_type, grid, None, "v")


def values(text: str, shape: tuple[int, ...], nc_type: Atomic = Atomic.INT) -> Any:
    found = data(text, shape, nc_type)
    assert found is not None
    return read_all(found).tolist()


@pytest.mark.parametrize(
    ("text", "shape", "nc_type", "expected"),
    [
        ("5", (), Atomic.INT, 5),
        ("[1, 2]", (2,), Atomic.INT, [1, 2]),
        ("[ [1,2] , [3,4],[5,6]]", (3, 2), Atomic.INT, [[1, 2], [3, 4], [5, 6]]),
        ("[[[1]], [[2]]]", (2, 1, 1), Atomic.SHORT, [[[1]], [[2]]]),
        ("[1.5, 2]", (2,), Atomic.DOUBLE, [1.5, 2.0]),
        ('["a,]", "b[\\""]', (2,), Atomic.STRING, ["a,]", 'b["']),
        ('["ab", "c"]', (2, 3), Atomic.CHAR, [[b"a", b"b", b""], [b"c", b"", b""]]),
        ('"ab"', (2,), Atomic.CHAR, [b"a", b"b"]),
    ],
)
def test_values_of_lists(text: str, shape: tuple[int, ...], nc_type: Atomic, expected: Any):
    assert values(text, shape, nc_type) == expected


@pytest.mark.parametrize("text", ["[]", "[[], []]"])
def test_an_array_without_elements_has_no_data(text: str):
    assert data(text, (2, 0)) is None


@pytest.mark.parametrize(
    ("text", "shape", "message"),
    [
        ("[1]", (0,), "v has no elements"),
        ("5", (0,), "v has no elements"),
        ("[5]", (), "v is a scalar"),
        ("5", (2,), "the data of v must be a list"),
        ("[1]", (2,), "do not have the shape of v, [2]"),
        ("[1, 2, 3]", (2,), "do not have the shape"),
        ("[[1, 2], [3]]", (2, 2), "do not have the shape"),
        ("[1, 2, 3, 4]", (2, 2), "do not have the shape"),
        ("[[1, 2, 3], [4]]", (2, 2), "do not have the shape"),
        ("[[1, 2], 3, 4]", (2, 2), "do not have the shape"),
    ],
)
def test_lists_of_another_shape_are_refused(text: str, shape: tuple[int, ...], message: str):
    with pytest.raises(CdlError, match=re.escape(message)):
        data(text, shape)


@pytest.mark.parametrize(
    ("text", "nc_type", "place"),
    [
        ("[1, 300]", Atomic.BYTE, "1:11"),
        ('[1, "a"]', Atomic.INT, "1:11"),
        ("[1, 2.5]", Atomic.INT, "1:11"),
        ("[1, 5]", Atomic.STRING, "1:8"),
    ],
)
def test_a_wrong_value_is_named_by_its_place(text: str, nc_type: Atomic, place: str):
    with pytest.raises(CdlError, match=f"a.json:{place}: "):
        values(text, (2,), nc_type)


def test_a_text_must_not_be_longer_than_its_row():
    with pytest.raises(CdlError, match="3 bytes, more than the 2"):
        values('["abc"]', (1, 2), Atomic.CHAR)


@pytest.mark.parametrize("block", [1, 5, 9])
def test_long_lists_are_divided_into_blocks(block: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(array, "BLOCK", block)
    text = "[" + ", ".join(f"[{n}, {n + 1}, {n + 2}]" for n in range(0, 30, 3)) + "]"
    found = data(text, (10, 3))
    assert found is not None
    assert len(found.blocks.starts) > 2
    assert read_all(found.rechunk((4, 2))).ravel().tolist() == [*range(30)]
    texts = '["a,b", "c,d", "e,f"]'
    assert values(texts, (3,), Atomic.STRING) == ["a,b", "c,d", "e,f"]
    with pytest.raises(CdlError, match="do not have the shape"):
        data(text, (10, 4))
