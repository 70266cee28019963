"""The members of JSON objects, checked for their kind. A wrong one raises CdlError."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ncz.errors import shorten
from ncz.model.json_decoding import WrongValueError
from ncz.model.types import Value
from ncz.record import record
from ncz.text.source import SourceText
from ncz.views.json.tree import Object, parse_node

if TYPE_CHECKING:
    from ncz.views.json.tree import Node


_LARGEST = (1 << 63) - 1

Word = TypeVar("Word", bound=str)


@record
class Members:
    """Checks the nodes of one text; `what` names a node in errors."""

    source: SourceText

    def object(self, node: Node, what: str, allowed: Iterable[str] | None = None) -> Object:
        """Check that `node` is an object whose members are among `allowed`."""
        if not isinstance(node, Object):
            raise self.source.error(node.at, f"{what} must be an object")
        for key, at in node.keys.items() if allowed is not None else ():
            if allowed is not None and key not in allowed:
                raise self.source.error(
                    at,
                    f'unknown member "{shorten(key)}" of {what}',
                    f"the members are {', '.join(allowed)}",
                )
        return node

    def member(self, node: Object, key: str, what: str) -> Node:
        """Return a required member."""
        if key not in node.members:
            raise self.source.error(node.at, f'{what} has no member "{key}", which is required')
        return node.members[key]

    def named_members(self, node: Object, key: str, what: str) -> list[tuple[str, Node, int]]:
        """Return the members of the member `key`: name, node and offset of the name."""
        if key not in node.members:
            return []
        inner = self.object(node.members[key], what)
        for name, at in inner.keys.items():
            if not name or "/" in name:
                raise self.source.error(at, f'"{shorten(name)}" is not a valid name')
        return [(name, child, inner.keys[name]) for name, child in inner.members.items()]

    def text(self, node: Node, what: str) -> str:
        value = parse_node(self.source, node)
        if not isinstance(value, str):
            raise self.source.error(node.at, f"{what} must be a text")
        return value

    def whole(self, node: Node, what: str, least: int = 0) -> int:
        value = parse_node(self.source, node)
        if type(value) is not int or not least <= value <= _LARGEST:
            raise self.source.error(node.at, f"{what} must be a whole number, {least} or more")
        return value

    def wholes(self, node: Node, what: str, least: int = 0) -> tuple[int, ...]:
        values = parse_node(self.source, node)
        if not isinstance(values, list) or not all(
            type(v) is int and least <= v <= _LARGEST for v in values
        ):
            raise self.source.error(node.at, f"{what} must be a list of whole numbers")
        return tuple(values)

    def flag(self, node: Node, what: str) -> bool:
        value = parse_node(self.source, node)
        if not isinstance(value, bool):
            raise self.source.error(node.at, f"{what} must be true or false")
        return value

    def value(self, node: Node, convert: Callable[[Any], Value]) -> Value:
        """Convert a value; report a WrongValueError with its location."""
        try:
            return convert(parse_node(self.source, node))
        except WrongValueError as error:
            raise self.source.error(node.at, str(error)) from None

    def choice(self, nodes: Mapping[str, Node], key: str, words: tuple[Word, ...]) -> Word | None:
        return self.one_of(nodes[key], key, words) if key in nodes else None

    def one_of(self, node: Node, key: str, words: tuple[Word, ...]) -> Word:
        text = self.text(node, f'"{key}"')
        for word in words:
            if text == word:
                return word
        raise self.source.error(node.at, f'"{key}" must be one of {", ".join(words)}')
