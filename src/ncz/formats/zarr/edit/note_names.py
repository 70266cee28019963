"""Names in NCZarr's notes about groups and arrays, changed in place.

Members have the spellings of every generation of NCZarr, so that a note keeps the one it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncz.formats.zarr.documents.notes import find_note
from ncz.formats.zarr.json import Json

_ARRAYS, _GROUPS = ("arrays", "vars"), ("groups", "subgroups")
_CHILDREN = (*_ARRAYS, *_GROUPS)
_DIMENSIONS = ("dimensions", "dims")
_REFERENCES = ("dimension_references", "dimrefs")


def note_of(name: str, documents: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    """Return the note `name` of a node, to be changed in place; an empty one if none exists."""
    note = find_note(name, documents)
    return note if isinstance(note, dict) else {}


def replace_child(note: dict[str, Json], old: str, new: str | None) -> None:
    """Rename a child in the note of its group, or remove it if `new` is None."""
    for member in _CHILDREN:
        names = note.get(member)
        if isinstance(names, list) and old in names:
            renamed = (new if name == old else name for name in names)
            note[member] = [name for name in renamed if name is not None]


def merge_group(note: dict[str, Json], new: Mapping[str, Json]) -> None:
    """Add the definitions in the note of a group to another; dimensions of the same name stay."""
    for names in (_ARRAYS, _GROUPS, _DIMENSIONS, ("types",)):
        theirs = next((new[name] for name in names if new.get(name)), None)
        if theirs is None:
            continue
        member = next((name for name in names if name in note), names[0])
        ours = note.get(member)
        if isinstance(theirs, dict):
            note[member] = {**theirs, **(ours if isinstance(ours, dict) else {})}
            continue
        ours = ours if isinstance(ours, list) else []
        known = {each.get("name") if isinstance(each, dict) else each for each in ours}
        note[member] = [
            *ours,
            *(e for e in theirs if (e.get("name") if isinstance(e, dict) else e) not in known),
        ]


def rename_dimension(note: dict[str, Json], old: str, new: str) -> None:
    """Rename a dimension in the note of its group."""
    for member in _DIMENSIONS:
        found = note.get(member)
        if isinstance(found, dict):
            note[member] = {new if name == old else name: size for name, size in found.items()}
        for entry in found if isinstance(found, list) else ():
            if isinstance(entry, dict) and entry.get("name") == old:
                entry["name"] = new


def resize_dimension(note: dict[str, Json], name: str, size: int) -> None:
    """Change the length of a dimension in the note of its group."""
    for member in _DIMENSIONS:
        found = note.get(member)
        if isinstance(found, dict) and name in found:
            known = found[name]
            found[name] = {**known, "size": size} if isinstance(known, dict) else size
        for entry in found if isinstance(found, list) else ():
            if isinstance(entry, dict) and entry.get("name") == name:
                entry["size"] = size


def declared_types(note: Mapping[str, Json]) -> list[str]:
    """Return the names of the user-defined types that the note of a group declares."""
    types = note.get("types")
    return list(types) if isinstance(types, dict) else []


def rename_types(notes: Iterable[dict[str, Json]], old: str, new: str) -> None:
    """Replace the beginning of the FQNs of user-defined types in all notes of a node."""

    def replace(holder: dict[str, Json], member: str) -> None:
        name = holder.get(member)
        if isinstance(name, str) and name.startswith(old):
            holder[member] = new + name.removeprefix(old)

    for note in notes:
        replace(note, "user_type")
        attributes = _object(note.get("user_types"))
        for attribute in attributes:
            replace(attributes, attribute)
        for declaration in map(_object, _object(note.get("types")).values()):
            replace(declaration, "base")
            for part in declaration.get("fields") or ():
                replace(_object(part), "type")


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def dimension_names(note: Mapping[str, Json]) -> set[str]:
    """Return the names of the dimensions that the note of a group defines."""
    names: set[str] = set()
    for member in _DIMENSIONS:
        found = note.get(member)
        if isinstance(found, dict):
            names.update(found)
        for entry in found if isinstance(found, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                names.add(entry["name"])
    return names


def write_references(note: dict[str, Json], axes: Iterable[str]) -> None:
    """Replace the FQNs of an array's dimensions in its note, if it has them."""
    for member in _REFERENCES:
        if isinstance(note.get(member), list):
            note[member] = list(axes)
