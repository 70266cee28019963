"""Edits as their options spell them."""

from __future__ import annotations

import pytest

from ncz.commands.edit.request import EditError, parse_set


@pytest.mark.parametrize("value", ['{"a": "x\\"y"}', '"{\\"a\\": \\"x\\\\\\"y\\"}"'])
def test_edits_set_json_with_and_without_quotation_marks(value: str):
    edit = parse_set(f"json v:m = {value}")
    assert edit.attribute is not None
    assert edit.attribute.original == ({"a": 'x"y'},)
    with pytest.raises(EditError, match="neither an object"):
        parse_set("json v:m = [1,2]")
