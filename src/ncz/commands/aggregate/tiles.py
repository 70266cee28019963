"""The pieces of a lost master: their numbers, lengths, and common metadata.

The number of a piece in the grid of its variable is in its name; without numbers, the coordinates
of the pieces decide.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence

from ncz.commands.joining.error import JoinError
from ncz.formats.opening import masters
from ncz.model.data import Values, read_all
from ncz.model.grid import Index
from ncz.model.tree import Dataset, Group, Variable, dimensions_by_fqn, join, walk
from ncz.record import record
from ncz.zmap.fragment import unquote
from ncz.zmap.location import Location


@record(kw_only=True)
class Tile:
    """One variable of a piece, and the rest of the piece.

    `number` is the number in the name of the piece, or None. `values` has the other variables
    by FQN, in a comparable form, and `sizes` the lengths of dimensions.
    """

    location: Location
    fqn: str
    variable: Variable
    number: Index | None
    sizes: dict[str, int]
    values: dict[str, bytes]

    @property
    def shape(self) -> Index:
        return tuple(self.sizes[name] for name in self.variable.dimensions)


class Tiles:
    """The pieces, and their common metadata."""

    def __init__(self) -> None:
        self.tiles: dict[str, list[Tile]] = {}
        self.known: dict[bytes, Values] = {}
        self.groups: dict[str, Group] = {}
        self.variables: dict[str, Variable] = {}
        self.dimensions: dict[str, list[str]] = {}
        self.members: dict[str, list[str]] = {}
        self.differing: set[str] = set()
        self.unlimited: set[str] = set()

    def add(self, dataset: Dataset, location: Location) -> None:
        """Add a piece; raise `JoinError` if it has no variable of numbers."""
        found = masters().fields(dataset.root)
        if not found:
            raise JoinError("it has no variable of numbers that is divided", location.display)
        sizes = {fqn: each.size for fqn, each in dimensions_by_fqn(dataset.root).items()}
        values = {}
        for path, group in walk(dataset.root):
            self._add_group(path, group)
            for variable in group.variables:
                fqn = join(path, variable.name)
                self._add_variable(fqn, variable, location)
                if fqn not in found and variable.data is not None:
                    values[fqn] = self._key(read_all(variable.data))
        for fqn, variable in found.items():
            number = _number(location, variable) if len(found) == 1 else None
            tile = Tile(
                location=location, fqn=fqn, variable=variable, number=number, sizes=sizes,
                values=values,
            )  # fmt: skip
            self.tiles.setdefault(fqn, []).append(tile)

    def _key(self, values: Values) -> bytes:
        """Return an identity of values, so that equal ones are kept once."""
        text = values.tobytes() if values.dtype.kind != "O" else repr(values.tolist()).encode()
        key = f"{values.dtype} {values.shape} ".encode() + text
        self.known.setdefault(key, values)
        return key

    def _add_group(self, path: str, group: Group) -> None:
        first = self.groups.setdefault(path, group)
        if repr(first.attributes) != repr(group.attributes):  # as text, NaN equals NaN
            self.differing.add(path or "/")
        self.unlimited |= {join(path, d.name) for d in group.dimensions if d.unlimited}
        _insert(self.dimensions.setdefault(path, []), [each.name for each in group.dimensions])
        _insert(self.members.setdefault(path, []), [each.name for each in group.variables])

    def _add_variable(self, fqn: str, variable: Variable, location: Location) -> None:
        first = self.variables.setdefault(fqn, variable)
        for what in ("type", "dimensions", "attributes"):
            if repr(getattr(first, what)) != repr(getattr(variable, what)):
                raise JoinError(f"{fqn} does not have the {what} of other pieces", location.display)


def _insert(order: list[str], names: Sequence[str]) -> None:
    """Add names to a list, before the next one that it has."""
    at = len(order)
    for name in reversed(names):
        if name in order:
            at = order.index(name)
        else:
            order.insert(at, name)


def _number(location: Location, variable: Variable) -> Index | None:
    """Return the number of a piece by its name, such as ``all.t.3.0.nc``; None without one."""
    *parts, _ = os.path.basename(location.path.rstrip("/")).split(".")
    rank = len(variable.dimensions)
    names, numbers = parts[:-rank], parts[-rank:]
    if len(names) < 2 or unquote(names[-1]) != variable.name:
        return None
    return tuple(map(int, numbers)) if all(map(str.isdecimal, numbers)) else None


def tiles_by_number(tiles: Tiles, fqn: str) -> dict[Index, Tile]:
    """Return the pieces of a variable by their numbers; raise `JoinError` for two with one."""
    own = tiles.tiles[fqn]
    numbers = [tile.number for tile in own]
    if None in numbers:
        numbers = _by_coordinates(tiles, own)
    found: dict[Index, Tile] = {}
    for number, tile in zip(numbers, own, strict=True):
        assert number is not None
        if number in found:
            raise JoinError(
                f"{fqn} has the same part in {found[number].location.display}",
                tile.location.display,
                "leave one of them out",
            )
        found[number] = tile
    return found


def _by_coordinates(tiles: Tiles, own: Sequence[Tile]) -> list[Index | None]:
    """Return the numbers of pieces by the coordinates along each dimension."""
    columns = []
    for dimension in own[0].variable.dimensions:
        keys = [tile.values.get(dimension) for tile in own]
        parts = {key: tiles.known[key] for key in keys if key is not None}
        lengths = {tile.sizes[dimension] for tile in own}
        if not parts:
            if len(own) > 1 and len(lengths) > 1:
                raise JoinError(
                    f"the pieces have no numbers, and {dimension} has no coordinates",
                    own[0].location.display,
                )
            columns.append([0] * len(own))
            continue
        known = [(key, values) for key, values in parts.items() if values.size]
        is_descending = any(values.size > 1 and values[0] > values[-1] for _, values in known)
        known.sort(key=lambda part: float(part[1].ravel()[0]), reverse=is_descending)
        for (_, one), (_, other) in itertools.pairwise(known):
            is_after = one[-1] > other[0] if is_descending else one[-1] < other[0]
            if not is_after:
                raise JoinError(
                    f"pieces overlap along {dimension}: one begins at {other[0]}, and another ends"
                    f" at {one[-1]}",
                    own[0].location.display,
                )
        order = {key: at for at, (key, _) in enumerate(known)}
        if None in keys:
            raise JoinError(f"a piece has no coordinate {dimension}", own[0].location.display)
        columns.append([order[key] for key in keys if key is not None])
    return list(zip(*columns, strict=True))


def lengths_of(fqn: str, numbered: Mapping[Index, Tile]) -> tuple[tuple[int, ...], ...]:
    """Return the lengths of the partitions along each dimension."""
    rank = len(next(iter(numbered)))
    found = []
    for axis in range(rank):
        lengths: dict[int, int] = {}
        for number, tile in numbered.items():
            if lengths.setdefault(number[axis], tile.shape[axis]) != tile.shape[axis]:
                raise JoinError(
                    f"{fqn} has the length {tile.shape[axis]} along"
                    f" {tile.variable.dimensions[axis]}, and pieces next to it have"
                    f" {lengths[number[axis]]}",
                    tile.location.display,
                )
        absent = sorted(set(range(max(lengths) + 1)) - lengths.keys())
        if absent:
            name = next(iter(numbered.values())).variable.dimensions[axis]
            raise JoinError(
                f"no piece of {fqn} has the number {absent[0]} along {name}, so that its length is"
                " not known"
            )
        found.append(tuple(lengths[at] for at in range(len(lengths))))
    return tuple(found)
