"""Templates in reference sets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ncz.errors import FormatError
from ncz.zmap.byte_range import ByteRange
from tests.zmap.reference.test_json_set import one, read, read_text


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
