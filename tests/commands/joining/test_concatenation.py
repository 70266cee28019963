"""Structures of CF and UGRID are unchanged after they are cut in two and joined again."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ncz.commands.joining.concatenation import concatenate
from ncz.commands.joining.options import JoinOptions
from ncz.errors import NO_CALLBACKS
from ncz.model.data import MemoryArray, read_all
from ncz.model.subset import subset
from ncz.model.tree import Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from tests.model.test_positions import (
    cut,
    dataset,
    decoded,
    meshes,
    ragged,
    stations_of,
    values_of,
    variable,
)
from tests.sampled import share_of

EXAMPLES = share_of(60)


def joined_again(source: Dataset, dimension: str, at: int) -> Dataset:
    """Return two parts of a dataset as one."""
    length = next(d.size for d in source.root.dimensions if d.name == dimension)
    halves = [range(at), range(at, length)]
    parts = [cut(source, **{dimension: list(half)}).dataset for half in halves]
    with ThreadPool(16 << 20, 1) as pool:
        options = JoinOptions()
        return concatenate(parts, ["a", "b"], dimension, options, pool, NO_CALLBACKS)


@given(st.data(), st.lists(st.integers(0, 3), min_size=2, max_size=5))
@settings(max_examples=EXAMPLES)
def test_stations_and_counted_samples(data, sizes):
    source = ragged("contiguous", sizes, [])
    whole = joined_again(source, "station", data.draw(st.integers(1, len(sizes) - 1)))
    assert stations_of(values_of(whole)) == stations_of(values_of(source))


@given(st.data(), st.integers(2, 4))
@settings(max_examples=EXAMPLES)
def test_stations_and_indexed_samples(data, count):
    owners = data.draw(st.lists(st.integers(0, count - 1), max_size=8))
    source = ragged("indexed", [0] * count, owners, padding=len(owners))
    whole = joined_again(source, "station", data.draw(st.integers(1, count - 1)))
    assert stations_of(values_of(whole)) == stations_of(values_of(source))


@given(st.data(), st.integers(1, 4), st.integers(2, 4), st.sampled_from("yx"))
@settings(max_examples=EXAMPLES)
def test_gathered_points(data, rows, columns, along):
    points = data.draw(st.lists(st.integers(0, rows * columns - 1), unique=True))
    source = dataset(
        variable("y", "y", np.arange(rows)),
        variable("x", "x", np.arange(columns)),
        variable("land", "land", np.array(points, "i4"), compress="y x"),
        variable("v", "land", np.arange(len(points)) + 1),
    )
    length = rows if along == "y" else columns
    assume(length > 1)
    found = values_of(joined_again(source, along, data.draw(st.integers(1, length - 1))))
    field, expected = np.zeros((2, rows * columns), int)
    field[found["land"]] = found["v"]
    expected[points] = np.arange(len(points)) + 1
    assert field.tolist() == expected.tolist()


@given(st.data(), meshes())
@settings(max_examples=EXAMPLES)
def test_faces(data, mesh):
    faces, _, _ = decoded(mesh)
    assume(len(faces) > 1)
    whole = joined_again(mesh, "face", data.draw(st.integers(1, len(faces) - 1)))
    assert decoded(whole)[0] == faces


@given(st.data(), st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=2))
@settings(max_examples=EXAMPLES)
def test_geometries(data, parts):
    sizes = [size for each in parts for size in each]
    source = dataset(
        variable(
            "shape",
            "",
            0,
            geometry_type="line",
            node_coordinates="x",
            node_count="nodes",
            part_node_count="sizes",
        ),
        variable("x", "node", np.arange(sum(sizes)) + 0.5),
        variable("nodes", "instance", [sum(each) for each in parts]),
        variable("sizes", "part", sizes),
    )
    found = values_of(joined_again(source, "instance", data.draw(st.integers(1, len(parts) - 1))))
    for name, values in values_of(source).items():
        np.testing.assert_array_equal(found[name], values)


@given(
    st.lists(st.integers(0, 12), max_size=5).map(sorted),
    st.randoms(),
    st.integers(1, 5),
    st.booleans(),
)
def test_parts_that_are_joined_are_the_whole(cuts, random, chunk, alternates):
    time = np.arange(12) * 2.5
    v = np.arange(24, dtype="f4").reshape(12, 2)
    whole = Dataset(
        name="w",
        root=Group(
            dimensions=(Dimension(name="t", size=12), Dimension(name="x", size=2)),
            variables=(
                of("t", ("/t",), MemoryArray(time, Atomic.DOUBLE, (chunk,))),
                of("v", ("/t", "/x"), MemoryArray(v, Atomic.FLOAT, (chunk, 1))),
                of("x", ("/x",), MemoryArray(np.array([1, 2], "i4"), Atomic.INT)),
            ),
        ),
    )
    borders = [0, *cuts, 12]
    ranges = [range(a, b) for a, b in itertools.pairwise(borders)]
    if alternates:
        ranges = [range(n, 12, 3) for n in range(3)]
    random.shuffle(ranges)
    parts = [subset(whole, {"/t": r}) for r in ranges]
    names = list(map(str, ranges))
    with ThreadPool(1 << 20, 1) as pool:
        options = JoinOptions(sort=True)
        found = concatenate(parts, names, "t", options, pool, NO_CALLBACKS)
    assert [d.size for d in found.root.dimensions] == [12, 2]
    for one, other in zip(found.root.variables, whole.root.variables, strict=True):
        assert one.data is not None
        assert other.data is not None
        assert read_all(one.data).tolist() == read_all(other.data).tolist()


def of(name: str, dimensions: tuple[str, ...], data: MemoryArray) -> Variable:
    return Variable(name=name, type=data.type, dimensions=dimensions, data=data)
