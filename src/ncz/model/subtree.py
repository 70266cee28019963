"""A group or a variable of a dataset as a separate dataset.

Dimensions and types that it uses of the groups above become its root's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ncz.model.tree import (
    Dataset,
    Dimension,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    parent,
    walk,
)
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, UserType, Vlen
from ncz.record import replace


def subtree_at(dataset: Dataset, fqn: str) -> Dataset:
    """Return a dataset whose root is a group of another dataset, or has one variable of it.

    Parameters
    ----------
    dataset
        The other dataset.
    fqn
        The FQN of the group or the variable.

    Returns
    -------
    Dataset
        The dataset. A dimension or a type of a group above keeps its name, with a number behind it
        if the new root has this name. The data of variables keep the types that they had.

    Raises
    ------
    KeyError
        If the dataset has no such group or variable.
    """
    groups = dict(walk(dataset.root))
    place = fqn
    if fqn in groups:
        group = replace(groups[fqn], name="")
    else:
        place = parent(fqn)
        named = {join(place, v.name): v for v in groups[place].variables} if place in groups else {}
        group = Group(variables=(named[fqn],))
    return replace(dataset, root=_NewNames(dataset, place, group).root)


class _NewNames:
    """The new names below the FQN `place`; `group` is the new root."""

    def __init__(self, dataset: Dataset, place: str, group: Group) -> None:
        self._start = f"{place}/"
        inside = [variable for _, each in walk(group) for variable in each.variables]
        attributes = [a for _, each in walk(group) for a in each.attributes]
        attributes += [a for variable in inside for a in variable.attributes]
        used = [*(variable.type for variable in inside), *(a.type for a in attributes)]
        own = {join(place + path, d.name) for path, each in walk(group) for d in each.dimensions}
        own_types = {t.name for _, each in walk(group) for t in each.types}
        lengths = dimensions_by_fqn(dataset.root)
        wanted = {fqn for variable in inside for fqn in variable.dimensions}
        dimensions = [fqn for fqn in lengths if fqn in wanted - own]
        wanted_types = {t.name for nc_type in used for t in _parts(nc_type)} - own_types
        types = [t for _, each in walk(dataset.root) for t in each.types if t.name in wanted_types]
        self._dimensions = _new_names(dimensions, {d.name for d in group.dimensions})
        taken = {base_name(t.name) for t in group.types}
        self._types = _new_names([t.name for t in types], taken)
        self._renamed = cache(self._type)
        above = tuple(self._dimension(fqn, lengths[fqn]) for fqn in dimensions)
        root = self._group(group)
        self.root = replace(
            root,
            types=(*map(self._user_type, types), *root.types),
            dimensions=(*above, *root.dimensions),
        )

    def _dimension(self, fqn: str, dimension: Dimension) -> Dimension:
        return replace(dimension, name=base_name(self._dimensions[fqn]))

    def _group(self, group: Group) -> Group:
        return replace(
            group,
            types=tuple(map(self._user_type, group.types)),
            variables=tuple(map(self._variable, group.variables)),
            attributes=tuple(replace(a, type=self._renamed(a.type)) for a in group.attributes),
            groups=tuple(map(self._group, group.groups)),
        )

    def _variable(self, variable: Variable) -> Variable:
        attributes = (replace(a, type=self._renamed(a.type)) for a in variable.attributes)
        dimensions = [self._name(self._dimensions, fqn) for fqn in variable.dimensions]
        axes = variable.axis_names
        if axes is not None and len(axes) == len(dimensions):
            pairs = zip(variable.dimensions, dimensions, axes, strict=True)
            axes = tuple(
                base_name(new) if axis == base_name(old) else axis for old, new, axis in pairs
            )
        return replace(
            variable,
            type=self._renamed(variable.type),
            dimensions=tuple(dimensions),
            axis_names=axes,
            attributes=tuple(attributes),
        )

    def _name(self, names: Mapping[str, str], fqn: str) -> str:
        return names.get(fqn) or f"/{fqn.removeprefix(self._start)}"

    def _user_type(self, user_type: UserType) -> UserType:
        renamed = self._renamed(user_type)
        assert not isinstance(renamed, Atomic)
        return renamed

    def _type(self, nc_type: NcType) -> NcType:
        if isinstance(nc_type, Atomic):
            return nc_type
        name = self._name(self._types, nc_type.name)
        match nc_type:
            case Opaque() | Enumeration():
                return replace(nc_type, name=name)
            case Vlen(base=base):
                return Vlen(name=name, base=self._renamed(base))
            case Compound(fields=fields):
                parts = (replace(field, type=self._renamed(field.type)) for field in fields)
                return Compound(name=name, fields=tuple(parts))


def _parts(nc_type: NcType) -> Iterator[UserType]:
    """Yield the user-defined types in a type, and the type itself if it is user-defined."""
    if isinstance(nc_type, Atomic):
        return
    yield nc_type
    if isinstance(nc_type, Vlen):
        yield from _parts(nc_type.base)
    elif isinstance(nc_type, Compound):
        for field in nc_type.fields:
            yield from _parts(field.type)


def _new_names(fqns: list[str], taken: set[str]) -> dict[str, str]:
    """Return new FQNs in the root for members of groups above, different from names `taken`."""
    names: dict[str, str] = {}
    for fqn in fqns:
        name = plain = base_name(fqn)
        number = 0
        while name in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name)
        names[fqn] = join("", name)
    return names
