"""The text of an object: documents, bytes and values."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.commands.object_text import cat, document_lines, hex_lines, value_lines
from ncz.errors import ZmapError
from ncz.zmap.location import parse_location
from tests.commands.test_ls import V2
from tests.commands.test_ls import store as store


def test_cat_indents_a_document(store):
    source = store({"v/.zarray": b'{"shape":[2,3],"filters":[{"id":"x"}],"e":{},"n":null,"l":[]}'})
    assert list(cat(parse_location(source), "/v/.zarray")) == [
        "{",
        '  "shape": [2, 3],',
        '  "filters": [',
        "    {",
        '      "id": "x"',
        "    }",
        "  ],",
        '  "e": {},',
        '  "n": null,',
        '  "l": []',
        "}",
    ]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1e400, "b": 0.1000000000000000055, "c": 123456789012345678901234567890}',
        '{"a": 1, "a": 2}',
        r'{"a": "\u00e9\"\\", "b]": "x, y: {"}',
        '["é", NaN, -Infinity]',
        '"just text"',
        "17",
    ],
)
def test_indenting_changes_no_token(text):
    lines = list(document_lines(text.encode()))
    assert "".join("".join(lines).split()) == "".join(text.split())


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values, st.sampled_from([None, 0, 3]))
def test_indented_json_is_the_same(value, indent):
    lines = list(document_lines(json.dumps(value, indent=indent, ensure_ascii=False).encode()))
    assert json.loads("\n".join(lines)) == value
    assert not any("\n" in line for line in lines)


@pytest.mark.parametrize(
    "text", [b"", b"{", b"not json", b"{]", b"\xff\xfe", b"[" * 100_000, b"1" * 10_000]
)
def test_a_document_that_is_not_json_is_printed_unchanged(text):
    lines = list(document_lines(text))
    assert "\n".join(lines).encode("utf-8", "surrogateescape") == text


def test_cat_dumps_a_chunk(store):
    source = store({"x/0": bytes(range(0x3C, 0x3C + 18)), "x/1": b""})
    assert list(cat(parse_location(source), "x/0")) == [
        "00000000  3c 3d 3e 3f 40 41 42 43  44 45 46 47 48 49 4a 4b  |<=>?@ABCDEFGHIJK|",
        "00000010  4c 4d                                             |LM|",
        "00000012",
    ]
    assert list(cat(parse_location(source), "x/1")) == ["00000000"]


@given(st.binary(max_size=70))
def test_a_hex_dump_holds_every_byte(value):
    *rows, last = hex_lines(value)
    assert b"".join(bytes.fromhex(row[10:58]) for row in rows) == value
    assert int(last, 16) == len(value)


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("/x/1", "key /x/1 does not exist; did you mean"),
        ("/x", "this key is a prefix of other keys, not an object; list them: ncz ls"),
        ("/", "prefix of other keys"),
    ],
)
def test_cat_of_a_key_without_an_object(store, key, says):
    with pytest.raises(ZmapError, match=says):
        list(cat(parse_location(store(V2)), key))


@pytest.mark.parametrize(
    ("array", "lines"),
    [
        (np.arange(6, dtype="i2").reshape(2, 3), ["0, 1, 2", "3, 4, 5"]),
        (np.arange(4.0, dtype="f4").reshape(2, 1, 2) / 10, ["0.0, 0.1", "0.2, 0.3"]),
        (np.array(7), ["7"]),
        (np.array([b"a", b"\xff", b'"'], "S1"), ['"a", "\udcff", "\\""']),
        (np.array(["one", None], object), ['"one", null']),
        (np.zeros((0, 3)), [""]),
        (np.zeros((2, 0)), [""]),
    ],
)
def test_values_come_a_row_a_line(array, lines):
    assert list(value_lines(array)) == lines


def test_cat_decodes_a_chunk(store):
    document = {
        "zarr_format": 2, "shape": [4], "chunks": [4], "dtype": ">i2", "order": "C",
        "fill_value": 0, "compressor": {"id": "zlib", "level": 1}, "filters": None,
    }  # fmt: skip
    chunk = zlib.compress(np.arange(4, dtype=">i2").tobytes())
    source = store({"x/.zarray": json.dumps(document).encode(), "x/0": chunk})
    assert list(cat(parse_location(source), "/x/0", decode=True)) == ["0, 1, 2, 3"]
    assert next(cat(parse_location(source), "/x/.zarray", decode=True)) == "{"
