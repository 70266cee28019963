"""Select longitudes across the seam of the grid, and convert them to the range of the limits.

Whole turns are added to the coordinate, so that it ascends or descends, to its bounds, and to the
auxiliary longitudes over the same dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ncz.commands.option_error import OptionError
from ncz.errors import Notice, Notify, option
from ncz.model.axes import is_longitude
from ncz.model.data import MemoryArray, Values, read_all
from ncz.model.grid import Box
from ncz.model.links import links
from ncz.model.mapped_source import MappedSource
from ncz.model.packing import MASKS, PACKING, Packing, packing_of
from ncz.model.tree import Attribute, Dataset, Storage, Variable, each_variable, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import record, replace

CIRCLE = 360

_RANGES = ("actual_range", "valid_max", "valid_min", "valid_range")
"""Attributes that are no longer valid for longitudes in another range."""


def slack_of(variable: Variable, values: Values) -> float | None:
    """Return the tolerance for equal longitudes; None for another coordinate."""
    if not is_longitude(variable) or not np.all(np.isfinite(values)):
        return None
    slack = CIRCLE * float(np.finfo(values.dtype if values.dtype.kind == "f" else "f8").eps)
    return slack if float(values.max()) - float(values.min()) <= CIRCLE + slack else None


@record
class Turns:
    """The number of 360 degrees added to a longitude, at each index of its dimension."""

    dimension: str
    counts: Values


def turn(dataset: Dataset, turns: Mapping[str, Turns], notify: Notify) -> Dataset:
    """Return a dataset with whole turns added to longitudes.

    Parameters
    ----------
    dataset
        The dataset, which is already cut.
    turns
        The turns of the longitudes, by the FQN of the variable.
    notify
        Receives a notice of a packed longitude whose type cannot represent the other range.

    Raises
    ------
    OptionError
        If the type of a longitude cannot represent the other range.
    """
    if not turns:
        return dataset
    known = [*links(dataset.root)]
    bounds = {
        link.target: turns[link.source]
        for link in known
        if link.meaning == "bounds" and link.source in turns
    }
    variables = dict(variables_by_fqn(dataset.root))
    beside: dict[str | None, Turns] = {}
    for link in known:
        if link.meaning == "coordinates" and link.target in variables and link.target not in turns:
            for each, found in turns.items():
                if _follows(variables[link.target], found) and is_longitude(variables[link.target]):
                    beside[link.target] = Turns(found.dimension, _degrees(variables[each], found))
    beside |= {
        link.target: beside[link.source]
        for link in known
        if link.meaning == "bounds" and link.source in beside and link.target not in bounds
    }

    def change(fqn: str, variable: Variable) -> Variable:
        own = turns.get(fqn) or bounds.get(fqn)
        if own is not None and own.dimension in variable.dimensions:
            return _with_turns(fqn, variable, own, notify)
        if fqn in beside and _follows(variable, beside[fqn]):
            return _nearby(variable, beside[fqn])
        return variable

    return each_variable(dataset, change)


def _follows(variable: Variable, turns: Turns) -> bool:
    """Return whether an auxiliary longitude of any size can be shifted while it is read."""
    is_plain = variable.type in (Atomic.FLOAT, Atomic.DOUBLE)
    return (
        is_plain and not packing_of(variable).is_packed and turns.dimension in variable.dimensions
    )


def _degrees(variable: Variable, turns: Turns) -> Values:
    """Return a coordinate in the turns that are added to it."""
    assert variable.data is not None
    degrees: Values = packing_of(variable).decode(read_all(variable.data))
    degrees += CIRCLE * turns.counts
    return degrees


def _with_turns(fqn: str, variable: Variable, turns: Turns, notify: Notify) -> Variable:
    """Return a longitude, or its bounds, with whole turns added to its values."""
    data, nc_type = variable.data, variable.type
    if data is None or not isinstance(nc_type, Atomic):
        return variable
    packing, axis = packing_of(variable), variable.dimensions.index(turns.dimension)
    attributes = tuple(a for a in variable.attributes if a.name not in _RANGES)
    variable = replace(variable, attributes=attributes)
    step = CIRCLE / (packing.scale or 1)
    if nc_type.is_floating:
        return replace(
            variable, data=MappedSource(data, _adder(turns.counts * step, axis, packing))
        )
    stored = read_all(data)
    counts = _along(turns.counts, axis, stored.ndim)
    numbers = packing.to_signed(stored)
    missing = packing.is_missing(stored)
    if abs(step - round(step)) <= 1e-9 * abs(step):
        exact = numbers.astype("i8") + round(step) * counts
        changed = np.where(missing, numbers, exact.astype(numbers.dtype))
        is_mask = packing.is_missing(changed.view(stored.dtype))
        if np.array_equal(changed[~missing], exact[~missing]) and np.array_equal(is_mask, missing):
            return _with_values(variable, changed.view(stored.dtype))
    if not packing.is_packed:
        raise OptionError(
            f"{fqn}: the longitudes do not fit their type {stored.dtype} in the range of the"
            " limits",
            hint=f"select by index: {option('isel')}",
        )
    notify(
        Notice(
            "packing-changed",
            f"{fqn} is unpacked, because its type cannot represent the longitudes in the range"
            " of the limits",
        )
    )
    return _unpack(variable, np.where(missing, np.nan, packing.unpack(stored)), counts)


def _adder(added: Values, axis: int, packing: Packing) -> Callable[[Values, Box], Values]:
    """Return a function that adds a number at each index of an axis to values."""

    def change(values: Values, box: Box) -> Values:
        here = _along(added[box.start[axis] : box.stop[axis]], axis, values.ndim)
        with np.errstate(invalid="ignore"):
            changed = (values.astype("f8") + here).astype(values.dtype)
        found: Values = np.where(packing.is_missing(values), values, changed)
        return found

    return change


def _along(counts: Values, axis: int, rank: int) -> Values:
    return counts.reshape([-1 if number == axis else 1 for number in range(rank)])


def _with_values(variable: Variable, values: Values) -> Variable:
    assert variable.data is not None
    data = MemoryArray(values, variable.type, fill=variable.data.fill)
    return replace(variable, data=data)


def _unpack(variable: Variable, degrees: Values, counts: Values) -> Variable:
    """Return a longitude in whole turns as numbers that are not packed."""
    attributes = [a for a in variable.attributes if a.name not in (*MASKS, *PACKING)]
    values = degrees + CIRCLE * counts
    if np.isnan(values).any():
        attributes.append(Attribute(name="_FillValue", type=Atomic.DOUBLE, values=(float("nan"),)))
    return replace(
        variable,
        type=Atomic.DOUBLE,
        attributes=tuple(attributes),
        storage=Storage(),
        data=MemoryArray(values.astype("f8"), Atomic.DOUBLE),
    )


def _nearby(variable: Variable, degrees: Turns) -> Variable:
    """Return an auxiliary longitude in the turn that is nearest to the one of its dimension."""
    if variable.data is None:
        return variable
    axis = variable.dimensions.index(degrees.dimension)
    change = _turner(degrees.counts, axis, variable)
    attributes = tuple(a for a in variable.attributes if a.name not in _RANGES)
    return replace(variable, data=MappedSource(variable.data, change), attributes=attributes)


def _turner(degrees: Values, axis: int, variable: Variable) -> Callable[[Values, Box], Values]:
    packing = packing_of(variable)

    def change(values: Values, box: Box) -> Values:
        near = _along(degrees[box.start[axis] : box.stop[axis]], axis, values.ndim)
        exact = values.astype("f8")
        with np.errstate(invalid="ignore"):
            moved = exact + CIRCLE * np.round((near - exact) / CIRCLE)
        kept = packing.is_missing(values) | ~np.isfinite(moved)
        found: Values = np.where(kept, values, moved.astype(values.dtype))
        return found

    return change
