"""The values of a new dimension, one for each dataset: ``member=r1,r2,r3``."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.commands.option_error import OptionError
from ncz.errors import option, quantity
from ncz.late import numpy as np
from ncz.model.data import MemoryArray
from ncz.model.tree import Dataset, Variable, base_name, dimensions_by_fqn, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import replace


def named_members(dimension: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the name of a dimension, and its values if they are given."""
    name, equals, values = (dimension or "").partition("=")
    return (name, tuple(values.split(","))) if equals else (dimension, ())


def with_members(datasets: Sequence[Dataset], name: str, values: Sequence[str]) -> list[Dataset]:
    """Return datasets with their values of a new dimension, as scalar coordinates.

    The values are integers, floating-point numbers or, if some are neither, strings.

    Raises
    ------
    OptionError
        If there are more or fewer values than datasets, or a dataset has the name already.
    """
    if len(values) != len(datasets):
        raise OptionError(
            f"{option('concat')} has {quantity(len(values), 'value')} of {name} for"
            f" {quantity(len(datasets), 'dataset')}"
        )
    for dataset in datasets:
        names = (*dimensions_by_fqn(dataset.root), *(f for f, _ in variables_by_fqn(dataset.root)))
        if name in map(base_name, names):
            raise OptionError(
                f"{option('concat')} has values of {name}, which the datasets have already",
                hint=f"use {option('concat', name)} to join along it",
            )
    kind, members = _convert(values)
    return [
        _with_scalar(dataset, name, kind, np.array(member, kind.dtype if kind.size else object))
        for dataset, member in zip(datasets, members, strict=True)
    ]


def _convert(values: Sequence[str]) -> tuple[Atomic, list[int] | list[float] | list[str]]:
    """Return the type that all values have, and the values."""
    try:
        numbers = [int(value) for value in values]
        is_small = all(-(2**31) <= number < 2**31 for number in numbers)
        if is_small or all(-(2**63) <= number < 2**63 for number in numbers):
            return (Atomic.INT if is_small else Atomic.INT64), numbers
    except ValueError:
        pass
    try:
        return Atomic.DOUBLE, [float(value) for value in values]
    except ValueError:
        return Atomic.STRING, list(values)


def _with_scalar(dataset: Dataset, name: str, kind: Atomic, value: np.ndarray) -> Dataset:
    scalar = Variable(name=name, type=kind, dimensions=(), data=MemoryArray(value, kind))
    root = replace(dataset.root, variables=(scalar, *dataset.root.variables))
    return replace(dataset, root=root)
