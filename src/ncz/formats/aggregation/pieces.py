"""Write the pieces of a variable, each as a dataset that describes itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ncz.formats.aggregation.master import resolve
from ncz.model.data import ChunkSource, Values, fill_array, read_present
from ncz.model.grid import Box
from ncz.model.links import names_in
from ncz.model.subset import subset, subset_source
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    base_name,
    each_variable,
    join,
    missing_fill,
    parent,
    variables_by_fqn,
)
from ncz.model.types import Atomic, Value
from ncz.record import replace

_OTHERS = ("bounds", "climatology", "coordinates", "grid_mapping")
"""The attributes that name variables that belong to the master, as dimension variables do."""


_PACKING = ("scale_factor", "add_offset")


def _companions(variable: Variable) -> set[str]:
    """Return the names of variables that belong to the coordinates of a variable."""
    return {name for attribute in _OTHERS for name in names_in(attribute, variable.text(attribute))}


def fields_of(root: Group) -> dict[str, Variable]:
    """Return the variables that are divided, by FQN: numbers that are not coordinates."""
    variables = dict(variables_by_fqn(root))
    coordinates = {word for variable in variables.values() for word in _companions(variable)}
    return {
        fqn: variable
        for fqn, variable in variables.items()
        if variable.dimensions
        and variable.has_numbers
        and variable.name not in coordinates
        and [base_name(name) for name in variable.dimensions] != [variable.name]
        and variable.data is not None
    }


def piece_of(dataset: Dataset, fqn: str, variable: Variable, box: Box, name: str) -> Dataset:
    """Return a part of one variable as a dataset that describes itself.

    It has the dimensions of the variable with their coordinates, and the bounds, coordinates and
    grid mappings that these and the variable name.
    """
    ranges = {
        dimension: range(start, stop)
        for dimension, start, stop in zip(variable.dimensions, box.start, box.stop, strict=True)
    }
    variables = dict(variables_by_fqn(dataset.root))
    needed = {fqn} | {each for each in variable.dimensions if _is_coordinate(each, variables)}
    waiting = list(needed)
    while waiting:
        own = waiting.pop()
        named = (resolve(name, parent(own), variables) for name in _companions(variables[own]))
        new = {each for each in named if each is not None} - needed
        needed |= new
        waiting += new
    dimensions = {*variable.dimensions, *(d for each in needed for d in variables[each].dimensions)}
    root = _only(dataset.root, "", needed, dimensions)
    return subset(replace(dataset, name=name, root=root), ranges)


def _is_coordinate(fqn: str, variables: Mapping[str, Variable]) -> bool:
    return fqn in variables and variables[fqn].dimensions == (fqn,)


def _only(
    group: Group, path: str, variables: Collection[str], dimensions: Collection[str]
) -> Group:
    """Return a group with some of its variables and dimensions."""
    groups = (_only(g, join(path, g.name), variables, dimensions) for g in group.groups)
    return replace(
        group,
        dimensions=tuple(d for d in group.dimensions if join(path, d.name) in dimensions),
        variables=tuple(v for v in group.variables if join(path, v.name) in variables),
        groups=tuple(g for g in groups if g.variables or g.dimensions or g.groups),
    )


def drop_packing(dataset: Dataset, fqn: str) -> Dataset:
    """Return a dataset where the values of one variable count as stored."""

    def without_packing(path: str, variable: Variable) -> Variable:
        attributes = tuple(a for a in variable.attributes if a.name not in _PACKING)
        return replace(variable, attributes=attributes) if path == fqn else variable

    return each_variable(dataset, without_packing)


def is_empty(variable: Variable, box: Box) -> bool:
    """Return whether a part of a variable equals the values that readers see without a piece."""
    source = variable.data
    if source is None:
        return True
    fill = _fill_without_piece(variable)
    part = subset_source(
        source, tuple(range(a, b) for a, b in zip(box.start, box.stop, strict=True))
    )
    return all(_is_fill(part, index, fill) for index in part.grid.indices())


def _fill_without_piece(variable: Variable) -> Value:
    """Return the value that all readers see for a missing piece; None if they differ.

    A master has no chunks, so that the fill value of the variable's own chunks does not count.
    """
    if variable.mask is not None or not isinstance(variable.type, Atomic):
        return variable.mask
    default = variable.type.default_fill
    return default if missing_fill(variable) == default else None


def _is_fill(source: ChunkSource, index: tuple[int, ...], fill: object) -> bool:
    values: Values | None = read_present(source, source.grid.box(index))
    if values is None:
        values = fill_array((1,), source.type, source.fill)
    if fill is None:
        return False
    return bool(((values == fill) | ((values != values) & (fill != fill))).all())
