"""Values in answers of DAP2."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from ncz.errors import FormatError
from ncz.formats.dap.xdr import values_of


def read(declarations: str, data: bytes, *path: str) -> Any:
    body = f"Dataset {{ {declarations} }} n;\nData:\n".encode() + data
    return values_of(body, path, FormatError, "u")


def many(count: int, data: bytes, times: int = 2) -> bytes:
    return struct.pack(">I", count) * times + data


def text(value: bytes) -> bytes:
    return struct.pack(">I", len(value)) + value + bytes(-len(value) % 4)


@pytest.mark.parametrize(
    ("declarations", "data", "expected"),
    [
        ("Int32 v;", struct.pack(">i", -7), -7),
        ("Int16 v;", struct.pack(">i", -7), -7),
        ("Float64 v;", struct.pack(">d", 0.5), 0.5),
        ("Byte v;", b"\0\0\0\7", 7),
        ("Byte v;", b"\7\0\0\0", 7),
        ("Byte v[3];", many(3, b"\1\2\3\0"), [1, 2, 3]),
        ("Float32 v[2][2];", many(4, struct.pack(">4f", 1, 2, 3, 4)), [[1, 2], [3, 4]]),
        ("String v;", text(b"abc"), "abc"),
        ("Url v[2];", many(2, text(b"a") + text(b"bcdef"), 1), ["a", "bcdef"]),
        ("Byte a[1]; Int32 v;", many(1, b"\1\0\0\0") + struct.pack(">i", 5), 5),
    ],
)
def test_values(declarations, data, expected):
    assert read(declarations, data, "v").tolist() == expected


def test_parts_of_grids_and_structures():
    array = many(2, struct.pack(">2i", 1, 2))
    grid = "Grid { ARRAY: Int32 v[2]; MAPS: Int32 x[2]; } v;"
    assert read(grid, array + array, "v", "x").tolist() == [1, 2]
    assert read("Int32 v[2];", array, "v", "v").tolist() == [1, 2]
    both = "Structure { Int32 a; Structure { Int16 b; } c; } s[2];"
    data = many(2, struct.pack(">4i", 1, 2, 3, 4), 1)
    assert read(both, data, "s", "a").tolist() == [1, 3]
    assert read(both, data, "s", "c", "b").tolist() == [2, 4]


@pytest.mark.parametrize(
    ("declarations", "data", "message"),
    [
        ("Int32 v;", b"\0\0", "ends before all values"),
        ("Int32 v[3];", many(2, bytes(8)), "the server sends 2 values, but 3"),
        ("Int32 w;", bytes(4), "does not contain the requested variable"),
        ("Sequence { Int32 a; } v;", bytes(4), "sequence, which ncz cannot read"),
        ("String v;", b"\xff\xff\xff\xff", "ends before all values"),
        ("Int32 v[99];", many(99, b'Error { code = 1; message = "full"; };'), "values: full"),
    ],
)
def test_answers_that_are_not_complete(declarations, data, message):
    with pytest.raises(FormatError, match=message):
        read(declarations, data, "v")


def test_an_answer_without_data():
    with pytest.raises(FormatError, match="has no data"):
        values_of(b"Dataset { } n;", ("v",), FormatError, "u")
    assert np.size(read("Int32 v[0];", many(0, b""), "v")) == 0
