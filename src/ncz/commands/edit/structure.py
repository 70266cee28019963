"""Rename and remove variables, groups and dimensions in a draft, and what mentions them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from ncz.commands.edit.draft import (
    Draft,
    Node,
    declared_types,
    dimension_names,
    rename_dimension,
    rename_types,
    replace_child,
    write_references,
)
from ncz.commands.edit.request import Kind, Removal, Renaming
from ncz.errors import SHOW_NAMES, FormatError, Notice, either, option
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.losses import name_fault
from ncz.formats.zarr.notes import ARRAY, GROUP, V2, V3
from ncz.model.links import NAMING, WORD, names_in
from ncz.model.tree import base_name, parent
from ncz.record import record
from ncz.text.names import escape_name

# What an edit changes, for people and scripts.

ChangeKind = Literal["attribute", "variable", "group", "dimension"]


@record(kw_only=True)
class Change:
    """A change of one attribute, or of the name of a variable, group or dimension.

    Attributes
    ----------
    node
        The path of the node, without a slash before it; for a dimension that of its group.
    name
        The name of an attribute or a dimension; None for a node.
    before, after
        The JSON of an attribute, or the path of what is renamed. None if it does not exist.
    """

    node: str
    name: str | None
    before: str | None
    after: str | None
    kind: ChangeKind = "attribute"


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


def rename(draft: Draft, renaming: Renaming, location: str, *, pure: bool) -> Iterator[Change]:
    """Give a new name to a variable or group, and to the dimension of that name.

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
        raise _missing(path, kind or "variable, group or dimension", location)
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


def _missing(path: str, what: str, location: str) -> FormatError:
    return FormatError(f"no {what} /{path}", location, f"see {SHOW_NAMES}")


# Attributes that name what was renamed or removed, such as ``coordinates`` of the CF conventions.
#
# They stay as they are, because only their author knows what they mean; a notice gives the edit.


def outdated_names(draft: Draft, changes: Iterable[Change], location: str) -> Iterator[Notice]:
    """Yield a notice for every attribute that names what no longer has this name."""
    new_names = _new_names(changes)
    for fqn in [fqn for fqn in new_names if fqn[1:] in draft.nodes]:
        del new_names[fqn]
    if not new_names:
        return
    for node in draft.nodes.values():
        for name in NAMING:
            text = node.visible_attributes.get(name)
            if isinstance(text, str):
                found = dict(_old_names(node, name, text, new_names))
                if found:
                    yield _notice(node, name, text, found, location)


def _new_names(changes: Iterable[Change]) -> dict[str, str | None]:
    """Return the new names of variables and dimensions by their old FQNs."""
    names: dict[str, str | None] = {}
    for change in changes:
        if change.kind in ("variable", "dimension") and change.before is not None:
            for fqn, new in names.items():
                if new is not None and f"{parent(fqn)}/{new}" == change.before:
                    names[fqn] = change.after and base_name(change.after)
            names[change.before] = change.after and base_name(change.after)
    return names


def _old_names(
    node: Node, attribute: str, text: str, new_names: Mapping[str, str | None]
) -> Iterator[tuple[str, str | None]]:
    """Yield the words of an attribute that are old names, with the new ones."""
    for name in names_in(attribute, text):
        group = f"/{parent(node.origin)}".rstrip("/")
        while True:
            if f"{group}/{name}" in new_names:
                yield name, new_names[f"{group}/{name}"]
                break
            if not group:
                break
            group = parent(group)


def _notice(
    node: Node, attribute: str, text: str, found: Mapping[str, str | None], location: str
) -> Notice:
    place = f"{escape_name(node.key)}:{attribute}"
    what = ", ".join(
        f"{old}, which is removed" if new is None else f"{old}, which is now {new}"
        for old, new in found.items()
    )
    renamed = WORD.sub(lambda m: _renamed(m[0], found), text)
    changed = f"'{place} = \"{renamed}\"'"
    is_renamed = all(new is not None for new in found.values())
    return Notice(
        "name-outdated",
        f"{attribute} names {what}",
        f"{location}: /{node.key}",
        "use " + either(f"--set {changed}", f"set={changed}")
        if is_renamed
        else f"change it with {option('set')}",
    )


def _renamed(word: str, found: Mapping[str, str | None]) -> str:
    name = word.rstrip(":")
    return (found.get(name) or name) + word[len(name) :]
