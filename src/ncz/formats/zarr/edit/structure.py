"""Rename and remove variables, groups and dimensions in a draft, and references to them."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import SHOW_NAMES, FormatError
from ncz.formats.edits import Change, Kind, Removal, Rename
from ncz.formats.zarr.documents.notes import ARRAY, GROUP, V2, V3
from ncz.formats.zarr.edit.draft import Draft, Node
from ncz.formats.zarr.edit.note_names import (
    declared_types,
    dimension_names,
    rename_dimension,
    rename_types,
    replace_child,
    write_references,
)
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.writing.losses import name_fault
from ncz.model.tree import base_name, parent


def remove(draft: Draft, removal: Removal, location: str) -> Iterator[Change]:
    """Remove a variable or group.

    Raises `FormatError` if it does not exist, or declares user-defined types.
    """
    node = draft.nodes.get(removal.path)
    if node is None:
        raise _missing(removal.path, "variable or group", location)
    if _declares_types(draft, node.key):
        raise FormatError(
            f"/{node.key} declares user-defined types, which other variables may have",
            location,
            "copy the store without its variables instead: ncz copy -V",
        )
    draft.remove(node.key)
    replace_child(_group_note(draft, parent(node.key)), base_name(node.key), None)
    yield Change(kind=_kind(node), node=node.key, name=None, before=f"/{node.key}", after=None)


def rename(draft: Draft, renaming: Rename, location: str, *, pure: bool) -> Iterator[Change]:
    """Give a new name to a variable or group, and to the dimension with its name.

    Raises
    ------
    FormatError
        If nothing has the old name, something has the new one, or it is not valid.
    """
    path, new, kind = renaming.path, renaming.new, renaming.kind
    node = draft.nodes.get(path)
    if node is not None and kind not in (None, _kind(node)):
        node = None
    is_group = node is not None and node.axes is None
    has_dimension = kind in (None, "dimension") and not is_group and _is_dimension(draft, path)
    if node is None and not has_dimension:
        hint = f"see {SHOW_NAMES}; a global attribute is renamed by --rename :OLD=:NEW"
        raise _missing(path, kind or "variable, group or dimension", location, hint)
    fault = name_fault(new, f"/{parent(path)}" if parent(path) else "", pure=pure)
    if fault is not None:
        raise FormatError(f"/{path} cannot be named {new!r}: {fault}", location)
    if node is not None:
        yield _rename_node(draft, node, new, location)
    if has_dimension:
        yield _rename_dimension(draft, path, new, location)


def _rename_node(draft: Draft, node: Node, new: str, location: str) -> Change:
    old = node.key
    group = parent(old)
    key = f"{group}/{new}" if group else new
    if key in draft.nodes:
        raise FormatError(f"/{key} already exists", location)
    kind = _kind(node)
    draft.rename(old, key)
    replace_child(_group_note(draft, group), base_name(old), new)
    if kind == "group":
        for array in _arrays(draft):
            _replace_axes(array, f"/{old}/", f"/{key}/")
        if _declares_types(draft, key):
            for each in draft.nodes.values():
                notes = [each.note(name) for name in (GROUP, ARRAY, V2.types, V3.types)]
                rename_types(notes, f"/{old}/", f"/{key}/")
    return Change(kind=kind, node=old, name=None, before=f"/{old}", after=f"/{key}")


def _rename_dimension(draft: Draft, path: str, new: str, location: str) -> Change:
    group, old = parent(path), base_name(path)
    fqn = f"{'/' + group if group else ''}/{new}"
    if _is_dimension(draft, fqn[1:]):
        raise FormatError(f"dimension {fqn} already exists", location)
    rename_dimension(_group_note(draft, group), old, new)
    for array in _arrays(draft):
        axes = array.axes or []
        found = [axis for axis, name in enumerate(axes) if name == f"/{path}"]
        for axis in found:
            axes[axis] = fqn
            array.rename_axis(axis, old, new)
        if found:
            _write_references(array)
    return Change(kind="dimension", node=group, name=old, before=f"/{path}", after=fqn)


def _declares_types(draft: Draft, key: str) -> bool:
    """Return whether a group, or one below it, declares user-defined types."""
    return any(
        node.axes is None and declared_types(node.note(GROUP))
        for node in draft.nodes.values()
        if f"{node.key}/".startswith(f"{key}/")
    )


def _replace_axes(array: Node, old: str, new: str) -> None:
    axes = array.axes or []
    found = [axis for axis, name in enumerate(axes) if name.startswith(old)]
    for axis in found:
        axes[axis] = new + axes[axis].removeprefix(old)
    if found:
        _write_references(array)


def _write_references(array: Node) -> None:
    write_references(array.note(ARRAY), array.axes or ())


def _arrays(draft: Draft) -> list[Node]:
    return [node for node in draft.nodes.values() if node.axes is not None]


def _group_note(draft: Draft, key: str) -> dict[str, Json]:
    return draft.nodes[key].note(GROUP)


def _is_dimension(draft: Draft, path: str) -> bool:
    """Return whether a dimension has this path, in the note of its group or of an array."""
    group = draft.nodes.get(parent(path))
    if group is None or group.axes is not None:
        return False
    is_noted = base_name(path) in dimension_names(_group_note(draft, group.key))
    return is_noted or any(f"/{path}" in (array.axes or ()) for array in _arrays(draft))


def _kind(node: Node) -> Kind:
    return "group" if node.axes is None else "variable"


def _missing(path: str, what: str, location: str, hint: str = f"see {SHOW_NAMES}") -> FormatError:
    return FormatError(f"no {what} /{path}", location, hint)
