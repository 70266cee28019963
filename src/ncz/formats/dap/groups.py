"""The groups of a dataset that is being described, by FQN."""

from __future__ import annotations

from collections.abc import Iterable

from ncz.model.tree import Attribute, Dimension, Group, Variable, base_name, parent
from ncz.model.types import UserType


class Groups:
    """Groups that dimensions, variables and attributes are added to, in any order."""

    def __init__(self) -> None:
        self._types: dict[str, list[UserType]] = {}
        self._dimensions: dict[str, dict[str, Dimension]] = {}
        self._variables: dict[str, dict[str, Variable]] = {}
        self._attributes: dict[str, dict[str, Attribute]] = {}
        self._below: dict[str, list[str]] = {"": []}

    def add(self, fqn: str) -> str:
        """Add a group and those above it, unless they are known; return its FQN."""
        missing = []
        while fqn not in self._below:
            missing.append(fqn)
            fqn = parent(fqn)
        for below in reversed(missing):
            self._below[parent(below)].append(below)
            self._below[below] = []
        return missing[0] if missing else fqn

    def add_type(self, fqn: str, user_type: UserType) -> None:
        """Add a type to a group."""
        self._types.setdefault(self.add(fqn), []).append(user_type)

    def dimensions(self, fqn: str) -> dict[str, Dimension]:
        """Return the dimensions of a group by name; others can be added."""
        return self._dimensions.setdefault(self.add(fqn), {})

    def add_variable(self, fqn: str, variable: Variable) -> bool:
        """Add a variable to a group; return False if the name is in use."""
        variables = self._variables.setdefault(self.add(fqn), {})
        return variables.setdefault(variable.name, variable) is variable

    def has_variable(self, fqn: str) -> bool:
        """Return whether a variable of that FQN was added."""
        return base_name(fqn) in self._variables.get(parent(fqn), {})

    def add_attributes(self, fqn: str, attributes: Iterable[Attribute]) -> None:
        """Add attributes to a group; attributes that it has do not change."""
        known = self._attributes.setdefault(self.add(fqn), {})
        for attribute in attributes:
            known.setdefault(attribute.name, attribute)

    def root(self) -> Group:
        """Return the root group with all that was added."""
        return self._group("")

    def _group(self, fqn: str) -> Group:
        return Group(
            name=base_name(fqn),
            types=tuple(self._types.get(fqn, ())),
            dimensions=tuple(self._dimensions.get(fqn, {}).values()),
            variables=tuple(self._variables.get(fqn, {}).values()),
            attributes=tuple(self._attributes.get(fqn, {}).values()),
            groups=tuple(map(self._group, self._below[fqn])),
        )
