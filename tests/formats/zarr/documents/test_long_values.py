"""Messages about metadata documents show long values in part."""

from __future__ import annotations

import pytest

from ncz.errors import NczError
from ncz.formats.zarr.json import show_json
from tests.formats.zarr.documents.bases import Document
from tests.formats.zarr.documents.test_judgement import by_ncz

LONG = "x" * 70
PART = '"' + "x" * 56 + "..."


def test_values_of_more_than_60_characters_are_shortened():
    assert show_json("x" * 58) == '"' + "x" * 58 + '"'
    assert show_json("x" * 59) == show_json(LONG) == PART


@pytest.mark.parametrize(
    ("base", "member", "says"),
    [
        ("v3", "zarr_format", "zarr_format must be 3, not "),
        ("v3", "node_type", 'node_type must be "array" or "group", not '),
        ("v3", "attributes", "attributes must be an object, not "),
        ("v3", "dimension_names", "dimension_names must be a list of names, not "),
        ("v3", "codecs", "codecs must be a list, not "),
        ("v3", "data_type", "data_type "),
        ("v3", "fill_value", "fill_value "),
        ("v2", "zarr_format", "zarr_format must be 2, not "),
        ("v2", "order", 'order must be "C" or "F", not '),
        ("v2", "dimension_separator", 'dimension_separator must be "." or "/", not '),
        ("v2", "shape", "shape must be a list of integers, not "),
        ("v2", "filters", "filters must be a list or null, not "),
        ("v2", "compressor", 'compressor: a codec must be an object with an "id", not '),
        ("v2", "dtype", "dtype "),
        ("v2", "fill_value", "fill_value "),
    ],
)
def test_a_long_value_is_shown_in_part(base, member, says):
    error = by_ncz(Document(name="", base=base, change={member: LONG}))
    assert isinstance(error, NczError)
    assert f"{says}{PART}" in str(error)
