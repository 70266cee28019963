"""The user-defined types of an HDF5 file that are known, by datatype and by group.

A file may have thousands of them, and many may be equal.
"""

from __future__ import annotations

from ncz.formats.hdf5.metadata.datatype import Datatype
from ncz.model.tree import parent
from ncz.model.types import UserType


class KnownTypes:
    """Types, in the order of their addition."""

    def __init__(self) -> None:
        self._added: list[tuple[Datatype, UserType]] = []
        self._names: set[str] = set()
        self._of_groups: dict[str, list[UserType]] = {}
        self._equal: dict[object, _EqualTypes] = {}

    def __len__(self) -> int:
        return len(self._added)

    def add(self, datatype: Datatype, user_type: UserType) -> None:
        """Add a type."""
        self._added.append((datatype, user_type))
        self._names.add(user_type.name)
        self._of_groups.setdefault(parent(user_type.name), []).append(user_type)
        self._equal.setdefault(datatype.key, _EqualTypes()).add(datatype.address, user_type)

    def forget_after(self, count: int) -> None:
        """Forget the types that were added after the first `count`."""
        while len(self._added) > count:
            datatype, user_type = self._added.pop()
            self._names.discard(user_type.name)
            self._of_groups[parent(user_type.name)].pop()
            if self._equal[datatype.key].forget_last():
                del self._equal[datatype.key]

    def has_name(self, fqn: str) -> bool:
        """Return whether a type has this FQN."""
        return fqn in self._names

    def of_group(self, fqn: str) -> tuple[UserType, ...]:
        """Return the types that a group declares."""
        return tuple(self._of_groups.get(fqn, ()))

    def find(self, datatype: Datatype, group: str) -> UserType | None:
        """Return the type that equals a datatype; None if none exists.

        Among several, it is the one at the same address, or in the nearest group around `group`
        for a datatype without an address.
        """
        equal = self._equal.get(datatype.key) if self._added else None
        return None if equal is None else equal.find(datatype.address, group)


class _EqualTypes:
    """Types whose datatypes are equal, in the order of their addition."""

    def __init__(self) -> None:
        self._types: list[UserType] = []
        self._at: dict[int, UserType] = {}
        self._nearest: dict[str, UserType] = {}

    def add(self, address: int | None, user_type: UserType) -> None:
        self._types.append(user_type)
        if address is not None:
            self._at.setdefault(address, user_type)
        self._nearest.clear()

    def forget_last(self) -> bool:
        """Forget the type that was added last; return whether it was the only one."""
        last = self._types.pop()
        self._at = {address: each for address, each in self._at.items() if each is not last}
        self._nearest.clear()
        return not self._types

    def find(self, address: int | None, group: str) -> UserType:
        if address is not None:
            return self._at.get(address, self._types[0])
        if group not in self._nearest:
            self._nearest[group] = max(
                self._types, key=lambda each: depth(parent(each.name), group)
            )
        return self._nearest[group]


def depth(declared: str, group: str) -> int:
    """Return the depth of a group `declared`; -1 if it is neither `group` nor around it."""
    is_around = f"{group}/".startswith(f"{declared}/")
    return declared.count("/") if is_around else -1
