"""Edits of an existing store: the requests, and the changes, for people and scripts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from ncz.errors import SHOW_NAMES, FormatError, option
from ncz.model.tree import Attribute
from ncz.record import record

Action = Literal["delete", "rename", "set"]
Kind = Literal["variable", "dimension", "group"]


@record(kw_only=True)
class Edit:
    """One change of an attribute of the variable or group at `node`; "" is the root group.

    `new` is the new name of a renamed attribute, and `attribute` the one to set. `is_typed` is
    false if only the numbers of the attribute were given, so that it may have another type.
    """

    action: Action
    node: str
    name: str
    new: str | None = None
    attribute: Attribute | None = None
    is_typed: bool = True


def no_attribute(edit: Edit, nodes: Collection[str], location: str) -> FormatError:
    """Return the error for an attribute that does not exist; one of the `nodes` may be meant."""
    is_other = edit.action == "delete" and not edit.node and edit.name in nodes
    hint = f"for the variable, use {option('remove', edit.name)}" if is_other else None
    return FormatError(f"no attribute {edit.name}", location, hint or f"see {SHOW_NAMES}")


@record(kw_only=True)
class Rename:
    """A new name for the variable or group at `path`, and for the dimension with that name.

    With a `kind`, only members of this kind are renamed.
    """

    path: str
    new: str
    kind: Kind | None = None


@record(kw_only=True)
class Removal:
    """The removal of the variable or group at `path`."""

    path: str


@record
class Migration:
    """The change of a store to another version of Zarr without changing chunks."""

    zarr_format: int


Request = Edit | Rename | Removal | Migration


ChangeKind = Literal["attribute", "variable", "group", "dimension", "zarr_format", "source"]


@record(kw_only=True)
class Change:
    """A change of one attribute, or of the name of a variable, group or dimension.

    Attributes
    ----------
    node
        The path of the node, without a slash before it; for a dimension the path of its group.
    name
        The name of an attribute or a dimension; None for a node.
    before, after
        The JSON of an attribute, the path of a renamed member, or the version of Zarr. None if it
        does not exist.
    """

    node: str
    name: str | None
    before: str | None
    after: str | None
    kind: ChangeKind = "attribute"
