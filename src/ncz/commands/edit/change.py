"""What an edit changes, for people and scripts."""

from __future__ import annotations

from typing import Literal

from ncz.record import record

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
