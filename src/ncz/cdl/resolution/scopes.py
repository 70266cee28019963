"""Groups, dimensions and variables while they are being resolved."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as mutable_field

from ncz.cdl.data_list.block_index import BlockIndex, ListShape
from ncz.cdl.syntax_tree import AssignmentSyntax, AttributeSyntax
from ncz.model.tree import Attribute
from ncz.model.types import NcType, UserType, Value


@dataclass(slots=True)
class OpenDimension:
    """A declared dimension; the `size` of an unlimited one grows with the data."""

    name: str
    fqn: str
    size: int
    unlimited: bool


@dataclass(slots=True)
class OpenVariable:
    """A declared variable; its attributes and data follow."""

    name: str
    fqn: str
    at: int
    type: NcType
    dimensions: tuple[OpenDimension, ...]
    attributes: dict[str, Attribute] = mutable_field(default_factory=dict)
    special: dict[str, AttributeSyntax] = mutable_field(default_factory=dict)
    fill: Value = None
    assignment: AssignmentSyntax | None = None
    index: tuple[ListShape, BlockIndex] | None = None

    @property
    def levels(self) -> list[tuple[OpenDimension, ...]]:
        """The dimensions, split before each unlimited one except the first dimension."""
        cuts = [i for i, d in enumerate(self.dimensions) if i and d.unlimited]
        edges = [0, *cuts, len(self.dimensions)]
        return [self.dimensions[a:b] for a, b in itertools.pairwise(edges)]


@dataclass(slots=True)
class OpenGroup:
    """A group; the root's `fqn` is ""."""

    name: str
    fqn: str
    parent: OpenGroup | None
    types: dict[str, UserType] = mutable_field(default_factory=dict)
    dimensions: dict[str, OpenDimension] = mutable_field(default_factory=dict)
    variables: dict[str, OpenVariable] = mutable_field(default_factory=dict)
    attributes: dict[str, Attribute] = mutable_field(default_factory=dict)
    groups: dict[str, OpenGroup] = mutable_field(default_factory=dict)

    def upward(self) -> Iterator[OpenGroup]:
        """Yield this scope and its ancestors."""
        scope: OpenGroup | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def downward(self) -> Iterator[OpenGroup]:
        """Yield this scope and its descendants."""
        yield self
        for group in self.groups.values():
            yield from group.downward()
