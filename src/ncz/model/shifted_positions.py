"""Positions of a dataset that is joined with others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from ncz.late import numpy as np
from ncz.model.data import Values
from ncz.model.grid import Box
from ncz.model.mapped_source import MappedSource
from ncz.model.position_links import Indexes, indexes_in
from ncz.model.positions import RANGES, PositionError, check_inside, positions_of
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, each_variable
from ncz.model.types import Atomic
from ncz.record import replace


def shift_positions(
    dataset: Dataset, name: str, offsets: Mapping[str, int], lengths: Mapping[str, int]
) -> Dataset:
    """Return a dataset with positions in a dataset that is joined from several.

    Parameters
    ----------
    dataset
        One of the datasets that are joined.
    name
        Its path or URL, for messages.
    offsets
        Where its indices begin in the joined dataset, by the FQN of each dimension along which the
        datasets are joined.
    lengths
        The lengths of these dimensions in the joined dataset.

    Raises
    ------
    PositionError
        If a type cannot represent the positions; also when values are read that do not fit the
        dataset.
    """
    old = {fqn: d.size for fqn, d in dimensions_by_fqn(dataset.root).items()}
    relations = {
        indexes.variable: indexes
        for indexes in indexes_in(dataset.root)
        if any(target in offsets for target in indexes.targets)
    }

    def change(fqn: str, variable: Variable) -> Variable:
        indexes = relations.get(fqn)
        if indexes is None or variable.data is None:
            return variable
        own = tuple(old[target] for target in indexes.targets)
        new = tuple(lengths.get(target, old[target]) for target in indexes.targets)
        if not any(offsets.get(target, 0) for target in indexes.targets) and own[1:] == new[1:]:
            return variable  # of the first dataset, whose positions stay
        nc_type = variable.type
        assert isinstance(nc_type, Atomic)
        if nc_type.is_integer and math.prod(new) - 1 + indexes.start > nc_type.limits[1]:
            raise PositionError(
                f"the type {nc_type.word} cannot represent the positions of {fqn} in the joined"
                f" dataset, which has {math.prod(new)}",
                name,
            )
        moved = partial(
            _shifted_values,
            variable=variable,
            indexes=indexes,
            old=own,
            new=new,
            offsets=tuple(offsets.get(target, 0) for target in indexes.targets),
        )
        attributes = tuple(a for a in variable.attributes if a.name not in RANGES)
        return replace(variable, data=MappedSource(variable.data, moved), attributes=attributes)

    return each_variable(dataset, change)


def _shifted_values(
    values: Values,
    _: Box,
    *,
    variable: Variable,
    indexes: Indexes,
    old: tuple[int, ...],
    new: tuple[int, ...],
    offsets: tuple[int, ...],
) -> Values:
    positions = positions_of(indexes.variable, variable, values, indexes.start)
    check_inside(indexes, positions, math.prod(old))
    is_there = positions >= 0
    if not is_there.any():
        return values
    parts = np.unravel_index(positions[is_there], old)
    moved = tuple(part + offset for part, offset in zip(parts, offsets, strict=True))
    result = values.copy()
    result[is_there] = np.ravel_multi_index(moved, new) + indexes.start
    return result
