"""Compare two datasets: everything that differs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.errors import NO_CALLBACKS, Callbacks, NczError, Progress
from ncz.model.single_precision import shortest_single
from ncz.model.tree import (
    Attribute,
    Dataset,
    Group,
    Variable,
    dimensions_by_fqn,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic, Enumeration, NcType
from ncz.transfer.compare_chunks import Step
from ncz.transfer.compare_digests import have_equal_digests
from ncz.transfer.compare_storage import storage_differences
from ncz.transfer.compare_values import ALL_VALUES, ValueComparison, value_differences
from ncz.transfer.difference import Difference, Kind

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


_PROVENANCE = frozenset({"_NCProperties"})
"""Attributes that a writer sets itself; one that is missing does not count."""


def differences(
    expected: Dataset,
    found: Dataset,
    pool: ThreadPool,
    *,
    with_data: frozenset[str] | None = None,
    only: frozenset[str] | None = None,
    metadata: bool = True,
    typed: bool = True,
    extra_attributes: bool = True,
    storage: bool = False,
    by_digests: bool = False,
    how: ValueComparison = ALL_VALUES,
    callbacks: Callbacks = NO_CALLBACKS,
) -> Iterator[Difference]:
    """Compare two datasets lazily, in bounded memory.

    Parameters
    ----------
    expected, found
        The datasets. Variables and groups are matched by their FQNs. The version of CF that a
        master of an aggregation names makes no difference.
    pool
        The threads that read and decode; its memory is the limit.
    with_data
        The FQNs of the variables whose values are compared; by default all.
    only
        The FQNs of the variables to compare, without groups, dimensions and other variables; by
        default everything is compared.
    metadata
        Whether to compare anything but the variables that exist, their shapes and their values.
    typed
        Whether to compare types, and the dimensions that groups declare. Pure Zarr contains
        neither.
    extra_attributes
        Whether attributes that only `found` has are differences.
    storage
        Whether to compare how variables are stored: chunks, shards, codecs and byte order.
    by_digests
        Whether digests of values that a store keeps are trusted. Only values that differ by them
        are compared.
    how
        How values are compared.
    callbacks
        Receives the number of values that were compared, and each error in the data of a variable.

    Yields
    ------
    Difference
        Differences of groups and variables, then for each variable differences of its metadata and
        of its values. The values of a variable are not compared if its shape differs.

    Raises
    ------
    NczError
        If data cannot be read.
    """
    if expected.provenance.aggregation is not None or found.provenance.aggregation is not None:
        from ncz.formats.aggregation.conventions import alike_but_for_conventions

        expected, found = alike_but_for_conventions(expected, found)
    ours, theirs = _variables(expected, only), _variables(found, only)
    yield from _names(ours, theirs, "missing-variable", "extra-variable")
    if only is None and metadata:
        yield from _groups(expected.root, found.root, typed, extra_attributes)
    lengths, found_lengths = dimensions_by_fqn(expected.root), dimensions_by_fqn(found.root)
    shapes = {fqn: shape_of(v, lengths) for fqn, v in ours.items() if fqn in theirs}
    callbacks.progress.expect(
        sum(math.prod(s) for fqn, s in shapes.items() if with_data is None or fqn in with_data),
        "values",
    )
    for fqn, variable in ours.items():
        if fqn not in theirs:
            continue
        shape, found_shape = shapes[fqn], shape_of(theirs[fqn], found_lengths)
        if shape != found_shape:
            yield Difference(kind="shape", fqn=fqn, expected=shape, found=found_shape)
        if metadata:
            yield from _variable(variable, theirs[fqn], fqn, typed, extra_attributes)
        if storage:
            yield from storage_differences(variable, theirs[fqn], fqn)
        if shape == found_shape and (with_data is None or fqn in with_data):
            step = _step(fqn, callbacks.progress)
            try:
                if by_digests and have_equal_digests(variable, theirs[fqn], shape, pool, step):
                    continue
                yield from value_differences(variable, theirs[fqn], fqn, shape, pool, how, step)
            except NczError as error:
                callbacks.on_error(error)


def _step(fqn: str, progress: Progress) -> Step:
    return lambda count: progress.advance(fqn, count, 0)


def _variables(dataset: Dataset, only: frozenset[str] | None) -> dict[str, Variable]:
    variables = variables_by_fqn(dataset.root)
    return {fqn: variable for fqn, variable in variables if only is None or fqn in only}


def _groups(expected: Group, found: Group, typed: bool, extra: bool) -> Iterator[Difference]:
    """Compare the groups, their attributes, and if `typed` their dimensions."""
    groups, found_groups = dict(walk(expected)), dict(walk(found))
    yield from _names(groups, found_groups, "missing-group", "extra-group")
    for fqn, group in groups.items():
        if fqn in found_groups:
            other = found_groups[fqn]
            yield from _attributes(group.attributes, other.attributes, fqn or "/", typed, extra)
            if typed:
                yield from _dimensions(group, other, fqn or "/")


def _names(
    ours: Mapping[str, object], theirs: Mapping[str, object], missing: Kind, extra: Kind
) -> Iterator[Difference]:
    yield from (Difference(kind=missing, fqn=fqn or "/") for fqn in ours if fqn not in theirs)
    yield from (Difference(kind=extra, fqn=fqn or "/") for fqn in theirs if fqn not in ours)


def _variable(
    ours: Variable, theirs: Variable, fqn: str, typed: bool, extra_attributes: bool
) -> Iterator[Difference]:
    if typed and ours.type != theirs.type:
        yield Difference(
            kind="type", fqn=fqn, expected=_type_name(ours.type), found=_type_name(theirs.type)
        )
    if typed and ours.dimensions != theirs.dimensions:
        yield Difference(
            kind="dimensions", fqn=fqn, expected=ours.dimensions, found=theirs.dimensions
        )
    yield from _attributes(ours.attributes, theirs.attributes, fqn, typed, extra_attributes)


def _type_name(nc_type: NcType) -> str:
    return str(getattr(nc_type, "word", None) or getattr(nc_type, "name", nc_type))


def _dimensions(ours: Group, theirs: Group, fqn: str) -> Iterator[Difference]:
    expected, found = {d.name: d for d in ours.dimensions}, {d.name: d for d in theirs.dimensions}
    for name, dimension in expected.items():
        if name not in found:
            yield Difference(kind="missing-dimension", fqn=fqn, name=name, expected=dimension)
        elif dimension != found[name]:
            yield Difference(
                kind="dimension", fqn=fqn, name=name, expected=dimension, found=found[name]
            )
    for name, dimension in found.items():
        if name not in expected:
            yield Difference(kind="extra-dimension", fqn=fqn, name=name, found=dimension)
    if expected.keys() == found.keys() and list(expected) != list(found):
        yield Difference(
            kind="dimension-order", fqn=fqn, expected=tuple(expected), found=tuple(found)
        )


def _attributes(
    ours: tuple[Attribute, ...], theirs: tuple[Attribute, ...], fqn: str, typed: bool, extra: bool
) -> Iterator[Difference]:
    expected, found = {a.name: a for a in ours}, {a.name: a for a in theirs}
    for name, attribute in expected.items():
        other = found.get(name)
        if other is None:
            if name not in _PROVENANCE:
                yield Difference(
                    kind="missing-attribute", fqn=fqn, name=name, expected=attribute.values
                )
        elif _texts(attribute, typed) != _texts(other, typed):
            yield Difference(
                kind="attribute",
                fqn=fqn,
                name=name,
                expected=_comparable_values(attribute, other.type),
                found=_comparable_values(other, attribute.type),
            )
        elif typed and attribute.type != other.type:
            yield Difference(
                kind="attribute-type",
                fqn=fqn,
                name=name,
                expected=_type_name(attribute.type),
                found=_type_name(other.type),
            )
    if extra:
        for name, attribute in found.items():
            if name not in expected and name not in _PROVENANCE:
                yield Difference(kind="extra-attribute", fqn=fqn, name=name, found=attribute.values)


def _comparable_values(attribute: Attribute, other: NcType) -> tuple[object, ...]:
    """Return the values with the digits that identify them in the type, if both have the same."""
    if attribute.type is other is Atomic.FLOAT:
        return tuple(map(shortest_single, attribute.values))
    return attribute.values


def _texts(attribute: Attribute, typed: bool) -> tuple[object, ...]:
    """Return the values in a form that does not depend on their type.

    If not `typed`, values of a user-defined type are the text that pure Zarr has instead.
    """
    if not typed and not isinstance(attribute.type, Atomic | Enumeration):
        from ncz.formats.zarr.documents.attributes import write_attribute

        return (write_attribute(attribute, typed=False),)
    if attribute.type is Atomic.CHAR:
        return (attribute.text,)
    values = ["" if v is None else v for v in attribute.values]
    if all(isinstance(v, str) for v in values):
        return ("".join(values),) if len(values) < 2 else tuple(values)
    return tuple(map(_with_equal_nan, values))


def _with_equal_nan(value: object) -> object:
    """Return a value with NaN, also within compounds and vlens, equal to itself.

    NIL is the empty string.
    """
    if value is None:
        return ""
    if isinstance(value, tuple | list):
        return tuple(map(_with_equal_nan, value))
    return "NaN" if isinstance(value, float) and math.isnan(value) else value
