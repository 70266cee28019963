"""Known types are found as a search through all of them finds them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from ncz.formats.hdf5.known_types import KnownTypes
from ncz.model.tree import parent
from ncz.model.types import Opaque


@dataclass(frozen=True)
class Stored:
    """The parts of a datatype that decide whether it equals another, and its place."""

    key: int
    address: int | None


GROUPS = st.sampled_from(["", "/g", "/g/h", "/k"])
STORED = st.builds(Stored, st.integers(0, 2), st.none() | st.integers(1, 3))


def depth(name: str, group: str) -> int:
    declared = parent(name)
    return declared.count("/") if f"{group}/".startswith(f"{declared}/") else -1


def search(added: list[tuple[Stored, Opaque]], wanted: Stored, group: str) -> Opaque | None:
    equal = [pair for pair in added if pair[0].key == wanted.key]
    if wanted.address is not None:
        equal.sort(key=lambda pair: pair[0].address != wanted.address)
    else:
        equal.sort(key=lambda pair: -depth(pair[1].name, group))
    return equal[0][1] if equal else None


@given(
    st.lists(st.tuples(STORED, GROUPS), max_size=12),
    st.integers(0, 12),
    st.lists(st.tuples(STORED, GROUPS), max_size=4),
    STORED,
    GROUPS,
)
def test_types_are_found_as_by_a_search(first, kept, later, wanted, group):
    known, added = KnownTypes(), []

    def add(some):
        for stored, at in some:
            user_type = Opaque(name=f"{at}/t{len(known)}", size=1)
            known.add(stored, user_type)
            added.append((stored, user_type))

    add(first)
    known.find(wanted, group)  # its cache must not outlive a change
    known.forget_after(kept)
    del added[kept:]
    add(later)
    assert known.find(wanted, group) == search(added, wanted, group)
    assert known.of_group(group) == tuple(t for _, t in added if parent(t.name) == group)
    assert len(known) == len(added)
    assert all(known.has_name(user_type.name) for _, user_type in added)
    assert not known.has_name(f"{group}/other")
