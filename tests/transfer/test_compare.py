"""Differences between datasets: each is found, named, and found lazily."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from ncz.model.data import ChunkSource, MemoryArray
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.transfer.compare import differences
from ncz.transfer.compare_values import ValueComparison
from ncz.transfer.difference import Difference, difference_error
from tests.transfer.test_move import stored


def attribute(name, *values, nc_type=Atomic.INT):
    return Attribute(name=name, type=nc_type, values=values)


def variable(name="v", values=(1.0, 2.0), **changes):
    array = MemoryArray(np.array(values), Atomic.DOUBLE)
    return replace(
        Variable(name=name, type=Atomic.DOUBLE, dimensions=("/x",), data=array), **changes
    )


def dataset(*variables, x=2, **changes):
    root = Group(dimensions=(Dimension(name="x", size=x),), variables=variables or (variable(),))
    return Dataset(name="d", root=replace(root, **changes))


def found(expected, other, **options):
    with ThreadPool(1 << 20, 1) as pool:
        return list(differences(expected, other, pool, **options))


def test_a_dataset_equals_itself():
    nan = variable(values=(np.nan, 1.0), attributes=(attribute("a", 1),))
    assert found(dataset(nan), dataset(nan)) == []


def test_nuls_at_the_end_of_a_text_are_no_difference():
    ours = dataset(attributes=(attribute("a", "m\0", nc_type=Atomic.CHAR),))
    theirs = dataset(attributes=(attribute("a", "m", nc_type=Atomic.CHAR),))
    assert found(ours, theirs) == found(theirs, ours) == []


@pytest.mark.parametrize(
    ("ours", "theirs", "kind", "text"),
    [
        (dataset(), dataset(groups=(Group(name="g"),)), "extra-group", "group /g is not expected"),
        (dataset(groups=(Group(name="g"),)), dataset(), "missing-group", "group /g is missing"),
        (dataset(), dataset(variable(), variable("w")), "extra-variable", "variable /w is not"),
        (dataset(variable(), variable("w")), dataset(), "missing-variable", "/w is missing"),
        (
            dataset(attributes=(attribute("a", 1),)),
            dataset(),
            "missing-attribute",
            "attribute a of / is missing",
        ),
        (
            dataset(),
            dataset(variable(attributes=(attribute("a", 1),))),
            "extra-attribute",
            "attribute a of /v is not expected",
        ),
        (
            dataset(attributes=(attribute("a", 1),)),
            dataset(attributes=(attribute("a", 2),)),
            "attribute",
            "attribute a of / differs",
        ),
        (
            dataset(attributes=(attribute("a", 1),)),
            dataset(attributes=(attribute("a", 1, nc_type=Atomic.INT64),)),
            "attribute-type",
            "the type of attribute a of / differs",
        ),
        (
            dataset(),
            dataset(dimensions=(Dimension(name="x", size=2), Dimension(name="y", size=1))),
            "extra-dimension",
            "dimension y of / is not expected",
        ),
        (
            dataset(dimensions=(Dimension(name="x", size=2), Dimension(name="y", size=1))),
            dataset(),
            "missing-dimension",
            "dimension y of / is missing",
        ),
        (
            dataset(),
            dataset(dimensions=(Dimension(name="x", size=2, unlimited=True),)),
            "dimension",
            "dimension x of / differs",
        ),
        (
            dataset(dimensions=(Dimension(name="x", size=2), Dimension(name="y", size=1))),
            dataset(dimensions=(Dimension(name="y", size=1), Dimension(name="x", size=2))),
            "dimension-order",
            "the order of the dimensions of / differs",
        ),
        (dataset(), dataset(variable(values=(1.0, 3.0))), "value", "/v: [1] is 3.0, not 2.0"),
    ],
    ids=lambda p: p if isinstance(p, str) else "",
)
def test_one_difference_of_each_kind(ours, theirs, kind, text):
    (difference,) = found(ours, theirs)
    assert difference.kind == kind
    assert text in str(difference_error(difference, "x.zarr"))


def test_shapes_and_types_come_before_values():
    kinds = [d.kind for d in found(dataset(), dataset(variable(values=(1.0,)), x=1))]
    assert kinds == ["dimension", "shape"]
    ints = MemoryArray(np.array([1, 5], "i4"), Atomic.INT)
    listed = found(dataset(), dataset(variable(type=Atomic.INT, data=ints)))
    assert [d.kind for d in listed] == ["type", "value"]
    assert listed[1] == Difference(kind="value", fqn="/v", index=(1,), expected=2.0, found=5)


def test_parts_that_pure_zarr_lacks_can_be_omitted():
    ours = dataset(attributes=(attribute("a", 1),))
    theirs = dataset(
        attributes=(attribute("a", 1, nc_type=Atomic.INT64), attribute("b", 1)),
        dimensions=(Dimension(name="x", size=2, unlimited=True),),
    )
    assert found(ours, theirs, typed=False, extra_attributes=False) == []
    changed = dataset(variable(values=(0.0, 0.0)))
    assert found(dataset(), changed, with_data=frozenset()) == []


@pytest.mark.parametrize(
    ("chunks", "order", "missing", "places"),
    [
        ((3, 2), "F", {(1, 1)}, [(i, j) for i in (3, 4) for j in (2, 3)]),
        # Chunks of the same form are compared by their bytes first.
        ((2, 3), "C", {(0, 0), (2, 2)}, [(i, j) for i in (0, 1) for j in (0, 1, 2)] + [(4, 6)]),
    ],
)
@pytest.mark.parametrize("raw", [False, True])
def test_every_element_of_stored_chunks_is_compared(chunks, order, missing, places, raw):
    """Elements are compared for any chunks; a missing chunk is fill."""
    source = stored((5, 7), (2, 3), "C", ())
    other = stored((5, 7), chunks, order, (), missing=missing)
    x, y = Dimension(name="x", size=5), Dimension(name="y", size=7)
    ours, theirs = (
        Dataset(
            name="d",
            root=Group(
                dimensions=(x, y),
                variables=(
                    Variable(name="v", type=Atomic.INT, dimensions=("/x", "/y"), data=data),
                ),
            ),
        )
        for data in (source, other)
    )
    told = found(ours, theirs, how=ValueComparison(raw=raw))
    assert [(d.index, d.expected, d.found) for d in told] == [
        ((i, j), 7 * i + j, -7) for i, j in places
    ]


def test_nan_in_a_field_is_equal():
    values = np.array([(1.0, np.nan), (2.0, 0.0)], [("real", "f4"), ("imag", "f4")])
    other = values.copy()
    other["imag"][1] = 1
    ours, theirs = (dataset(variable(data=MemoryArray(v, Atomic.DOUBLE))) for v in (values, other))
    assert [d.index for d in found(ours, theirs)] == [(1,)]


def test_values_are_compared_on_request():
    read: list[int] = []

    class Different(ChunkSource):
        grid = MemoryArray(np.zeros(2), Atomic.DOUBLE, (1,)).grid
        type = Atomic.DOUBLE
        fill = None

        def values_of(self, indices):
            return [self._values(index) for index in indices]

        def _values(self, index):
            read.append(index[0])
            return np.zeros(1)

    ours = dataset(variable("a"), variable("b"))
    theirs = dataset(variable("a", data=Different()), variable("b", data=Different()))
    with ThreadPool(1 << 20, 1) as pool:
        (first,) = islice(differences(ours, theirs, pool), 1)
    assert (first.fqn, read) == ("/a", [0, 1])


def test_the_text_of_a_difference_names_its_variable():
    (of_values,) = found(dataset(), dataset(variable(values=(1.0, 3.0))))
    assert str(of_values) == "/v[1] is 3.0, not 2.0"
    assert str(Difference(kind="values", fqn="/v", count=1, size=2)) == ("/v: 1 of 2 values differ")
    assert str(Difference(kind="extra-attribute", fqn="/v", name="a")).count("/v") == 1
