"""Give datasets the dimension of their join, if they lack it.

Each dataset is then one index of the dimension: a time that is a scalar coordinate, or a member of
an ensemble. These variables get the dimension: the scalar coordinate of the name and its bounds,
all variables of data, and coordinates and other named variables if they differ.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ncz.commands.joining.agreement import differ_in_values
from ncz.commands.joining.axes import axes_named, scalars_named
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.options import JoinOptions
from ncz.commands.variable_names import is_named
from ncz.errors import SHOW_NAMES, did_you_mean, option
from ncz.model.expanded_source import expanded_source, with_axis
from ncz.model.links import links
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_group,
    each_variable,
    join,
    parent,
    variables_by_fqn,
)
from ncz.model.types import Atomic
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


def with_dimension(
    datasets: Sequence[Dataset],
    names: Sequence[str],
    name: str,
    options: JoinOptions,
    pool: ThreadPool,
    *,
    is_new: bool = False,
) -> list[Dataset]:
    """Return the datasets with a dimension that some of them, or none, have.

    `name` is the name or the FQN of the dimension. If `is_new`, no dataset has it; otherwise some
    have it, or a scalar coordinate of its name. The other parameters are documented at
    `ncz.commands.joining.concatenation.concatenate`.

    Raises
    ------
    JoinError
        If a dataset has the dimension and it is new, or neither it nor a scalar of its name.
    """
    named = [axes_named(dataset, name, exactly=is_new) for dataset in datasets]
    found = next((i for i, fqns in enumerate(named) if fqns), None)
    if is_new and found is not None:
        raise JoinError(
            f"the dimension {name} already exists",
            names[found],
            f"use {option('concat', name)} to join along it",
        )
    if found is None:
        return _expand_all(datasets, names, name, options, pool, is_new=is_new)
    model = datasets[found]
    return [
        dataset if fqns else _expanded_like(dataset, where, name, model, named[found])
        for dataset, fqns, where in zip(datasets, named, names, strict=True)
    ]


def is_new_name(datasets: Sequence[Dataset], name: str) -> bool:
    """Return whether no dataset has a name, or a dimension or scalar that it could be meant for."""

    def is_known(dataset: Dataset) -> bool:
        if axes_named(dataset, name) or scalars_named(dataset, name):
            return True
        variables = dict(variables_by_fqn(dataset.root))
        scalars = (fqn for fqn, variable in variables.items() if not variable.dimensions)
        similar = map(base_name, (*dimensions_by_fqn(dataset.root), *scalars))
        is_variable = any(is_named(fqn, name) for fqn in variables)
        return is_variable or bool(did_you_mean(name, similar, ""))

    return not any(map(is_known, datasets))


def _expand_all(
    datasets: Sequence[Dataset],
    names: Sequence[str],
    name: str,
    options: JoinOptions,
    pool: ThreadPool,
    *,
    is_new: bool,
) -> list[Dataset]:
    first = datasets[0]
    along = scalars_named(first, name)
    variables = dict(variables_by_fqn(first.root))
    taken = [fqn for fqn in variables if name in (fqn, base_name(fqn)) and fqn not in along]
    if not along and is_new and not taken:
        along = frozenset({join("", name)})
    if not along:
        raise _no_dimension(first, name, names[0])
    for dataset, where in zip(datasets, names, strict=True):
        if along & {*variables} and not along <= scalars_named(dataset, name):
            raise _no_dimension(dataset, name, where)
    growing = _growing_variables(datasets, along, options, pool)
    return [_with_axis(dataset, along, dict.fromkeys(growing, 0)) for dataset in datasets]


def _no_dimension(dataset: Dataset, name: str, where: str) -> JoinError:
    known = [base_name(fqn) for fqn in dimensions_by_fqn(dataset.root)]
    variables = variables_by_fqn(dataset.root)
    along = next((v.dimensions[0] for f, v in variables if is_named(f, name) and v.dimensions), "")
    if along:
        axis = base_name(along)
        of = f"the variable {name} is along {axis}; use {option('concat', axis)}"
        return JoinError(f"the dimension {name} does not exist", where, of)
    way = f"see {SHOW_NAMES}, or use {option('new_dimension', name)} to join along a new dimension"
    return JoinError(
        f"the dimension {name} does not exist, and no scalar coordinate has this name",
        where,
        did_you_mean(name, known, way),
    )


def _growing_variables(
    datasets: Sequence[Dataset], along: Collection[str], options: JoinOptions, pool: ThreadPool
) -> frozenset[str]:
    """Return the FQNs of the variables that get the dimension."""
    root = datasets[0].root
    variables = dict(variables_by_fqn(root))
    in_scope = {f for f in variables if _dimension_of(f, along) is not None}
    others = {
        x.target for x in links(root) if x.meaning != "describes" and x.attribute not in _DATA
    }
    bounds = {x.target for x in links(root) if x.meaning == "bounds" and x.source in along}
    own = {fqn for fqn, variable in variables.items() if variable.dimensions == (fqn,)}
    growing = {f for f in in_scope if f in {*along, *bounds} or f not in {*others, *own}}
    rest = [f for f in sorted(in_scope - growing) if f not in own]
    for other in datasets[1:]:
        differing = differ_in_values(datasets[0], other, rest, options, pool)
        growing |= differing
        rest = [fqn for fqn in rest if fqn not in differing]
    return frozenset(growing)


_DATA = ("ancillary_variables",)
"""Attributes that name variables of data, such as flags of quality."""


def _dimension_of(fqn: str, along: Collection[str]) -> str | None:
    """Return the new dimension that a variable can have: one of its group or of those above."""
    group = parent(fqn)
    scopes = [each for each in along if f"{group}/".startswith(f"{parent(each)}/")]
    return max(scopes, key=len, default=None)


def _expanded_like(
    dataset: Dataset, where: str, name: str, model: Dataset, along: Collection[str]
) -> Dataset:
    """Return a dataset whose variables have the dimensions that they have in another one."""
    if not scalars_named(dataset, name):
        raise _no_dimension(dataset, name, where)
    axes = {}
    wanted = dict(variables_by_fqn(model.root))
    for fqn, variable in variables_by_fqn(dataset.root):
        theirs = wanted[fqn].dimensions if fqn in wanted else ()
        rest = tuple(dimension for dimension in theirs if dimension not in along)
        if theirs != rest and rest == variable.dimensions:
            axes[fqn] = next(i for i, dimension in enumerate(theirs) if dimension in along)
    return _with_axis(dataset, along, axes)


def _with_axis(dataset: Dataset, along: Collection[str], axes: dict[str, int]) -> Dataset:
    """Return a dataset with new dimensions of length 1, which some variables have as an axis."""

    is_file = dataset.provenance.is_netcdf_file  # pure Zarr has no unlimited dimensions

    def with_dimensions(path: str, group: Group) -> Group:
        new = [Dimension(name=base_name(f), size=1, unlimited=is_file)
               for f in sorted(along) if parent(f) == path]  # fmt: skip
        return replace(group, dimensions=(*new, *group.dimensions))

    def with_axes(fqn: str, variable: Variable) -> Variable:
        if fqn not in axes:
            return variable
        dimension = _dimension_of(fqn, along)
        assert dimension is not None
        return _expand(variable, dimension, axes[fqn])

    return each_variable(each_group(dataset, with_dimensions), with_axes)


def _expand(variable: Variable, dimension: str, axis: int) -> Variable:
    storage, names = variable.storage, variable.axis_names
    is_whole = storage.storage_class in ("contiguous", "compact")
    return replace(
        variable,
        dimensions=with_axis(variable.dimensions, axis, dimension),
        attributes=_without_coordinate(variable, base_name(dimension)),
        axis_names=None if names is None else with_axis(names, axis, base_name(dimension)),
        storage=replace(
            storage,
            storage_class=None if is_whole else storage.storage_class,
            chunks=None if storage.chunks is None else with_axis(storage.chunks, axis, 1),
            shards=None if storage.shards is None else with_axis(storage.shards, axis, 1),
        ),
        data=None if variable.data is None else expanded_source(variable.data, axis),
    )


def _without_coordinate(variable: Variable, name: str) -> tuple[Attribute, ...]:
    """Return the attributes of a variable; the coordinates of a dimension need not be named."""
    named = variable.text("coordinates").split()
    if name not in named:
        return variable.attributes
    rest = " ".join(each for each in named if each != name)
    others = tuple(a for a in variable.attributes if a.name != "coordinates")
    if not rest:
        return others
    return (*others, Attribute(name="coordinates", type=Atomic.CHAR, values=(rest,)))
