"""Read the types of a dataset from JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ncz.errors import shorten
from ncz.model.json_decoding import decode_value
from ncz.model.tree import join
from ncz.model.type_limits import TypeLimits
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, UserType, Vlen
from ncz.text.source import SourceText
from ncz.views.json.members import Members
from ncz.views.json.tree import parse_node

if TYPE_CHECKING:
    from ncz.views.json.tree import Node, Object


@dataclass(slots=True)
class Types:
    """The user-defined types that have been read, by their paths."""

    source: SourceText
    get: Members
    declared: dict[str, UserType] = field(default_factory=dict)
    limits: TypeLimits = field(default_factory=TypeLimits)

    def find(self, node: Node) -> NcType:
        """Return the type that a text names."""
        name = self.get.text(node, "a type")
        for atomic in Atomic:
            if atomic.word == name:
                return atomic
        if name not in self.declared:
            words = ", ".join(atomic.word for atomic in Atomic)
            raise self.source.error(
                node.at, f'unknown type "{shorten(name)}"', f"the atomic types are {words}"
            )
        return self.declared[name]

    def declare(self, group: Object, fqn: str) -> tuple[UserType, ...]:
        """Read and return the types of a group."""
        own = []
        for name, node, _ in self.get.named_members(group, "types", '"types"'):
            path = join(fqn, name)
            user_type = self._user_type(node, path)
            if fault := self.limits.fault(user_type):
                raise self.source.error(node.at, f"type {path}: {fault}")
            self.declared[path] = user_type
            own.append(user_type)
        return tuple(own)

    def _user_type(self, node: Node, fqn: str) -> UserType:
        what = f"type {fqn}"
        node = self.get.object(node, what, ("kind", "size", "base", "members", "fields"))
        kind = self.get.choice(
            {"kind": self.get.member(node, "kind", what)},
            "kind",
            ("opaque", "vlen", "enum", "compound"),
        )
        if kind == "opaque":
            return Opaque(
                name=fqn,
                size=self.get.whole(self.get.member(node, "size", what), "a size", 1),
            )
        if kind == "vlen":
            return Vlen(name=fqn, base=self.find(self.get.member(node, "base", what)))
        if kind == "enum":
            return self._enumeration(node, fqn)
        fields = parse_node(self.source, self.get.member(node, "fields", what))
        parts = [self._field(part, node.members["fields"]) for part in _as_list(fields)]
        if not parts:
            raise self.source.error(node.at, f"{what} has no fields", "write at least one field")
        return Compound(name=fqn, fields=tuple(parts))

    def _enumeration(self, node: Object, fqn: str) -> Enumeration:
        base = self.find(self.get.member(node, "base", f"type {fqn}"))
        members = parse_node(self.source, self.get.member(node, "members", f"type {fqn}"))
        if not isinstance(base, Atomic) or not base.is_integer:
            raise self.source.error(node.members["base"].at, "the base must be an integer type")
        if not isinstance(members, dict) or not members:
            raise self.source.error(
                node.members["members"].at, "members must be an object of named numbers"
            )
        values = self.get.value(
            node.members["members"],
            lambda given: tuple((label, decode_value(v, base)) for label, v in given.items()),
        )
        return Enumeration(name=fqn, base=base, members=values)

    def _field(self, declaration: Any, node: Node) -> Field:
        if not isinstance(declaration, dict) or set(declaration) - {"name", "type", "shape"}:
            raise self.source.error(
                node.at, "a field must be an object with a name, a type and a shape"
            )
        name, word, shape = (
            declaration.get("name"),
            declaration.get("type"),
            declaration.get("shape", []),
        )
        types: dict[Any, NcType] = {a.word: a for a in Atomic} | self.declared
        is_shape = isinstance(shape, list) and all(type(n) is int and n > 0 for n in shape)
        is_known = isinstance(word, str) and word in types
        if not isinstance(name, str) or not is_known or not is_shape:
            raise self.source.error(
                node.at, "a field must have a name, a known type and a shape of positive numbers"
            )
        return Field(name=name, type=types[word], shape=tuple(shape))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
