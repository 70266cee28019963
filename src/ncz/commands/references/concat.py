"""Join datasets along a dimension, after checking that the rest of them agrees."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ncz.commands.references.joined import join_arrays
from ncz.errors import NczError, Notice, Notify
from ncz.model.data import ChunkSource, read_box
from ncz.model.tree import Dataset, Dimension, Group, Variable, dimensions_by_fqn, join, walk
from ncz.record import replace


class ConcatError(NczError, ValueError):
    """Datasets that cannot be joined."""


def concatenated(
    datasets: Sequence[Dataset], names: Sequence[str], dimension: str, notify: Notify
) -> Dataset:
    """Join datasets along a dimension.

    Parameters
    ----------
    datasets
        The datasets, in order.
    names
        Their paths or URLs, for messages.
    dimension
        The name or the FQN of the dimension.
    notify
        Called with a notice of attributes of groups that differ; those of the first are kept.

    Returns
    -------
    Dataset
        The joined dataset. Variables without the dimension are those of the first dataset.

    Raises
    ------
    ConcatError
        If the dimension does not exist, or anything else differs.
    """
    along = dimension_named(datasets[0], dimension, names[0])
    for other, name in zip(datasets[1:], names[1:], strict=True):
        check_alike(datasets[0].root, other.root, along, name, notify)
    roots = [dataset.root for dataset in datasets]
    return replace(datasets[0], root=_join_groups(roots, "", along, names))


def dimension_named(dataset: Dataset, dimension: str, name: str) -> str:
    """Return the FQN of the dimension that a name or an FQN means.

    Raises `ConcatError` if it does not exist, or several have the name; `name` is the dataset's.
    """
    found = [fqn for fqn in dimensions_by_fqn(dataset.root) if _is_named(fqn, dimension)]
    if len(found) != 1:
        raise ConcatError(
            f"the dimension {dimension} " + ("is ambiguous" if found else "does not exist"),
            name,
            "give its full name, such as /group/time" if found else None,
        )
    return found[0]


def _is_named(fqn: str, dimension: str) -> bool:
    return fqn == dimension or fqn.rpartition("/")[2] == dimension


def check_alike(
    first: Group,
    other: Group,
    along: str,
    name: str,
    notify: Notify,
    ignored: Mapping[str, Collection[str]] = {},
) -> None:
    """Raise `ConcatError` for the first difference that cannot be joined.

    Parameters
    ----------
    first, other
        The roots of the first dataset and of another one.
    along
        The FQN of the dimension along which they are joined.
    name
        The name of the other dataset.
    notify
        Called with a notice of attributes of groups that differ.
    ignored
        The names of attributes that may differ, by the FQN of their variable.
    """
    ours, theirs = dict(walk(first)), dict(walk(other))
    _same(ours.keys(), theirs.keys(), "the groups", name)
    for fqn, group in ours.items():
        match = theirs[fqn]
        _same(_sizes(group, fqn, along), _sizes(match, fqn, along), "the dimensions", name)
        _same(group.types, match.types, "the types", name)
        mine = {variable.name: variable for variable in group.variables}
        yours = {variable.name: variable for variable in match.variables}
        _same(mine.keys(), yours.keys(), f"the variables of group {fqn or '/'}", name)
        for variable in group.variables:
            what = f"variable {join(fqn, variable.name)}"
            twin = yours[variable.name]
            _same(
                (variable.type, variable.dimensions),
                (twin.type, twin.dimensions),
                f"the type or the dimensions of {what}",
                name,
            )
            left_out = ignored.get(join(fqn, variable.name), ())
            attributes = [
                {a.name: (a.type, repr(a.values)) for a in v.attributes if a.name not in left_out}
                for v in (variable, twin)
            ]
            _same(attributes[0], attributes[1], f"the attributes of {what}", name)
            if along not in variable.dimensions and not _same_values(variable, twin):
                raise ConcatError(f"the values of {what} differ from those of the first", name)
        if {a.name: repr(a.values) for a in group.attributes} != {
            a.name: repr(a.values) for a in match.attributes
        }:
            notify(
                Notice(
                    "attributes-differ",
                    f"the attributes of group {fqn or '/'} differ from those of the first source,"
                    " which are kept",
                    name,
                )
            )


def _same(one: object, other: object, what: str, name: str) -> None:
    if one != other:
        raise ConcatError(f"{what} differ from those of the first source", name)


def _sizes(group: Group, fqn: str, along: str) -> dict[str, int | None]:
    """Return the sizes of the dimensions, without that of the one to join along."""
    return {d.name: None if join(fqn, d.name) == along else d.size for d in group.dimensions}


def _same_values(one: Variable, other: Variable) -> bool:
    """Return whether two variables have the same values, a chunk at a time."""
    import numpy as np

    ours, theirs = one.data, other.data
    if ours is None or theirs is None:
        return ours is theirs
    for index in ours.grid.indices():
        box = ours.grid.box(index)
        mine, yours = read_box(ours, box), read_box(theirs, box)
        if mine.dtype.kind == "O":
            if mine.tolist() != yours.tolist():
                return False
        elif not np.array_equal(mine, yours, equal_nan=mine.dtype.kind == "f"):
            return False
    return True


def _join_groups(groups: Sequence[Group], fqn: str, along: str, names: Sequence[str]) -> Group:
    first = groups[0]
    return replace(
        first,
        dimensions=tuple(
            _join_dimension(dimension, groups) if join(fqn, dimension.name) == along else dimension
            for dimension in first.dimensions
        ),
        variables=tuple(
            _join_variable([_named(group, variable.name) for group in groups], fqn, along, names)
            if along in variable.dimensions
            else variable
            for variable in first.variables
        ),
        groups=tuple(
            _join_groups(
                [next(g for g in group.groups if g.name == inner.name) for group in groups],
                join(fqn, inner.name),
                along,
                names,
            )
            for inner in first.groups
        ),
    )


def _join_dimension(dimension: Dimension, groups: Sequence[Group]) -> Dimension:
    sizes = (d.size for group in groups for d in group.dimensions if d.name == dimension.name)
    return replace(dimension, size=sum(sizes))


def _named(group: Group, name: str) -> Variable:
    return next(variable for variable in group.variables if variable.name == name)


def _join_variable(
    variables: Sequence[Variable], fqn: str, along: str, names: Sequence[str]
) -> Variable:
    first = variables[0]
    parts: list[ChunkSource] = []
    for variable, name in zip(variables, names, strict=True):
        if variable.data is None or first.dimensions.count(along) != 1:
            raise ConcatError(f"{join(fqn, first.name)} cannot be joined", name)
        parts.append(variable.data)
    return replace(first, data=join_arrays(parts, first.dimensions.index(along)))
