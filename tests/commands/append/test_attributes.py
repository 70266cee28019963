"""Attributes of a store that becomes longer."""

from __future__ import annotations

from typing import cast

from ncz.commands.append.attributes import set_attributes
from ncz.commands.joining.agreement import Agreement
from ncz.formats.edits import Edit
from ncz.formats.store_draft import StoreDraft
from ncz.model.tree import Attribute, Dataset, Group, Variable
from ncz.model.types import Atomic


def attribute(name: str, text: str) -> Attribute:
    return Attribute(name=name, type=Atomic.CHAR, values=(text,))


class Draft:
    """A draft that remembers its edits."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []

    def edit(self, edit: Edit) -> None:
        self.edits.append(edit)


class Common:
    """The attributes that datasets have in common."""

    def __init__(self, **found: tuple[Attribute, ...]) -> None:
        self.found = found

    def attributes(self, fqn: str) -> tuple[Attribute, ...]:
        return self.found.get(fqn.strip("/") or "root", ())


def test_only_differences_are_edited():
    kept, old = attribute("kept", "a"), attribute("title", "old")
    variable = Variable(name="v", type=Atomic.INT, attributes=(kept, attribute("gone", "x")))
    dataset = Dataset(name="d", root=Group(attributes=(old, kept), variables=(variable,)))
    new = attribute("title", "new")
    draft = Draft()
    common = cast("Agreement", Common(root=(new, kept), v=(kept,)))
    set_attributes(cast("StoreDraft", draft), dataset, common)
    assert draft.edits == [
        Edit(action="set", node="", name="title", attribute=new),
        Edit(action="delete", node="v", name="gone"),
    ]
