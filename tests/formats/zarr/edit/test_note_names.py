"""Names in NCZarr's notes, in the spellings of all its generations."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.formats.zarr.edit import note_names

NEW: dict[str, Any] = {
    "arrays": ["v", "w"],
    "groups": ["g"],
    "dimensions": [{"name": "x", "size": 3}, {"name": "y", "size": 4}],
}
OLD: dict[str, Any] = {"vars": ["v", "w"], "subgroups": ["g"], "dims": {"x": 3, "y": 4}}
SIZED: dict[str, Any] = {"dims": {"x": {"size": 3, "unlimited": 1}}}


def copied(note: Any) -> Any:
    if isinstance(note, dict):
        return {name: copied(value) for name, value in note.items()}
    return [copied(each) for each in note] if isinstance(note, list) else note


@pytest.mark.parametrize("note", [NEW, OLD])
def test_children(note):
    note = copied(note)
    note_names.replace_child(note, "v", "z")
    note_names.replace_child(note, "g", None)
    note_names.replace_child(note, "absent", "q")
    arrays, groups = list(note.values())[:2]
    assert (arrays, groups) == (["z", "w"], [])


@pytest.mark.parametrize("note", [NEW, OLD])
def test_dimensions(note):
    note = copied(note)
    note_names.rename_dimension(note, "x", "longitude")
    note_names.resize_dimension(note, "y", 9)
    note_names.resize_dimension(note, "x", 7)
    assert note_names.dimension_names(note) == {"longitude", "y"}
    known = note.get("dims") or {each["name"]: each["size"] for each in note["dimensions"]}
    assert known == {"longitude": 3, "y": 9}


def test_the_members_of_a_dimension_stay():
    note = copied(SIZED)
    note_names.resize_dimension(note, "x", 5)
    assert note == {"dims": {"x": {"size": 5, "unlimited": 1}}}


def test_types():
    note: dict[str, Any] = {
        "types": {
            "pair": {"class": "compound", "fields": [{"type": "/g/one"}, {"type": "int"}, 7]},
            "list": {"class": "vlen", "base": "/g/one"},
        },
        "user_type": "/g/pair",
        "user_types": {"a": "/g/list", "b": 3},
    }
    note_names.rename_types([note], "/g/", "/h/")
    assert note_names.declared_types(note) == ["pair", "list"]
    assert note == {
        "types": {
            "pair": {"class": "compound", "fields": [{"type": "/h/one"}, {"type": "int"}, 7]},
            "list": {"class": "vlen", "base": "/h/one"},
        },
        "user_type": "/h/pair",
        "user_types": {"a": "/h/list", "b": 3},
    }


@pytest.mark.parametrize("note", [{}, {"dims": 7, "arrays": 3, "types": [], "dimrefs": "x"}])
def test_notes_that_are_not_valid_stay(note):
    changed = copied(note)
    note_names.replace_child(changed, "v", None)
    note_names.rename_dimension(changed, "x", "y")
    note_names.resize_dimension(changed, "x", 1)
    note_names.rename_types([changed], "/", "/g/")
    note_names.write_references(changed, ["/x"])
    assert changed == note
    assert note_names.dimension_names(changed) == set()
    assert note_names.declared_types(changed) == []


@pytest.mark.parametrize("member", ["dimension_references", "dimrefs"])
def test_references_of_an_array(member):
    note: dict[str, Any] = {member: ["/x", "/y"]}
    note_names.write_references(note, iter(["/g/x", "/y"]))
    assert note == {member: ["/g/x", "/y"]}
