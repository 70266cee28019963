"""A dataset after edits of its attributes and names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ncz.errors import SHOW_NAMES, FormatError, option
from ncz.formats.edits import Change, ChangeKind, Edit, Removal, Rename, Request, no_attribute
from ncz.model.single_precision import shortest_single
from ncz.model.tree import (
    Attribute,
    Dataset,
    Group,
    base_name,
    each_group,
    each_variable,
    join,
    parent,
    walk,
)
from ncz.model.types import Atomic
from ncz.record import record, replace


@record
class EditedNode:
    """A group or a variable, by its path now and before the edits, with its attributes."""

    key: str
    origin: str
    visible_attributes: Mapping[str, Any]


@record
class EditedDataset:
    """A dataset with its edits. `origins` has the old paths of groups and variables by the new."""

    dataset: Dataset
    location: str
    origins: Mapping[str, str]

    @staticmethod
    def of(dataset: Dataset, location: str) -> EditedDataset:
        """Begin with a dataset."""
        return EditedDataset(dataset, location, {path: path for path in _nodes(dataset)})

    @property
    def nodes(self) -> dict[str, EditedNode]:
        """The groups and variables by their paths, without a slash before them."""
        return {
            path: EditedNode(path, self.origins[path], {a.name: _json_value(a) for a in attributes})
            for path, attributes in _nodes(self.dataset).items()
        }

    def apply(self, request: Request) -> tuple[EditedDataset, list[Change]]:
        """Return the dataset after a request, and the changes.

        Raises
        ------
        FormatError
            If something does not exist, its new name does, or a file cannot be changed so.
        """
        if isinstance(request, Edit):
            return self._attribute(request)
        if isinstance(request, Rename):
            return self._rename(request)
        if isinstance(request, Removal):
            raise FormatError(
                f"{request.path} cannot be removed from a file",
                self.location,
                f"write a copy with {option('exclude', base_name(request.path))}",
            )
        raise FormatError("a file has no version of Zarr", self.location, "copy it to a store")

    def _attribute(self, edit: Edit) -> tuple[EditedDataset, list[Change]]:
        """Change an attribute; the order of attributes stays."""
        attributes = _nodes(self.dataset).get(edit.node)
        if attributes is None:
            raise self._missing(f"no variable or group {edit.node}")
        old = next((a for a in attributes if a.name == edit.name), None)
        changes: list[Change] = []

        def change(name: str, before: str | None, after: str | None) -> None:
            changes.append(Change(node=edit.node, name=name, before=before, after=after))

        if old is None and edit.action != "set":
            raise no_attribute(edit, _nodes(self.dataset), self.location)
        before = None if old is None else _json(old)
        if edit.attribute is not None:
            new = edit.attribute
            kept = [new if a is old else a for a in attributes] + ([new] if old is None else [])
            change(edit.name, before, _json(new))
        elif edit.new is not None:
            assert old is not None
            if any(a.name == edit.new for a in attributes):
                raise FormatError(f"attribute {edit.new} already exists", self.location)
            kept = [replace(a, name=edit.new) if a is old else a for a in attributes]
            change(edit.name, before, None)
            change(edit.new, None, before)
        else:
            kept = [a for a in attributes if a is not old]
            change(edit.name, before, None)
        return replace(self, dataset=_with_attributes(self.dataset, edit.node, kept)), changes

    def _rename(self, renaming: Rename) -> tuple[EditedDataset, list[Change]]:
        """Give a variable and the dimension of its name, a group or a dimension another name."""
        fqn, new = f"/{renaming.path}", renaming.new
        above = parent(fqn)
        groups = dict(walk(self.dataset.root))
        group = groups.get(above)
        if group is None:
            raise self._missing(f"no group {above}")
        members = {
            kind: [each.name for each in getattr(group, name)] for kind, name in _MEMBERS.items()
        }
        old, changes, dataset = base_name(fqn), list[Change](), self.dataset
        origins = dict(self.origins)
        for kind in _MEMBERS:
            if old not in members[kind] or renaming.kind not in (None, kind):
                continue
            taken = members["dimension"] if kind == "dimension" else [
                *members["variable"], *members["group"]
            ]  # fmt: skip
            if new in taken:
                raise FormatError(f"{kind} {join(above, new)} already exists", self.location)
            dataset = _with_renamed(dataset, above, kind, old, new)
            node = above.strip("/") if kind == "dimension" else renaming.path
            named = join(above, new)
            changes.append(
                Change(
                    node=node,
                    name=old if kind == "dimension" else None,
                    before=fqn,
                    after=named,
                    kind=kind,
                )
            )
            if kind != "dimension":
                origins = {_move_path(path, fqn[1:], named[1:]): o for path, o in origins.items()}
        if not changes:
            raise self._missing(f"no {renaming.kind or 'variable or dimension'} {renaming.path}")
        return replace(self, dataset=dataset, origins=origins), changes

    def _missing(self, what: str) -> FormatError:
        return FormatError(what, self.location, f"see {SHOW_NAMES}")


def _move_path(path: str, old: str, new: str) -> str:
    """Return a path below a node that has another path now."""
    return new + path[len(old) :] if path == old or path.startswith(f"{old}/") else path


def _nodes(dataset: Dataset) -> dict[str, tuple[Attribute, ...]]:
    """Return the attributes of groups and variables by their paths."""
    found: dict[str, tuple[Attribute, ...]] = {}
    for fqn, group in walk(dataset.root):
        found[fqn.strip("/")] = group.attributes
        for variable in group.variables:
            found[join(fqn, variable.name).strip("/")] = variable.attributes
    return found


def _with_attributes(dataset: Dataset, path: str, attributes: list[Attribute]) -> Dataset:
    """Return a dataset where the group or variable at a path has these attributes."""
    new = tuple(attributes)
    changed = each_group(
        dataset, lambda fqn, g: replace(g, attributes=new) if fqn.strip("/") == path else g
    )
    return each_variable(
        changed, lambda fqn, v: replace(v, attributes=new) if fqn.strip("/") == path else v
    )


def _with_renamed(dataset: Dataset, above: str, kind: ChangeKind, old: str, new: str) -> Dataset:
    """Return a dataset where a member of the group `above` has another name."""

    def change(path: str, group: Group) -> Group:
        if path != above:
            return group
        members = getattr(group, _MEMBERS[kind])
        renamed = tuple(replace(m, name=new) if m.name == old else m for m in members)
        return replace(group, **{_MEMBERS[kind]: renamed})

    renamed = each_group(dataset, change)
    if kind == "variable":
        return renamed
    fqn, named = join(above, old), join(above, new)

    def move(dimension: str) -> str:
        if kind == "group":
            return _move_path(dimension, fqn, named)
        return named if dimension == fqn else dimension

    return each_variable(
        renamed, lambda _, v: replace(v, dimensions=tuple(map(move, v.dimensions)))
    )


_MEMBERS: Mapping[ChangeKind, str] = {
    "variable": "variables", "dimension": "dimensions", "group": "groups",
}  # fmt: skip
"""The members of a group of each kind that has a name."""


def _json_value(attribute: Attribute) -> Any:
    """Convert the value of an attribute to JSON; other values are lists."""
    if attribute.type is Atomic.CHAR:
        return attribute.text
    is_single = attribute.type is Atomic.FLOAT
    values = [*map(shortest_single, attribute.values)] if is_single else [*attribute.values]
    return values[0] if len(values) == 1 else values


def _json(attribute: Attribute) -> str:
    return json.dumps(_json_value(attribute), default=str, ensure_ascii=False)
