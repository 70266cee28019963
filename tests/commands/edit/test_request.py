"""Edits as their options spell them."""

from __future__ import annotations

import pytest

from ncz.commands.edit.request import EditError, parse_set, renames_of, sets_of


@pytest.mark.parametrize("value", ['{"a": "x\\"y"}', '"{\\"a\\": \\"x\\\\\\"y\\"}"'])
def test_edits_set_json_with_and_without_quotation_marks(value: str):
    edit = parse_set(f"json v:m = {value}")
    assert edit.attribute is not None
    assert edit.attribute.original == ({"a": 'x"y'},)
    with pytest.raises(EditError, match="neither an object"):
        parse_set("json v:m = [1,2]")


def test_mappings_are_the_texts():
    assert renames_of({"v": "w", "x": "y"}) == ("v=w", "x=y")
    assert renames_of("v=w") == ("v=w",)
    given = {"v:units": 'm"s', ":title": "a", "w": {"range": [1, 2.5], "note": "5"}}
    assert sets_of(given) == (
        'v:units = "m\\"s"',
        ':title = "a"',
        "w:range = 1, 2.5",
        'w:note = "5"',
    )
    assert [parse_set(text).name for text in sets_of(given)] == ["units", "title", "range", "note"]
