"""The part of a dataset that another one lacks, and the union of the two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ncz.commands.joining.agreement import differ_in_values
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.options import JoinOptions
from ncz.errors import option
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_variable,
    join,
    variables_by_fqn,
    walk,
)
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace

_OF_NUMBERS = ("_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned")
"""Attributes that change the meaning of the numbers of a variable."""


@record
class Part:
    """Additions to a dataset: new variables and groups, and attributes of existing ones.

    `attributes` are by the FQN of a variable or a group.
    """

    dataset: Dataset
    attributes: Mapping[str, tuple[Attribute, ...]]
    is_empty: bool


def part_to_add(old: Dataset, new: Dataset, name: str, pool: ThreadPool) -> Part:
    """Return the part of a dataset that is added to an existing one; equal variables stay.

    Parameters
    ----------
    old, new
        The existing dataset and the added one.
    name
        The name of the new dataset in messages.
    pool
        The threads that compare values.

    Raises
    ------
    JoinError
        If a dimension has another length, or a group is a variable in the other dataset.
    """
    _check_dimensions(old, new, name)
    _check_kinds(old.root, new.root, name)
    ours, theirs = (dict(variables_by_fqn(each.root)) for each in (old, new))
    alike = [fqn for fqn, v in theirs.items() if fqn in ours and _is_alike(ours[fqn], v)]
    same = {*alike} - differ_in_values(old, new, alike, JoinOptions(), pool)
    groups, known = dict(walk(new.root)), dict(walk(old.root))
    changed = {fqn: _new_attributes(ours[fqn].attributes, theirs[fqn].attributes) for fqn in same}
    changed |= {
        fqn: _new_attributes(known[fqn].attributes, group.attributes)
        for fqn, group in groups.items()
        if fqn in known
    }
    rest = _with_known_dimensions(
        replace(new, root=_filter(new.root, "", lambda fqn: fqn not in same)), old
    )
    changed = {fqn: attributes for fqn, attributes in changed.items() if attributes}
    dimensions = dimensions_by_fqn(new.root).keys() <= dimensions_by_fqn(old.root).keys()
    is_known = dimensions and groups.keys() <= known.keys() and theirs.keys() <= same
    return Part(rest, changed, is_empty=is_known and not changed)


def _new_attributes(old: Sequence[Attribute], new: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """Return the new attributes that differ from the old ones."""
    known = {*map(_text_of, old)}
    return tuple(each for each in new if _text_of(each) not in known)


def _text_of(attribute: Attribute) -> str:
    """Return an attribute as text, because NaN does not equal itself."""
    return repr((attribute.name, attribute.type, attribute.values))


def _with_known_dimensions(part: Dataset, old: Dataset) -> Dataset:
    """Return a part whose dimensions are as in the existing dataset, without unused ones of it."""
    known = dimensions_by_fqn(old.root)
    used = {fqn for _, v in variables_by_fqn(part.root) for fqn in v.dimensions}

    def group_of(group: Group, path: str) -> Group:
        fqns = {join(path, d.name): d for d in group.dimensions}
        return replace(
            group,
            dimensions=tuple(
                replace(known.get(fqn, d)) for fqn, d in fqns.items()
                if fqn in used or fqn not in known
            ),
            groups=tuple(group_of(g, join(path, g.name)) for g in group.groups),
        )  # fmt: skip

    return replace(part, root=group_of(part.root, ""))


def _check_dimensions(old: Dataset, new: Dataset, name: str) -> None:
    ours = dimensions_by_fqn(old.root)
    for fqn, dimension in dimensions_by_fqn(new.root).items():
        if fqn in ours and ours[fqn].size != dimension.size:
            raise JoinError(
                f"the dimension {fqn} has length {dimension.size}, but {ours[fqn].size} in the"
                " existing dataset",
                name,
                f"to make the dataset longer, use {option('append', base_name(fqn))}",
            )


def _check_kinds(old: Group, new: Group, name: str, path: str = "") -> None:
    """Raise `JoinError` for a name of a variable in one dataset and of a group in the other."""
    ours, theirs = ({each.name for each in group.variables} for group in (old, new))
    taken = (ours & {g.name for g in new.groups}) | (theirs & {g.name for g in old.groups})
    if taken:
        raise JoinError(
            f"{join(path, min(taken))} is a variable in one of the datasets, and a group in the"
            " other",
            name,
            f"rename it, or leave it out with {option('exclude', min(taken))}",
        )
    known = {group.name: group for group in old.groups}
    for group in new.groups:
        if group.name in known:
            _check_kinds(known[group.name], group, name, join(path, group.name))


def _is_alike(old: Variable, new: Variable) -> bool:
    """Return whether two variables can be the same, except for descriptive attributes."""
    is_time = " since " in old.text("units") and new.attribute("units") is not None
    names = (*_OF_NUMBERS, "units") if is_time else _OF_NUMBERS
    changed = _new_attributes(old.attributes, new.attributes)
    return (old.type, old.dimensions) == (new.type, new.dimensions) and not any(
        each.name in names for each in changed
    )


def _filter(group: Group, path: str, is_kept: Callable[[str], bool]) -> Group:
    return replace(
        group,
        variables=tuple(v for v in group.variables if is_kept(join(path, v.name))),
        groups=tuple(_filter(g, join(path, g.name), is_kept) for g in group.groups),
    )


def with_part(old: Dataset, part: Part) -> Dataset:
    """Return a dataset with the additions: variables replace variables of the same name."""
    dataset = each_variable(old, lambda fqn, v: _with_attributes(v, part.attributes.get(fqn, ())))
    return replace(dataset, root=_with_group(dataset.root, part.dataset.root))


def _with_attributes(variable: Variable, attributes: Sequence[Attribute]) -> Variable:
    return replace(variable, attributes=_unite(variable.attributes, attributes))


def _with_group(old: Group, new: Group) -> Group:
    groups = {group.name: group for group in old.groups}
    for group in new.groups:
        known = groups.get(group.name)
        groups[group.name] = group if known is None else _with_group(known, group)
    return replace(
        old,
        types=(*old.types, *(t for t in new.types if t not in old.types)),
        dimensions=_unite(new.dimensions, old.dimensions),
        variables=_unite(old.variables, new.variables),
        attributes=_unite(old.attributes, new.attributes),
        groups=tuple(groups.values()),
    )


_Member = TypeVar("_Member", bound=Attribute | Dimension | Variable)


def _unite(old: Sequence[_Member], new: Sequence[_Member]) -> tuple[_Member, ...]:
    """Return records of both; new ones replace old ones of the same name."""
    return tuple({each.name: each for each in (*old, *new)}.values())
