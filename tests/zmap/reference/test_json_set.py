"""Reference sets in JSON: version 0, version 1, and invalid references."""

from __future__ import annotations

import json
from typing import Any

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


# ---- templates


def test_without_templates_braces_are_literal():
    assert one(["http://h/{{u}}"]) == ByteRange("http://h/{{u}}")


def test_single_braces_next_to_a_template_are_literal():
    assert one(["{{u}}/{y}"], templates={"u": "h"}) == ByteRange("h/{y}")


def test_the_key_that_virtualizarr_gives_to_a_scalar():
    """It writes ``NAME/`` for the chunk that Zarr V2 names ``NAME/0``."""
    scalar = json.dumps({"zarr_format": 2, "shape": [], "chunks": [], "dtype": "<i4"})
    found = read({"version": 1, "refs": {"g/a/": ["/x.nc", 5, 4], "g/a/.zarray": scalar}})
    assert found["g/a/0"] == ByteRange("/x.nc", 5, 4)
    assert found.keys() == {"g/a/0", "g/a/.zarray"}
    v3: dict[str, Any] = {"a/": ["/x.nc"], "a/zarr.json": {"node_type": "array", "shape": []}}
    assert read(v3)["a/c"] == ByteRange("/x.nc")
    for other in ("[1]", "null"):
        with pytest.raises(FormatError, match="key 'a/'"):
            read({"a/": ["/x.nc"], "a/.zarray": f'{{"shape": {other}}}'})
    with pytest.raises(FormatError, match="key 'a/'"):
        read({"a/": ["/x.nc"], "a/0": ["/x.nc"], "a/.zarray": scalar})


STATEMENTS = ("{% set x = 1 %}a", "{% for x in [1] %}a{% endfor %}", "{{1|abs}}a")


@pytest.mark.parametrize("text", STATEMENTS)
@pytest.mark.parametrize("place", ["template", "reference", "key", "url", "offset"])
def test_other_statements_and_filters_of_jinja_are_errors(text, place):
    """fsspec evaluates them; as plain text they would name other chunks."""
    entry: dict[str, Any] = {"key": "v/{{i}}", "url": "h", "offset": "{{i}}", "length": "1"}
    entry["dimensions"] = {"i": [0]}
    parts: dict[str, Any] = {"refs": {"a/0": ["{{u}}"]}, "templates": {"u": "h"}, "gen": [entry]}
    if place == "template":
        parts["templates"]["w"] = text
    elif place == "reference":
        parts["refs"]["a/1"] = [text]
    else:
        entry[place] = text
    with pytest.raises(FormatError, match="of Jinja is not supported"):
        read_text(json.dumps({"version": 1, **parts}).encode(), "refs.json")


def test_templates_apply_to_urls_only():
    document = {"version": 1, "templates": {"u": "h"}, "refs": {"{{u}}": "{{u}}"}}
    assert read(document) == {"{{u}}": b"{{u}}"}


def test_blanks_in_an_expression():
    assert one(["{{ u }}"], templates={"u": "h"}) == ByteRange("h")


# ---- generated references


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
