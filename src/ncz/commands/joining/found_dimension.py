"""Find the dimension of a join, if only one is possible.

As in xarray's ``combine="by_coords"``, it is the one whose coordinate differs. Without such a
coordinate, it is the scalar coordinate that differs, or the only unlimited dimension.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import numbers_of
from ncz.errors import list_names, option
from ncz.late import numpy as np
from ncz.model.data import Values, read_all
from ncz.model.tree import (
    Dataset,
    Variable,
    base_name,
    dimensions_by_fqn,
    missing_fill,
    variables_by_fqn,
)

_LONGEST = 1 << 22
"""Values of the longest coordinate that is compared."""


def found_dimension(datasets: Sequence[Dataset], names: Sequence[str]) -> str:
    """Return the FQN of the dimension along which datasets of the same variables are joined.

    Only coordinates are read.

    Parameters
    ----------
    datasets
        The datasets.
    names
        Their paths or URLs, for messages.

    Raises
    ------
    JoinError
        If none, or several, could be meant.
    """
    tables = [dict(variables_by_fqn(dataset.root)) for dataset in datasets]
    found = [fqn for fqn in _axes(tables) if _differ(datasets, fqn)]
    found = found or [fqn for fqn in _scalars(tables) if _differ(datasets, fqn)]
    if not found:
        lengths = [dimensions_by_fqn(dataset.root) for dataset in datasets]
        found = [fqn for fqn, one in lengths[0].items() if one.unlimited and fqn not in tables[0]]
    if len(found) == 1:
        return found[0]
    if found:
        known = list_names([base_name(fqn) for fqn in found])
        raise JoinError(
            f"the datasets differ in several coordinates: {known}",
            f"{names[0]} and {len(names) - 1} more",
            f"use {option('concat', base_name(found[0]))}, or ncz.open_mfdataset(paths)",
        )
    raise JoinError(
        "all coordinates of the datasets are the same",
        f"{names[0]} and {len(names) - 1} more",
        f"use {option('concat', 'DIMENSION')}, or {option('new_dimension', 'member')} to join them"
        " along a new dimension",
    )


def order_along(datasets: Sequence[Dataset], fqn: str) -> list[int]:
    """Return the numbers of datasets in the order of a coordinate, which ascends if it can.

    Coordinates with several units get the given one.
    """
    given = list(range(len(datasets)))
    found = [_coordinate(dataset, fqn) for dataset in datasets]
    values = [np.atleast_1d(each) for each, _ in found]
    is_down = any(each.size > 1 and each[0] > each[-1] for each in values)
    if is_down or any(unit != found[0][1] for _, unit in found) or not all(map(len, values)):
        return given
    return sorted(given, key=lambda number: values[number][0])


def _axes(tables: Sequence[Mapping[str, Variable]]) -> Iterator[str]:
    """Yield the coordinate variables of all datasets."""
    for fqn in tables[0]:
        theirs = [table.get(fqn) for table in tables]
        if all(v is not None and v.dimensions == (fqn,) for v in theirs):
            yield fqn


def _scalars(tables: Sequence[Mapping[str, Variable]]) -> Iterator[str]:
    """Yield the scalar variables of all datasets that are times."""
    for fqn in tables[0]:
        theirs = [table.get(fqn) for table in tables]
        if all(v is not None and not v.dimensions for v in theirs):
            first = tables[0][fqn]
            if " since " in first.text("units") or first.text("standard_name") == "time":
                yield fqn


def _differ(datasets: Sequence[Dataset], fqn: str) -> bool:
    """Return whether the values of a coordinate are not the same in all datasets."""
    first = _coordinate(datasets[0], fqn)
    return any(not _same(first, _coordinate(other, fqn)) for other in datasets[1:])


def _coordinate(dataset: Dataset, fqn: str) -> tuple[Values, object]:
    """Return the values of a coordinate, and the meaning of its numbers."""
    variable = dict(variables_by_fqn(dataset.root))[fqn]
    if variable.data is None:
        size = dimensions_by_fqn(dataset.root)[fqn].size if variable.dimensions else 1
        return np.full(size, missing_fill(variable)), None
    if math.prod(variable.data.grid.shape) > _LONGEST:
        raise JoinError(
            f"the coordinate {fqn} is too long to be compared", None,
            f"use {option('concat', 'DIMENSION')}",
        )  # fmt: skip
    numbers = numbers_of(dataset.root).get(fqn)
    unit = None if numbers is None else (numbers.factors, numbers.times)
    return read_all(variable.data), unit


def _same(one: tuple[Values, object], other: tuple[Values, object]) -> bool:
    (ours, unit), (theirs, their_unit) = one, other
    return unit == their_unit and ours.shape == theirs.shape and bool(np.all(ours == theirs))
