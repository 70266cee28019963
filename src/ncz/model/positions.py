"""Update the positions in variables when dimensions are cut or joined.

The row sizes and indices of ragged arrays, gathered points, the nodes of geometries and the
elements of meshes mean other places when a dimension becomes shorter; see `ncz.model.links`.
Elements that belong to an omitted index are omitted too, and the positions of the rest become
positions in the subset.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import NczError, list_names, quantity
from ncz.late import numpy as np
from ncz.model.data import MemoryArray, Values, fill_array, read_all
from ncz.model.packing import packing_of
from ncz.model.position_links import Counts, Indexes, counts_in, indexes_in
from ncz.model.subset import Indices, indices_of, subset
from ncz.model.tree import (
    Attribute,
    Dataset,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_variable,
    missing_fill,
    shape_of,
    variables_by_fqn,
)
from ncz.model.types import Atomic, Value
from ncz.record import record, replace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
else:
    Integers = Any

MOST = 1 << 28
"""Values of all variables of positions that are read."""

_MOST_PASSES = 32
"""Limit of the chain of removals that lead to further removals."""

RANGES = ("actual_range", "valid_max", "valid_min", "valid_range")
"""Attributes that are no longer valid for positions in a subset."""


class PositionError(NczError, ValueError):
    """A dimension that cannot be cut or joined, because of the positions along it."""


@record(kw_only=True)
class FollowedSubset:
    """A subset of a dataset with adjusted positions.

    Attributes
    ----------
    dataset
        The subset.
    also_cut
        The FQN of each dimension that became shorter than requested, with its length before and
        after, and the variable that caused it.
    """

    dataset: Dataset
    also_cut: tuple[tuple[str, int, int, str], ...] = ()


def followed_subset(dataset: Dataset, selected: Mapping[str, Indices]) -> FollowedSubset:
    """Return a dataset with some indices of its dimensions, and adjusted positions.

    Parameters
    ----------
    dataset
        The dataset, which must stay open while values are read.
    selected
        The indices to keep, by the FQN of the dimension.

    Raises
    ------
    PositionError
        If positions cannot follow, or do not fit the dimensions.
    """
    relations = _affected_relations(dataset, selected)
    if not relations:
        return FollowedSubset(dataset=subset(dataset, selected))
    for relation in relations:
        for fqn in sorted(_dimensions(relation) & {*selected}):
            picks = _as_array(selected[fqn])
            if np.unique(picks).size < picks.size:
                raise PositionError(
                    f"an index of {fqn} is selected several times, which positions cannot follow",
                    relation.variable,
                    "select each index once",
                )
    following = _KeptIndices(dataset, selected)
    following.use_corners([r for r in relations if isinstance(r, Indexes)])
    for _ in range(min(len(relations) + 2, _MOST_PASSES)):
        changes = [following.restrict(relation) for relation in relations]
        if not any(changes):
            break
    else:
        names = list_names(sorted({relation.variable for relation in relations}))
        raise PositionError(f"the positions in {names} refer to each other in a circle")
    values = {
        variable.variable: changed
        for variable in relations
        if (changed := following.renumber(variable)) is not None
    }
    picked = {fqn: indices_of(picks) for fqn, picks in following.picks.items()}
    part = subset(dataset, {**selected, **picked})
    return FollowedSubset(
        dataset=each_variable(part, lambda fqn, v: _with_values(v, values.get(fqn))),
        also_cut=following.shorter_dimensions(selected),
    )


_Relation = Counts | Indexes


def _dimensions(relation: _Relation) -> set[str]:
    if isinstance(relation, Counts):
        return {relation.counted} | ({relation.owner} if relation.owner is not None else set())
    return {relation.rows, *relation.targets}


def _affected_relations(dataset: Dataset, selected: Mapping[str, Indices]) -> list[_Relation]:
    """Return the relations of positions that a selection can change."""
    waiting: list[_Relation] = [*counts_in(dataset.root), *indexes_in(dataset.root)]
    reached, found = {*selected}, []
    while near := [relation for relation in waiting if _dimensions(relation) & reached]:
        found += near
        waiting = [relation for relation in waiting if relation not in near]
        for relation in near:
            reached |= _dimensions(relation)
    return found


class _KeptIndices:
    """The indices to keep of each dimension, which positions make fewer.

    `picks` has them in the order of the subset, for the dimensions whose indices are left out or
    moved.
    """

    def __init__(self, dataset: Dataset, selected: Mapping[str, Indices]) -> None:
        self.lengths = {fqn: d.size for fqn, d in dimensions_by_fqn(dataset.root).items()}
        self.picks: dict[str, Integers] = {f: _as_array(each) for f, each in selected.items()}
        self._selected = frozenset(selected)
        self._variables = dict(variables_by_fqn(dataset.root))
        self._dimensions = dimensions_by_fqn(dataset.root)
        self._read: dict[str, Values] = {}
        self._owners: dict[str, Integers] = {}
        self._known: dict[tuple[str, str], Integers] = {}
        self._because: dict[str, str] = {}

    def use_corners(self, relations: Sequence[Indexes]) -> None:
        """Leave out the nodes that no selected face needs, unless nodes are selected, too."""
        used: dict[str, list[Integers]] = {}
        for each in relations:
            if each.relation == "corner" and not each.is_boundary and each.rows in self.picks:
                positions = self._positions(each)
                if positions.max(initial=-1) < 0:
                    continue  # it was never written
                rows = positions[self.picks[each.rows]]
                used.setdefault(each.targets[0], []).append(rows.reshape(-1))
                self._because.setdefault(each.targets[0], each.variable)
        for target, found in used.items():
            if target not in self.picks:
                nodes = np.unique(np.concatenate(found))
                self._set(target, nodes[nodes >= 0])

    def check(self, relation: _Relation) -> None:
        """Raise `PositionError` if positions do not fit their dimensions."""
        if isinstance(relation, Counts):
            self._owners_of(relation)
        else:
            self._positions(relation)

    def restrict(self, relation: _Relation) -> bool:
        """Leave out elements that belong to omitted indices; return whether there were any."""
        if isinstance(relation, Counts):
            return self._restrict_counts(relation)
        return self._restrict_rows(relation)

    def _restrict_counts(self, counts: Counts) -> bool:
        owner, owners = counts.owner, self._owners_of(counts)
        if owner is None:
            return False
        is_changed = counts.are_parts and self._restrict_parts(counts, owner)
        if owner not in self.picks:
            return is_changed
        places = _places(self.picks[owner], self.lengths[owner])
        now = self._now(counts.counted)
        at = np.where(owners[now] >= 0, places[owners[now]], -1)
        kept, at = now[at >= 0], at[at >= 0]
        kept = kept[np.argsort(at, kind="stable")]
        return self._set(counts.counted, kept, counts.variable) or is_changed

    def _restrict_parts(self, counts: Counts, owner: str) -> bool:
        """Leave out the parts of geometries that have no node left."""
        if counts.counted not in self.picks:
            return False
        owners = self._owners_of(counts)
        found = owners[self.picks[counts.counted]]
        parts, firsts = np.unique(found[found >= 0], return_index=True)
        without = np.setdiff1d(np.arange(self.lengths[owner]), owners)
        if owner in self._selected:
            now = self.picks[owner]
            return self._set(owner, now[np.isin(now, np.append(parts, without))], counts.variable)
        if np.all(np.diff(firsts) > 0):
            return self._set(owner, np.union1d(parts, without), counts.variable)
        return self._set(owner, parts[np.argsort(firsts)], counts.variable)

    def _restrict_rows(self, indexes: Indexes) -> bool:
        if indexes.relation == "tie point" and {indexes.rows, *indexes.targets} & {*self.picks}:
            raise PositionError(
                f"coordinates along {indexes.targets[0]} are interpolated between tie points, which"
                " a part of it does not have",
                indexes.variable,
                "select along other dimensions",
            )
        if indexes.relation == "neighbour" or not any(t in self.picks for t in indexes.targets):
            return False
        now = self._now(indexes.rows)
        positions = self._positions(indexes)[now]
        places = self._new_positions(indexes, positions)
        stays: Values = places[:, 0] >= 0
        if indexes.relation != "member":
            stays = np.all((places >= 0) | (positions < 0), axis=1)
        is_changed = self._set(indexes.rows, now[stays], indexes.variable)
        is_needed = indexes.relation == "corner" and not indexes.is_boundary
        if is_needed and stays.size and not stays.any():
            raise PositionError(
                f"the selection leaves no index of {indexes.rows}: each one needs an index of"
                f" {indexes.targets[0]} that is left out",
                indexes.variable,
                f"select along {base_name(indexes.rows)} instead",
            )
        return is_changed

    def _set(self, fqn: str, picks: Integers, because: str | None = None) -> bool:
        """Set the indices to keep of a dimension; return whether they have changed."""
        if np.array_equal(self._now(fqn), picks):
            return False
        self.picks[fqn] = picks
        if because is not None:
            self._because.setdefault(fqn, because)
        return True

    def _now(self, fqn: str) -> Integers:
        picks = self.picks.get(fqn)
        return np.arange(self.lengths[fqn]) if picks is None else picks

    def _new_positions(self, indexes: Indexes, positions: Integers) -> Integers:
        """Return positions within the subset; -1 for positions that are left out."""
        places = [
            None if target not in self.picks else _places(self.picks[target], self.lengths[target])
            for target in indexes.targets
        ]
        old = tuple(self.lengths[target] for target in indexes.targets)
        new = tuple(self._now(target).size for target in indexes.targets)
        parts = np.unravel_index(np.maximum(positions, 0), old) if math.prod(old) else ()
        if not parts:
            return np.full(positions.shape, -1)
        moved = [part if p is None else p[part] for part, p in zip(parts, places, strict=True)]
        is_kept = np.logical_and.reduce([part >= 0 for part in moved]) & (positions >= 0)
        if not math.prod(new):
            return np.full(positions.shape, -1)
        flat = np.ravel_multi_index(tuple(np.maximum(part, 0) for part in moved), new)
        return np.where(is_kept, flat, -1)

    def renumber(self, relation: _Relation) -> _NewValues | None:
        """Return the new values of a variable of positions, cut; None if they only become fewer."""
        if isinstance(relation, Counts):
            values = self._recount(relation)
            return None if values is None else _NewValues(values)

        if not any(target in self.picks for target in relation.targets):
            return None
        variable = self._variables[relation.variable]
        axis = variable.dimensions.index(relation.rows)
        rows = np.moveaxis(self._stored_values(relation.variable), axis, 0)[
            self._now(relation.rows)
        ]
        positions = self._positions(relation)[self._now(relation.rows)]
        moved = self._new_positions(relation, positions).reshape(rows.shape)
        is_lost = (moved < 0) & (positions.reshape(rows.shape) >= 0)
        values = np.where(moved >= 0, (moved + relation.start).astype(rows.dtype), rows)
        mask = None
        if is_lost.any():
            stored = np.moveaxis(self._stored_values(relation.variable), axis, 0)
            was_missing = stored[self._positions(relation).reshape(stored.shape) < 0]
            if variable.mask is None and not was_missing.size:
                mask = _new_mask(variable)
            known = variable.mask if variable.mask is not None else next(iter(was_missing), mask)
            values[is_lost] = known
        for number, dimension in enumerate(variable.dimensions):
            if dimension in self.picks and number != axis:
                after = number + 1 if number < axis else number
                values = values.take(self.picks[dimension], after)
        return _NewValues(np.moveaxis(values, 0, axis), mask)

    def _recount(self, counts: Counts) -> Values | None:
        if counts.counted not in self.picks:
            return None
        stored = self._stored_values(counts.variable)
        owners = self._owners_of(counts)[self.picks[counts.counted]]
        own = self._now(counts.owner) if counts.owner is not None else np.zeros(1, int)
        places = _places(own, max(1, stored.size))
        at = np.where(owners >= 0, places[owners], own.size)
        if np.any(np.diff(at) < 0):
            raise PositionError(
                f"the indices of {counts.counted} cannot be in this order, as"
                f" {counts.variable} counts them one after the other",
                None,
                f"select along {base_name(counts.owner or counts.counted)} instead",
            )
        values = np.bincount(owners[owners >= 0], minlength=max(1, stored.size))[own]
        return values.reshape((own.size,) if counts.owner is not None else ()).astype(stored.dtype)

    def shorter_dimensions(
        self, selected: Mapping[str, Indices]
    ) -> tuple[tuple[str, int, int, str], ...]:
        """Return the dimensions that became shorter than requested; see `FollowedSubset`."""
        found = []
        for fqn, picks in self.picks.items():
            before = _as_array(selected[fqn]).size if fqn in selected else self.lengths[fqn]
            if picks.size < before and fqn in self._because:
                found.append((fqn, before, int(picks.size), self._because[fqn]))
        return tuple(found)

    def _stored_values(self, fqn: str) -> Values:
        if fqn not in self._read:
            room = MOST - sum(values.size for values in self._read.values())
            self._read[fqn] = _values_of(fqn, self._variables[fqn], self._dimensions, room)
        return self._read[fqn]

    def _positions(self, indexes: Indexes) -> Integers:
        """Return the positions from 0 on, a row for each element; -1 is missing."""
        known = self._known.get((indexes.variable, indexes.rows))
        if known is not None:
            return known
        variable = self._variables[indexes.variable]
        stored = self._stored_values(indexes.variable)
        rows = np.moveaxis(stored, variable.dimensions.index(indexes.rows), 0)
        length = math.prod(self.lengths[target] for target in indexes.targets)
        positions = positions_of(indexes.variable, variable, rows, indexes.start)
        check_inside(indexes, positions, length)
        known = positions.reshape(rows.shape[0], math.prod(rows.shape[1:]))
        self._known[indexes.variable, indexes.rows] = known
        return known

    def _owners_of(self, counts: Counts) -> Integers:
        """Return the element of each index of the counted dimension; -1 for none."""
        if counts.variable not in self._owners:
            stored = self._stored_values(counts.variable).reshape(-1)
            variable = self._variables[counts.variable]
            sizes = np.maximum(positions_of(counts.variable, variable, stored, 0), 0)
            length = self.lengths[counts.counted]
            if int(sizes.sum()) > length:
                raise PositionError(
                    f"it counts {int(sizes.sum())} along {counts.counted}, which has"
                    f" {quantity(length, 'index')}",
                    counts.variable,
                )
            owners = np.full(length, -1)
            owners[: int(sizes.sum())] = np.repeat(np.arange(sizes.size), sizes)
            self._owners[counts.variable] = owners
        return self._owners[counts.variable]


def _values_of(fqn: str, variable: Variable, dimensions: Mapping[str, Any], most: int) -> Values:
    """Return all values of a variable of positions. Raises `PositionError` if they are too many."""
    shape = shape_of(variable, dict(dimensions))
    if math.prod(shape) > most:
        raise PositionError(
            f"its {math.prod(shape)} positions are too many to follow a selection",
            fqn,
            "select along other dimensions",
        )
    values = fill_array(shape, variable.type, missing_fill(variable))
    if variable.data is not None:
        stored = read_all(variable.data)
        values[tuple(map(slice, stored.shape))] = stored
    return values


def positions_of(fqn: str, variable: Variable, stored: Values, start: int) -> Integers:
    """Return stored positions as integers that begin at 0; -1 for missing ones."""
    packing = packing_of(variable)
    is_missing = packing.is_missing(stored)
    if isinstance(variable.type, Atomic) and not packing.masks and variable.type.size > 1:
        is_missing |= stored == np.asarray(variable.type.default_fill).astype(stored.dtype)
    numbers = packing.unpack(stored)
    if numbers.dtype.kind == "f":
        is_whole = is_missing | (np.isfinite(numbers) & (numbers == np.floor(numbers)))
        if not is_whole.all():
            raise PositionError("its values are not whole numbers, as positions are", fqn)
    numbers = np.where(is_missing, numbers.dtype.type(0), numbers)
    if numbers.dtype.itemsize == 8:
        numbers = np.minimum(numbers, numbers.dtype.type(2**62))  # others are outside as well
    positions: Integers = np.maximum(numbers.astype("i8") - start, -1)
    positions[is_missing] = -1
    return positions


def check_inside(indexes: Indexes, positions: Integers, length: int) -> None:
    """Raise `PositionError` for positions outside a dimension."""
    if positions.size and int(positions.max()) >= length:
        targets = " and ".join(indexes.targets)
        has = "has" if len(indexes.targets) == 1 else "have"
        raise PositionError(
            f"it has the index {int(positions.max()) + indexes.start}, but {targets} {has}"
            f" {quantity(length, 'index')}",
            indexes.variable,
        )


def _places(picks: Integers, length: int) -> Integers:
    """Return the place of each index in the subset; -1 for indices that are left out."""
    places = np.full(length, -1)
    places[picks] = np.arange(picks.size)
    return places


@record
class _NewValues:
    """New values of a variable of positions; `mask` marks missing values if no mask did before."""

    values: Values
    mask: Value = None


def _new_mask(variable: Variable) -> Value:
    """Return the value for a position that is left out, in a variable without a mask."""
    nc_type = variable.type
    assert isinstance(nc_type, Atomic)
    return {"i": -1, "u": nc_type.default_fill, "f": math.nan}[nc_type.kind]


def _with_values(variable: Variable, changed: _NewValues | None) -> Variable:
    """Return a variable of positions with other values, and without ranges that they leave."""
    if changed is None:
        return variable
    fill = None if variable.data is None else variable.data.fill
    attributes = [a for a in variable.attributes if a.name not in RANGES]
    if changed.mask is not None:
        attributes = [a for a in attributes if a.name != "_FillValue"]
        attributes.append(Attribute(name="_FillValue", type=variable.type, values=(changed.mask,)))
    data = MemoryArray(changed.values, variable.type, fill=fill)
    return replace(variable, data=data, attributes=tuple(attributes))


def _as_array(indices: Indices) -> Integers:
    if not isinstance(indices, tuple):
        return indices
    return np.concatenate([np.arange(r.start, r.stop, r.step) for r in indices]).astype("i8")


def position_faults(dataset: Dataset) -> Iterator[PositionError]:
    """Yield an error for each variable whose positions do not fit their dimensions.

    The variables are read; one that cannot be read is left out.
    """
    following = _KeptIndices(dataset, {})
    relations: list[_Relation] = [*counts_in(dataset.root), *indexes_in(dataset.root)]
    for relation in relations:
        try:
            following.check(relation)
        except PositionError as error:
            yield error
        except NczError:
            continue
