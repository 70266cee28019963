"""Requests of edits, and changes."""

from __future__ import annotations

import pytest

from ncz.formats.edits import Change, Edit, Migration, Removal, Rename, no_attribute


def test_an_attribute_that_does_not_exist_may_be_a_variable():
    nodes = ("", "v", "g/w")
    error = no_attribute(Edit(action="delete", node="", name="v"), nodes, "a.zarr")
    assert "a.zarr: no attribute v; for the variable, use --remove v" in str(error)
    for edit in (
        Edit(action="delete", node="v", name="v"),
        Edit(action="rename", node="", name="v", new="w"),
        Edit(action="delete", node="", name="x"),
    ):
        assert "--remove" not in str(no_attribute(edit, nodes, "a.zarr"))


def test_requests_are_compared_by_their_changes():
    assert Rename(path="v", new="w") == Rename(path="v", new="w", kind=None)
    assert Rename(path="v", new="w") != Rename(path="v", new="w", kind="dimension")
    assert len({Removal(path="v"), Removal(path="v"), Migration(3)}) == 2


def test_a_change_is_of_an_attribute_unless_it_says_otherwise():
    assert Change(node="v", name="a", before="1", after=None).kind == "attribute"
    with pytest.raises(TypeError, match="after"):
        Change(node="v", name="a", before="1")  # type: ignore[call-arg]
