"""The user-defined types of a store."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from ncz.errors import Notice
from ncz.formats.zarr.documents.hierarchy import GroupNode, Metadata
from ncz.formats.zarr.documents.notes import GroupNote
from ncz.formats.zarr.opening.store_types import implied_types, read_types
from ncz.model.type_declarations import describe_user_type
from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, UserType, Vlen

FLAG = Enumeration(name="/flag", base=Atomic.BYTE, members=(("off", 0), ("on", 1)))
PAIR = Compound(
    name="/g/pair", fields=(Field(name="f", type=FLAG), Field(name="i", type=Atomic.INT))
)
LIST = Vlen(name="/list", base=PAIR)


def test_a_type_follows_the_types_that_it_contains():
    assert list(implied_types(LIST, ())) == [FLAG, PAIR, LIST]
    assert list(implied_types(Atomic.INT, ())) == []
    assert list(implied_types(Opaque(name="/o", size=2), ())) == [Opaque(name="/o", size=2)]


def test_recorded_properties_are_not_implied():
    assert list(implied_types(LIST, {"/g/pair"})) == [LIST]
    assert list(implied_types(LIST, {"/list"})) == []


def group(name: str, key: str, types: dict[str, Any], *groups: GroupNode) -> GroupNode:
    note = GroupNote(dimensions=(), arrays=(), groups=(), types=types)
    return GroupNode(
        name=name, key=key, attributes={}, types={}, note=note, arrays=(), groups=groups
    )


def types_of(root: GroupNode) -> tuple[dict[str, UserType], list[Notice]]:
    metadata = cast("Metadata", SimpleNamespace(attributes_location=lambda key: f"s: /{key}"))
    notices: list[Notice] = []
    return dict(read_types(root, metadata, notices.append)), notices


def test_recorded_types_are_read_by_their_fqns():
    inner = group("g", "g", {"pair": describe_user_type(PAIR)})
    found, notices = types_of(group("", "", {"flag": describe_user_type(FLAG)}, inner))
    assert found == {"/flag": FLAG, "/g/pair": PAIR}
    assert notices == []


def test_a_type_that_is_not_valid_is_left_out_with_a_notice():
    found, (notice,) = types_of(group("", "", {"flag": describe_user_type(FLAG), "bad": 5}))
    assert found == {"/flag": FLAG}
    assert (notice.code, notice.lost) == ("type-left-out", True)
    assert notice.message.startswith("type /bad: ")
