"""Write the pieces of a variable, each as a dataset that describes itself."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ncz.model.data import ChunkSource, fill_array, read_present
from ncz.model.fill import missing_fill
from ncz.model.grid import Box
from ncz.model.sources.subset import subset, subset_source
from ncz.model.tree import Dataset, Group, Variable, base_name, join, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.model.data import Values

_OTHERS = ("bounds", "climatology", "coordinates", "grid_mapping")
"""The attributes that name variables that belong to the master, as dimension variables do."""


_PACKING = ("scale_factor", "add_offset")


def fields_of(root: Group) -> dict[str, Variable]:
    """Return the variables that are divided, by FQN: numbers that are not coordinates."""
    variables = dict(variables_by_fqn(root))
    coordinates = {
        word
        for variable in variables.values()
        for attribute in variable.attributes
        if attribute.name in _OTHERS and attribute.type in (Atomic.CHAR, Atomic.STRING)
        for text in attribute.values
        for word in str(text).replace(":", " ").split()
    }
    return {
        fqn: variable
        for fqn, variable in variables.items()
        if variable.dimensions
        and isinstance(variable.type, Atomic)
        and variable.type.kind in "iuf"
        and variable.name not in coordinates
        and [base_name(name) for name in variable.dimensions] != [variable.name]
        and variable.data is not None
    }


def piece_of(dataset: Dataset, fqn: str, variable: Variable, box: Box, name: str) -> Dataset:
    """Return a part of one variable as a dataset, with its dimensions and their coordinates."""
    ranges = {
        dimension: range(start, stop)
        for dimension, start, stop in zip(variable.dimensions, box.start, box.stop, strict=True)
    }
    root = _only(dataset.root, "", fqn, frozenset(variable.dimensions))
    return subset(replace(dataset, name=name, root=root), ranges)


def _only(group: Group, path: str, fqn: str, dimensions: Collection[str]) -> Group:
    """Return a group with one variable, its dimensions, and its dimension variables."""
    groups = (_only(g, join(path, g.name), fqn, dimensions) for g in group.groups)
    return replace(
        group,
        dimensions=tuple(d for d in group.dimensions if join(path, d.name) in dimensions),
        variables=tuple(
            v
            for v in group.variables
            if join(path, v.name) == fqn
            or (join(path, v.name) in dimensions and v.dimensions == (join(path, v.name),))
        ),
        groups=tuple(g for g in groups if g.variables or g.dimensions or g.groups),
    )


def unpacked(dataset: Dataset, fqn: str) -> Dataset:
    """Return a dataset in which the values of one variable count as they are stored."""

    def without_packing(group: Group, path: str) -> Group:
        return replace(
            group,
            variables=tuple(
                replace(v, attributes=tuple(a for a in v.attributes if a.name not in _PACKING))
                if join(path, v.name) == fqn
                else v
                for v in group.variables
            ),
            groups=tuple(without_packing(g, join(path, g.name)) for g in group.groups),
        )

    return replace(dataset, root=without_packing(dataset.root, ""))


def is_empty(variable: Variable, box: Box) -> bool:
    """Return whether a part of a variable has no other values than fill."""
    source = variable.data
    if source is None:
        return True
    fill = variable.mask if variable.mask is not None else missing_fill(variable)
    part = subset_source(
        source, tuple(range(a, b) for a, b in zip(box.start, box.stop, strict=True))
    )
    return all(_is_fill(part, index, fill) for index in part.grid.indices())


def _is_fill(source: ChunkSource, index: tuple[int, ...], fill: object) -> bool:
    values: Values | None = read_present(source, source.grid.box(index))
    if values is None:
        values = fill_array((1,), source.type, source.fill)
    if fill is None:
        return False
    return bool(((values == fill) | ((values != values) & (fill != fill))).all())
