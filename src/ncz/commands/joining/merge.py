"""Merge datasets that have different variables over the same dimensions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from ncz.commands.joining.agreement import Agreement, mask_notices
from ncz.commands.joining.conversion import converter
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import Numbers, numbers_of
from ncz.commands.joining.options import JoinOptions
from ncz.errors import Notify, list_names, option
from ncz.late import numpy as np
from ncz.model.data import SLAB, ChunkSource, read_box
from ncz.model.grid import slabs
from ncz.model.mapped_source import converted_source
from ncz.model.packing import MASKS
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    dimensions_by_fqn,
    each_variable,
    join,
    variables_by_fqn,
    walk,
)
from ncz.record import replace
from ncz.transfer.joined_values import CompletedValues

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


def merge(
    datasets: Sequence[Dataset],
    names: Sequence[str],
    options: JoinOptions,
    pool: ThreadPool,
    notify: Notify,
) -> Dataset:
    """Return one dataset with the groups, dimensions and variables of several.

    Parameters
    ----------
    datasets
        The datasets; the first one that has something provides it.
    names
        Their paths or URLs, for messages.
    options
        What to do about attributes that differ.
    pool
        The threads that compare values; its memory is the limit.
    notify
        Receives a notice of attributes of groups that differ.

    Raises
    ------
    JoinError
        If a dimension, a type or a variable of several datasets is not the same in all of them.
    """
    result = datasets[0]
    for number, (other, name) in enumerate(zip(datasets[1:], names[1:], strict=True), 1):
        label = list_names(names[:number], 2)
        _check_dimensions(result, other, label, name)
        result, other = _complete(result, other, options, name, notify)
        ours, theirs = _common(result, other), _common(other, result)
        agreement = Agreement(ours, label, (), options, pool)
        agreement.add(theirs, name)
        agreement.report(notify)
        known = {fqn for fqn, _ in variables_by_fqn(ours.root)}
        combined = each_variable(
            result,
            lambda fqn, v: (
                replace(v, attributes=agreement.attributes(fqn)) if fqn in known else v  # noqa: B023
            ),
        )
        root = _merged_group(combined.root, other.root, "", agreement, name)
        result = _with_common_times(replace(result, root=root), other, known)
    return result


def _check_dimensions(ours: Dataset, theirs: Dataset, label: str, name: str) -> None:
    known = dimensions_by_fqn(ours.root)
    for fqn, dimension in dimensions_by_fqn(theirs.root).items():
        if fqn in known and known[fqn].size != dimension.size:
            raise JoinError(
                f"dimension {fqn} has the length {dimension.size}, but {known[fqn].size} in"
                f" {label}",
                name,
                f"to join the sources along it, use {option('concat', dimension.name)}",
            )


def _complete(
    ours: Dataset, theirs: Dataset, options: JoinOptions, name: str, notify: Notify
) -> tuple[Dataset, Dataset]:
    """Return two datasets whose common variables take missing values from the other.

    Values that neither misses stay unchanged, so that conflicts are found. The second one gets the
    masks of the first.
    """
    mine, others = dict(variables_by_fqn(ours.root)), dict(variables_by_fqn(theirs.root))
    known, found = numbers_of(ours.root), numbers_of(theirs.root)
    masked = []
    for fqn in sorted((mine.keys() & others.keys()) & (known.keys() & found.keys())):
        numbers, own, first = known[fqn], found[fqn], mine[fqn].data
        second = _with_masks_of(numbers, own, others[fqn].data, options)
        if first is None or second is None or first.grid.shape != second.grid.shape:
            continue
        if not (numbers.fill is None or _miss_the_same(first, second, numbers)):
            masked += [fqn] if own.mask_set != numbers.mask_set else []
            mine[fqn] = replace(mine[fqn], data=CompletedValues(first, second, numbers.missing))
            attributes = (
                *(a for a in others[fqn].attributes if a.name not in MASKS),
                *(a for a in mine[fqn].attributes if a.name in MASKS),
            )
            data = CompletedValues(second, first, numbers.missing)
            others[fqn] = replace(others[fqn], attributes=attributes, data=data)
    if options.attributes is None:
        for notice in mask_notices(masked, "the first source", [name]):
            notify(notice)
    return (
        each_variable(ours, lambda fqn, _: mine[fqn]),
        each_variable(theirs, lambda fqn, _: others[fqn]),
    )


def _with_masks_of(
    numbers: Numbers, own: Numbers, data: ChunkSource | None, options: JoinOptions
) -> ChunkSource | None:
    """Return data with the masks of other numbers; None if more than the masks differs."""
    if data is None or converter(replace(own, packing=numbers.packing), numbers) is not None:
        return None
    packing = own.packing
    if replace(packing, masks=()) != replace(numbers.packing, masks=()):
        return None
    convert = converter(own, numbers)
    if convert is None:
        return data
    if options.attributes == "identical":
        return None
    return converted_source(data, numbers.type, convert)


def _miss_the_same(ours: ChunkSource, theirs: ChunkSource, numbers: Numbers) -> bool:
    """Return whether two arrays of one shape miss the same values."""
    for box in slabs(ours.grid, SLAB):
        one, other = (numbers.missing(read_box(source, box)) for source in (ours, theirs))
        if one is None and other is None:
            continue
        if one is None or other is None or not np.array_equal(one, other):
            return False
    return True


def _common(dataset: Dataset, other: Dataset) -> Dataset:
    """Return the groups, dimensions, types and variables that another dataset has too."""
    groups = dict(walk(other.root))

    def keep(group: Group, path: str) -> Group:
        match = groups[path]
        names = [
            {each.name for each in some}
            for some in (match.dimensions, match.types, match.variables, match.groups)
        ]
        return replace(
            group,
            dimensions=tuple(d for d in group.dimensions if d.name in names[0]),
            types=tuple(t for t in group.types if t.name in names[1]),
            variables=tuple(v for v in group.variables if v.name in names[2]),
            groups=tuple(keep(g, join(path, g.name)) for g in group.groups if g.name in names[3]),
        )

    return replace(dataset, root=keep(dataset.root, ""))


def _merged_group(ours: Group, theirs: Group, path: str, agreement: Agreement, name: str) -> Group:
    def more(mine: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
        known = {each.name for each in mine}
        return (*mine, *(each for each in others if each.name not in known))

    types = {each.name: each for each in ours.types}
    for each in theirs.types:
        if types.get(each.name, each) != each:
            raise JoinError(f"the type {each.name} differs", name)
    inner = {each.name: each for each in theirs.groups}
    groups = [
        _merged_group(each, inner[each.name], join(path, each.name), agreement, name)
        if each.name in inner
        else each
        for each in ours.groups
    ]
    variables = more(ours.variables, theirs.variables)
    clash = {v.name for v in variables} & {g.name for g in (*groups, *theirs.groups)}
    if clash:
        raise JoinError(f"{join(path, min(clash))} is a group here and a variable there", name)
    return replace(
        ours,
        dimensions=more(ours.dimensions, theirs.dimensions),
        types=more(ours.types, theirs.types),
        attributes=agreement.attributes(path or "/"),
        variables=variables,
        groups=more(groups, theirs.groups),
    )


def _with_common_times(result: Dataset, other: Dataset, known: Collection[str]) -> Dataset:
    """Return a merged dataset where bounds without units have their coordinate's units.

    The coordinate may be in another dataset, with other units.
    """
    now, before = numbers_of(result.root), numbers_of(other.root)

    def convert_times(fqn: str, variable: Variable) -> Variable:
        if fqn in known or fqn not in before or variable.data is None:
            return variable
        convert = converter(before[fqn], replace(before[fqn], times=now[fqn].times))
        if convert is None:
            return variable
        return replace(variable, data=converted_source(variable.data, variable.type, convert))

    return each_variable(result, convert_times)
