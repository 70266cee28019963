"""Names in the notation of ncdump, and the variables that they select."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ncz.errors import SHOW_NAMES, NczError, did_you_mean, option
from ncz.model.tree import Group, Variable, join, walk
from ncz.record import record

# `re` compiles these at their first use, as most names need neither.
_SPECIAL = r"""[\x00-\x20!"#$&'()*,:;<=>?\[\]\\^`{|}~\x7f]|\A[0-9]|(?<=/)/"""
_ESCAPE = r"(?s)\\(?:%([01][0-9a-f]|7f)|(.))"


def escape_name(name: str) -> str:
    """Escape the special characters in a name; `unescape_name` is the inverse.

    Unlike in ncdump, the second of two slashes is escaped, as two slashes begin a comment.
    """
    if name.isidentifier() and name.isascii():
        return name  # as most names are; the pattern is slow
    return re.sub(_SPECIAL, _escape, name)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character < " " or character == "\x7f":
        return f"\\%{ord(character):02x}"
    return "\\" + character


def unescape_name(text: str) -> str:
    r"""Remove the backslashes from an escaped name, and decode control characters (``\%0a``).

    ncdump writes control characters like this and never escapes a percent sign. So ``\%`` without
    the two digits of a control character is a percent sign, as in ncgen.
    """
    if "\\" not in text:
        return text
    return re.sub(_ESCAPE, lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)


@record(kw_only=True)
class SelectedNames:
    """The FQNs of the selected groups and variables; None selects all."""

    groups: frozenset[str] | None = None
    variables: frozenset[str] | None = None

    def has_group(self, fqn: str) -> bool:
        """Return whether the group `fqn` ("" for the root) has a data section."""
        return self.groups is None or fqn in self.groups

    def has_variable(self, fqn: str) -> bool:
        """Return whether the variable `fqn` prints its data if its group prints data."""
        return self.variables is None or fqn in self.variables


@record(kw_only=True)
class RequestedData:
    """The data that the user requests.

    Attributes
    ----------
    coordinates
        Whether to select coordinate variables.
    variables
        ``v`` selects the variables with that name in any group, ``g/v`` the variables whose path
        ends like this, ``/g/v`` one variable.
    groups
        ``g`` selects the groups with that name anywhere, ``/g`` one group, ``/`` or "" the root.
    """

    coordinates: bool = False
    variables: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None


def select(root: Group, requested: RequestedData) -> SelectedNames:
    """Find variables and groups by name.

    Raises
    ------
    NczError
        A name matches nothing in the dataset.
    """
    variables: set[str] | None = None
    if requested.coordinates:
        variables = set(_find_coordinates(root))
    if requested.variables is not None:
        paths_of_variables = [
            join(fqn, v.name) for fqn, group in walk(root) for v in group.variables
        ]
        variables = (variables or set()).union(
            *(_find(name, paths_of_variables, "variable") for name in requested.variables)
        )
    groups: set[str] | None = None
    if requested.groups is not None:
        paths = [fqn for fqn, _ in walk(root)]
        groups = set().union(*(_find_groups(name, paths) for name in requested.groups))
    return SelectedNames(
        groups=None if groups is None else frozenset(groups),
        variables=None if variables is None else frozenset(variables),
    )


def _find_groups(name: str, paths: Sequence[str]) -> list[str]:
    if name in ("", "/"):
        return [""]
    return _find(name.rstrip("/"), paths, "group")


def _find(name: str, paths: Sequence[str], kind: str) -> list[str]:
    ending = name if name.startswith("/") else f"/{name}"
    exact = name.startswith("/")
    matches = [p for p in paths if p == ending or (not exact and p.endswith(ending))]
    if not matches or not name:
        raise NczError(f"no such {kind}", location=name or '""', hint=_hint(name, paths))
    return matches


def _hint(name: str, paths: Sequence[str]) -> str:
    if any(sign in name for sign in "*?["):
        return f"for a pattern, use {option('vars')}"
    names = paths if name.startswith("/") else [path.rpartition("/")[2] for path in paths]
    return did_you_mean(name, names, f"list the names with {SHOW_NAMES}")


def _find_coordinates(root: Group) -> list[str]:
    """Return the FQNs of the one-dimensional variables named like a dimension in their scope."""
    coordinates: list[str] = []

    def visit(group: Group, fqn: str, outer: frozenset[str]) -> None:
        visible = outer.union(d.name for d in group.dimensions)
        coordinates.extend(join(fqn, v.name) for v in group.variables if _is_coordinate(v, visible))
        for child in group.groups:
            visit(child, join(fqn, child.name), visible)

    visit(root, "", frozenset())
    return coordinates


def _is_coordinate(variable: Variable, visible: frozenset[str]) -> bool:
    return len(variable.dimensions) == 1 and variable.name in visible
