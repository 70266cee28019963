"""Digests detect accidental changes of values and metadata."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ncz.cdl.reader import read_cdl
from ncz.digests.dataset import dataset_digests
from ncz.digests.sums import ZERO, Sums, box_sums
from ncz.digests.variable import variable_sums
from ncz.model.data import MemoryArray, Values
from ncz.model.tree import (
    Attribute,
    Dataset,
    Group,
    Variable,
    dimensions_by_fqn,
    each_group,
    each_variable,
    join,
    variables_by_fqn,
)
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.transfer.compare import differences
from tests.conftest import ROOT
from tests.digests.uncounted import any_counts
from tests.sampled import share_of
from tests.strategies import datasets

Generator = np.random.Generator

KINDS = ("u1", "i2", "i4", "f4", "f8", "i8")


def _array(rng: Generator) -> Values:
    """Return an array as data are: smooth fields, masks with few values, whole numbers."""
    shape = tuple(rng.integers(1, 40, int(rng.integers(1, 4))).tolist())
    dtype = KINDS[rng.integers(len(KINDS))]
    form = rng.integers(3)
    if form == 0:
        return np.asarray(np.add.reduce(np.indices(shape), 0) * rng.random()).astype(dtype)
    if form == 1:
        return (rng.random(shape) < 0.1).astype(dtype)
    return rng.integers(0, 100, shape).astype(dtype)


def flip(values: Values, rng: Generator) -> Values:
    """Change one bit."""
    data = bytearray(values.tobytes())
    data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    return np.frombuffer(bytes(data), values.dtype).reshape(values.shape)


def swap(values: Values, rng: Generator) -> Values:
    """Exchange two elements."""
    flat = values.reshape(-1).copy()
    a, b = rng.integers(flat.size, size=2)
    flat[[a, b]] = flat[[b, a]]
    return flat.reshape(values.shape)


def exchange(values: Values, rng: Generator) -> Values:
    """Exchange two rows, columns or layers."""
    axis = int(rng.integers(values.ndim))
    order = np.arange(values.shape[axis])
    a, b = rng.integers(values.shape[axis], size=2)
    order[[a, b]] = order[[b, a]]
    return np.take(values, order, axis)


def shift(values: Values, rng: Generator) -> Values:
    """Move all values along an axis."""
    return np.roll(values, int(rng.integers(1, 5)), int(rng.integers(values.ndim)))


def lose(values: Values, rng: Generator) -> Values:
    """Let a chunk be missing."""
    result = values.copy()
    start = [int(rng.integers(n)) for n in values.shape]
    result[tuple(slice(s, s + 8) for s in start)] = 0
    return result


def turn(values: Values, rng: Generator) -> Values:
    """Reverse an axis."""
    return np.flip(values, int(rng.integers(values.ndim)))


def add(values: Values, rng: Generator) -> Values:
    """Add one to all values."""
    with np.errstate(all="ignore"):
        return np.asarray(values + values.dtype.type(1))


def negate(values: Values, rng: Generator) -> Values:
    """Change the signs of two values."""
    result = values.copy().reshape(-1)
    with np.errstate(all="ignore"):
        for place in rng.integers(result.size, size=2):
            result[place] = -result[place]
    return result.reshape(values.shape)


def transpose(values: Values, rng: Generator) -> Values:
    """Read the values in another order, in the same shape."""
    return values.T.reshape(-1).reshape(values.shape)


def order_of_bytes(values: Values, rng: Generator) -> Values:
    """Read the values in the other byte order."""
    return values.byteswap()


ACCIDENTS: list[Callable[[Values, Generator], Values]] = [
    flip, swap, exchange, shift, lose, turn, add, negate, transpose, order_of_bytes,
]  # fmt: skip


def _sums(values: Values) -> Sums:
    return box_sums(values, (0,) * values.ndim)


@pytest.mark.parametrize("count", [2_000, pytest.param(40_000, marks=pytest.mark.long)])
def test_accidents_in_values_are_found(count: int) -> None:
    rng = np.random.default_rng(count)
    changed, done = 0, 0
    while changed < count:
        done += 1
        values = _array(rng)
        accident = ACCIDENTS[done % len(ACCIDENTS)]
        after = accident(values, rng)
        if np.array_equal(values, after, equal_nan=values.dtype.kind == "f"):
            assert _sums(values) == _sums(after)
            continue
        changed += 1
        assert _sums(values) != _sums(after), (accident.__name__, values)
    assert changed > done // 3


def _digest(dataset: Dataset) -> str:
    lengths = dimensions_by_fqn(dataset.root)
    with ThreadPool(1 << 26, 1) as pool:

        def sums_of(_: str, variable: Variable) -> Sums:
            shape = tuple(lengths[fqn].size for fqn in variable.dimensions)
            return variable_sums(variable, shape, pool)

        groups, _ = dataset_digests(dataset.root, lengths, sums_of)
    return groups["/"]


def _differ(one: Dataset, other: Dataset) -> bool:
    """Return whether two datasets differ in relevant parts; the page lists the others."""
    with ThreadPool(1 << 26, 1) as pool:
        return any_counts(differences(one, other, pool))


@given(datasets(), datasets())
@settings(max_examples=share_of(200), deadline=None)
def test_equal_just_if_nothing_differs(one: Dataset, other: Dataset) -> None:
    assert (_digest(one) == _digest(other)) == (not _differ(one, other))


Change = Callable[[Dataset, st.DataObject], Dataset]


def _of_one_variable(change: Callable[[Variable], Variable]) -> Change:
    def changed(dataset: Dataset, data: st.DataObject) -> Dataset:
        fqns = [fqn for fqn, _ in variables_by_fqn(dataset.root)]
        assume(fqns)
        chosen = data.draw(st.sampled_from(fqns))
        return each_variable(dataset, lambda f, v: change(v) if f == chosen else v)

    return changed


def _other_name(variable: Variable) -> Variable:
    return replace(variable, name=variable.name + "_")


def _other_type(variable: Variable) -> Variable:
    chosen = Atomic.INT64 if variable.type is Atomic.UINT64 else Atomic.UINT64
    return replace(variable, type=chosen, data=None)


def _fewer_attributes(variable: Variable) -> Variable:
    assume(variable.attributes)
    return replace(variable, attributes=variable.attributes[1:])


def _renamed_attribute(variable: Variable) -> Variable:
    assume(variable.attributes)
    first, *rest = variable.attributes
    return replace(variable, attributes=(replace(first, name=first.name + "_"), *rest))


def _renamed_dimension(dataset: Dataset, data: st.DataObject) -> Dataset:
    lengths = list(dimensions_by_fqn(dataset.root))
    assume(lengths)
    chosen = data.draw(st.sampled_from(lengths))

    def change(path: str, group: Group) -> Group:
        dimensions = tuple(
            replace(d, name=d.name + "_") if join(path, d.name) == chosen else d
            for d in group.dimensions
        )
        variables = tuple(
            replace(v, dimensions=tuple(f + "_" if f == chosen else f for f in v.dimensions))
            for v in group.variables
        )
        return replace(group, dimensions=dimensions, variables=variables)

    return each_group(dataset, change)


def _without_variable(dataset: Dataset, data: st.DataObject) -> Dataset:
    assume(dataset.root.variables)
    return replace(dataset, root=replace(dataset.root, variables=dataset.root.variables[1:]))


def _renamed_group(dataset: Dataset, data: st.DataObject) -> Dataset:
    assume(dataset.root.groups)
    first, *rest = dataset.root.groups
    assume(not any(v.dimensions for _, v in variables_by_fqn(first)))
    groups = (replace(first, name=first.name + "_"), *rest)
    return replace(dataset, root=replace(dataset.root, groups=groups))


CHANGES: list[Change] = [
    _of_one_variable(_other_name),
    _of_one_variable(_other_type),
    _of_one_variable(_fewer_attributes),
    _of_one_variable(_renamed_attribute),
    _renamed_dimension,
    _without_variable,
    _renamed_group,
]


@given(datasets(), st.sampled_from(CHANGES), st.data())
@settings(max_examples=share_of(300), deadline=None)
def test_changes_of_metadata_are_found(
    dataset: Dataset, change: Change, data: st.DataObject
) -> None:
    changed = change(dataset, data)
    assert _digest(changed) != _digest(dataset)


def _described(dataset: Dataset) -> str:
    """Return the digest of a dataset whose values are all zero."""
    lengths = dimensions_by_fqn(dataset.root)
    groups, _ = dataset_digests(dataset.root, lengths, lambda *_: ZERO)
    return groups["/"]


def _letters(name: str, rng: Generator) -> str:
    """Change, lose or add a letter of a name."""
    at, letter = int(rng.integers(len(name))), chr(97 + int(rng.integers(26)))
    before, after = name[:at], name[at + 1 :]
    forms = (before + letter + after, before + after or letter, before + letter + name[at:])
    return forms[rng.integers(3)]


def _other_attribute(attribute: Attribute, rng: Generator) -> Attribute:
    """Change the name, the type, or one value of an attribute."""
    kind = rng.integers(3)
    if kind == 0 or not attribute.values or not isinstance(attribute.type, Atomic):
        return replace(attribute, name=_letters(attribute.name, rng))
    is_text = attribute.type in (Atomic.CHAR, Atomic.STRING)
    if kind == 1:
        chosen = Atomic.STRING if attribute.type is Atomic.CHAR else Atomic.CHAR
        numbers = [t for t in Atomic if t.is_floating and t is not attribute.type]
        return replace(attribute, type=chosen if is_text else numbers[0])
    at, values = int(rng.integers(len(attribute.values))), list(attribute.values)
    number = 0 if values[at] else 1
    values[at] = _letters(values[at] or "a", rng) if is_text else number
    return replace(attribute, values=tuple(values))


def _changed_somewhere(dataset: Dataset, rng: Generator) -> Dataset:
    """Change one name, attribute or type."""
    variables = [fqn for fqn, _ in variables_by_fqn(dataset.root)]
    chosen = variables[rng.integers(len(variables))]
    kind = rng.integers(3)

    def change(fqn: str, variable: Variable) -> Variable:
        if fqn != chosen:
            return variable
        if kind == 0:
            return replace(variable, name=_letters(variable.name, rng))
        if kind == 1 or not variable.attributes:
            others = [each for each in Atomic if each is not variable.type]
            return replace(variable, type=others[rng.integers(len(others))])
        attributes = list(variable.attributes)
        at = int(rng.integers(len(attributes)))
        attributes[at] = _other_attribute(attributes[at], rng)
        return replace(variable, attributes=tuple(attributes))

    return each_variable(dataset, change)


@pytest.mark.parametrize("count", [2_000, pytest.param(40_000, marks=pytest.mark.long)])
def test_changes_of_one_name_attribute_or_type_are_found(count: int) -> None:
    rng = np.random.default_rng(count)
    examples = sorted((ROOT / "cdl_examples").glob("*.cdl"))
    read = [read_cdl(path.read_bytes(), source=path.name) for path in examples]
    datasets = [dataset for dataset in read if any(variables_by_fqn(dataset.root))]
    digests = [_described(dataset) for dataset in datasets]
    done = 0
    for number in range(count):
        at = number % len(datasets)
        changed = _changed_somewhere(datasets[at], rng)
        if changed == datasets[at]:
            continue
        done += 1
        assert _described(changed) != digests[at], (changed, datasets[at])
    assert done > 0.9 * count


def test_types_count():
    values = np.zeros((), "i4")
    found = set()
    for nc_type in (Atomic.INT, Atomic.UINT, Atomic.FLOAT):
        data = MemoryArray(values.astype(nc_type.dtype), nc_type)
        variable = Variable(name="v", type=nc_type, data=data)
        found.add(_digest(Dataset(name="d", root=Group(variables=(variable,)))))
    assert len(found) == 3


def test_other_order_of_declarations_does_not_count():
    one = Variable(name="a", type=Atomic.INT)
    other = Variable(name="b", type=Atomic.INT)
    first = Dataset(name="d", root=Group(variables=(one, other)))
    second = Dataset(name="e", root=Group(variables=(other, one)))
    assert _digest(first) == _digest(second)
