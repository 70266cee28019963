"""Reference sets in JSON: version 0, version 1, and invalid references."""

from __future__ import annotations

import json

import pytest

from ncz.errors import FormatError
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.reference.json_set import parse_json, read_json


def read_text(data: bytes, location: str):
    """Read a reference set from its text."""
    return read_json(parse_json(data, location), location)


SPECIFICATION = """
{
    "version": 1,
    "templates": {"u": "server.domain/path", "f": "{{c}}"},
    "gen": [
        {
            "key": "gen_key{{i}}",
            "url": "http://{{u}}_{{i}}",
            "offset": "{{(i + 1) * 1000}}",
            "length": "1000",
            "dimensions": {"i": {"stop":  5}}
        }
    ],
    "refs": {
      "key0": "data",
      "key1": ["http://target_url", 10000, 100],
      "key2": ["http://{{u}}", 10000, 100],
      "key3": ["http://{{f(c='text')}}", 10000, 100]
    }
}
"""


def read(document):
    return read_text(json.dumps(document).encode(), "refs.json")


def one(value, **parts):
    return read({"version": 1, "refs": {"k": value}, **parts})["k"]


def test_the_example_of_the_specification():
    assert read_text(SPECIFICATION.encode(), "refs.json") == {
        "key0": b"data",
        "key1": ByteRange("http://target_url", 10000, 100),
        "key2": ByteRange("http://server.domain/path", 10000, 100),
        "key3": ByteRange("http://text", 10000, 100),
        "gen_key0": ByteRange("http://server.domain/path_0", 1000, 1000),
        "gen_key1": ByteRange("http://server.domain/path_1", 2000, 1000),
        "gen_key2": ByteRange("http://server.domain/path_2", 3000, 1000),
        "gen_key3": ByteRange("http://server.domain/path_3", 4000, 1000),
        "gen_key4": ByteRange("http://server.domain/path_4", 5000, 1000),
    }


def test_version_0():
    references = read(
        {
            ".zgroup": '{"zarr_format": 2}',
            ".zattrs": {"title": "é", "n": [1, 2.5]},
            "x/0": ["s3://bucket/path/file.nc", 294094376, 73825960],
            "x/1": "base64:AAH/",
            "x/2": ["other.nc"],
        }
    )
    assert references.pop(".zattrs") == json.dumps({"title": "é", "n": [1, 2.5]}).encode()
    assert references == {
        ".zgroup": b'{"zarr_format": 2}',
        "x/0": ByteRange("s3://bucket/path/file.nc", 294094376, 73825960),
        "x/1": b"\x00\x01\xff",
        "x/2": ByteRange("other.nc"),
    }


def test_text_is_utf8():
    assert one("é") == "é".encode()


def test_an_object_keeps_values_that_only_python_reads():
    assert read_text(b'{"version": 1, "refs": {"k": {"fill_value": NaN}}}', "x") == {
        "k": b'{"fill_value": NaN}'
    }


@pytest.mark.parametrize("version", ["1", 0, 2, True, 1.0, None, [1]])
def test_other_versions_are_refused(version):
    with pytest.raises(FormatError, match=r"reference sets of version .* are not known"):
        read({"version": version, "refs": {}})


def test_unknown_members_are_ignored_and_all_are_optional():
    assert read({"version": 1, "comment": {}}) == {}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "cannot be of type null"),
        (5, "cannot be of type int"),
        (True, "cannot be of type bool"),
        ([], "has 0 items"),
        (["a", 1], "has 2 items"),
        (["a", 1, 2, 3], "has 4 items"),
        ([None, 0, 1], "the URL must be a text"),
        ([""], "the URL must be a text"),
        (["a", -3, 2], "not negative"),
        (["a", 0, -1], "not negative"),
        (["a", 0, 1.5], "whole numbers"),
        (["a", True, 1], None),
        (["a", 0, 1 << 62], "whole numbers"),
        ("base64:A", "base64 cannot be decoded"),
        ("base64:AA!=", "base64 cannot be decoded"),
        ("\ud800", "surrogates"),
    ],
    ids=str,
)
def test_a_value_that_is_not_a_reference_is_named(value, message):
    with pytest.raises(FormatError, match=message) as error:
        one(value)
    assert error.value.location == "refs.json: key 'k'"


@pytest.mark.parametrize("key", ["", "/a", "a//b", "../a", "a/../b", "a/."])
def test_keys_that_lead_out_of_the_store_are_refused(key):
    with pytest.raises(FormatError, match="a key cannot"):
        read({"version": 1, "refs": {key: "x"}})


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"1", b'{"a": 1', b"{}", b'{"dimensions": {"x": 2}}', b"[" * 100_000, b"{\xff"],
    ids=lambda text: repr(text[:20]),
)
def test_json_that_is_not_a_reference_set(text):
    with pytest.raises(FormatError):
        read_text(text, "x.json")


def test_a_byte_order_mark_is_ignored():
    assert read_text(b'\xef\xbb\xbf{"version": 1}', "x") == {}
