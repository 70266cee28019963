"""Variables whose dimensions are in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ncz.commands.option_error import OptionError
from ncz.errors import option
from ncz.model.transposed_source import TransposedSource
from ncz.model.tree import Dataset, Variable, base_name, dimensions_by_fqn, each_variable
from ncz.record import replace


def transpose(dataset: Dataset, names: Sequence[str]) -> Dataset:
    """Return a dataset with dimensions in the order of `names`.

    In each variable, the named dimensions change places among themselves; others do not move.

    Raises
    ------
    OptionError
        If a name is given twice, or no dimension has it.
    """
    known = {base_name(fqn) for fqn in dimensions_by_fqn(dataset.root)}
    for at, name in enumerate(names):
        if name in names[:at] or name not in known:
            what = (
                f"{name!r} is given twice" if name in known else f"no dimension is named {name!r}"
            )
            raise OptionError(what, hint=f"correct {option('transpose')}")
    return each_variable(dataset, lambda _, variable: _in_order(variable, names))


def _in_order(variable: Variable, names: Sequence[str]) -> Variable:
    dimensions = variable.dimensions
    bases = [base_name(dimension) for dimension in dimensions]
    places = [axis for axis, base in enumerate(bases) if base in names]
    ordered = sorted(places, key=lambda axis: names.index(bases[axis]))
    axes = [*range(len(dimensions))]
    for place, axis in zip(places, ordered, strict=True):
        axes[place] = axis
    if axes == [*range(len(dimensions))]:
        return variable

    def move(of: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        return of and tuple(of[axis] for axis in axes)

    storage, data = variable.storage, variable.data
    return replace(
        variable,
        dimensions=tuple(dimensions[axis] for axis in axes),
        axis_names=move(variable.axis_names),
        storage=replace(storage, chunks=move(storage.chunks), shards=move(storage.shards)),
        data=None if data is None else TransposedSource(data, tuple(axes)),
    )
