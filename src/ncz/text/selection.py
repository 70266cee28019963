"""Which variables' data are printed: ``-c``, ``-v`` and ``-g``. All metadata always are."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.errors import NczError
from ncz.model.tree import Group, Variable, join, walk
from ncz.record import record


@record(kw_only=True)
class Selection:
    """Sets of FQNs; None selects all."""

    groups: frozenset[str] | None = None
    variables: frozenset[str] | None = None

    def has_group(self, fqn: str) -> bool:
        """Whether that group ("" the root) has a data section."""
        return self.groups is None or fqn in self.groups

    def has_variable(self, fqn: str) -> bool:
        """Whether that variable's data are printed, if its group's are."""
        return self.variables is None or fqn in self.variables


def select(
    root: Group, *, coordinates: bool, variables: Sequence[str] | None, groups: Sequence[str] | None
) -> Selection:
    """Find what was asked for. Raises `NczError` for a name that nothing in the dataset has.

    A variable's name stands for those of that name in any group, ``g/v`` for those whose path ends
    so, ``/g/v`` for one. A group's name stands for those of that name anywhere, a path with a
    slash in front for one, ``/`` or an empty one for the root.
    """
    found: set[str] | None = None
    if coordinates:
        found = set(_coordinates(root))
    if variables is not None:
        named = [join(fqn, v.name) for fqn, group in walk(root) for v in group.variables]
        found = (found or set()).union(*(_named(name, named, "variable") for name in variables))
    chosen: set[str] | None = None
    if groups is not None:
        paths = [fqn for fqn, _ in walk(root)]
        chosen = set().union(*(_groups(name, paths) for name in groups))
    return Selection(
        groups=None if chosen is None else frozenset(chosen),
        variables=None if found is None else frozenset(found),
    )


def _groups(name: str, paths: Sequence[str]) -> list[str]:
    if name in ("", "/"):
        return [""]
    return _named(name.rstrip("/"), paths, "group")


def _named(name: str, paths: Sequence[str], kind: str) -> list[str]:
    ending = name if name.startswith("/") else f"/{name}"
    exact = name.startswith("/")
    matches = [p for p in paths if p == ending or (not exact and p.endswith(ending))]
    if not matches or not name:
        raise NczError(
            f"no such {kind}", location=name or '""', hint="'ncz dump -h' shows what there is"
        )
    return matches


def _coordinates(root: Group) -> list[str]:
    """FQNs of the variables of rank 1 that have the name of a dimension which their group sees."""
    found: list[str] = []

    def visit(group: Group, fqn: str, outer: frozenset[str]) -> None:
        visible = outer.union(d.name for d in group.dimensions)
        found.extend(join(fqn, v.name) for v in group.variables if _is_coordinate(v, visible))
        for child in group.groups:
            visit(child, join(fqn, child.name), visible)

    visit(root, "", frozenset())
    return found


def _is_coordinate(variable: Variable, visible: frozenset[str]) -> bool:
    return len(variable.dimensions) == 1 and variable.name in visible
