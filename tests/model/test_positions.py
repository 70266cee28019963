"""Cut structures of CF and UGRID match numpy, after decoding.

A ragged array is decoded as the samples of each station, a mesh as the coordinates of each face,
gathered points as the field over their grid, and geometries as the coordinates of each part.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ncz.model.data import MemoryArray, read_all
from ncz.model.positions import FollowedSubset, PositionError, followed_subset
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import replace
from tests.sampled import share_of

TYPES = {np.dtype(t.dtype): t for t in Atomic if t.kind in "iuf"}
EXAMPLES = share_of(150)


def variable(name: str, dimensions: str, values: Any, **attributes: Any) -> Variable:
    """Return a variable over dimensions of the root, whose names are separated by blanks."""
    values = np.asarray(values)
    nc_type = TYPES[values.dtype]
    return Variable(
        name=name,
        type=nc_type,
        dimensions=tuple(f"/{d}" for d in dimensions.split()),
        data=MemoryArray(values, nc_type, tuple(max(1, n // 2) for n in values.shape)),
        attributes=tuple(
            Attribute(name=k, type=Atomic.CHAR if isinstance(v, str) else nc_type, values=(v,))
            for k, v in attributes.items()
        ),
    )


def dataset(*variables: Variable) -> Dataset:
    sizes: dict[str, int] = {}
    for each in variables:
        assert each.data is not None
        sizes.update(zip(each.dimensions, each.data.grid.shape, strict=True))
    dimensions = tuple(Dimension(name=fqn[1:], size=size) for fqn, size in sizes.items())
    return Dataset(name="d", root=Group(dimensions=dimensions, variables=variables))


def values_of(part: Dataset | FollowedSubset) -> dict[str, np.ndarray]:
    root = part.dataset.root if isinstance(part, FollowedSubset) else part.root
    sizes = {f"/{d.name}": d.size for d in root.dimensions}
    found = {}
    for fqn, each in variables_by_fqn(root):
        if each.data is not None:
            found[fqn[1:]] = read_all(each.data)
            assert found[fqn[1:]].shape == tuple(sizes[d] for d in each.dimensions)
    return found


def cut(source: Dataset, **selected: Any) -> FollowedSubset:
    """Return the subset of the indices of some dimensions."""
    return followed_subset(source, {f"/{k}": np.asarray(v, int) for k, v in selected.items()})


@st.composite
def some(draw: st.DrawFn, length: int, *, ordered: bool = True) -> list[int] | None:
    """Draw some indices of a dimension, or None for all of them."""
    if draw(st.booleans()):
        return None
    found = draw(st.lists(st.integers(0, length - 1), unique=True)) if length else []
    return sorted(found) if ordered else found


def given_ones(**selected: list[int] | None) -> dict[str, list[int]]:
    return {name: indices for name, indices in selected.items() if indices is not None}


def whole(indices: list[int] | None, length: int) -> list[int]:
    return [*range(length)] if indices is None else indices


# Ragged arrays.


def ragged(kind: str, sizes: list[int], owners: list[int], padding: int = 0) -> Dataset:
    """Return samples of stations; `owners` has the station of each sample if it is indexed."""
    stations = variable("name", "station", np.arange(len(sizes)) + 100)
    count = sum(sizes) + padding
    samples = variable("t", "obs", np.arange(count) / 2)
    if kind == "contiguous":
        return dataset(stations, samples, variable("row", "station", sizes, sample_dimension="obs"))
    index = variable("index", "obs", np.array(owners, "i4"), instance_dimension="station")
    return dataset(stations, samples, index)


def stations_of(found: dict[str, np.ndarray]) -> list[tuple[int, list[float]]]:
    names, samples = found["name"].tolist(), found["t"]
    if "row" in found:
        ends = np.cumsum(found["row"])
        assert ends[-1] == samples.size if ends.size else not samples.size
        parts = np.split(samples, ends[:-1]) if ends.size else []
        return [(n, part.tolist()) for n, part in zip(names, parts, strict=True)]
    return [(n, samples[found["index"] == i].tolist()) for i, n in enumerate(names)]


@given(st.data(), st.lists(st.integers(0, 3), min_size=1, max_size=5))
@settings(max_examples=EXAMPLES)
def test_contiguous_ragged_arrays(data, sizes):
    total = sum(sizes)
    stations = data.draw(some(len(sizes), ordered=False))
    samples = data.draw(some(total))
    source = ragged("contiguous", sizes, [])
    owners = np.repeat(np.arange(len(sizes)), sizes)
    part = cut(source, **given_ones(station=stations, obs=samples))
    assert stations_of(values_of(part)) == [
        (s + 100, [i / 2 for i in whole(samples, total) if owners[i] == s])
        for s in whole(stations, len(sizes))
    ]


@given(st.data(), st.integers(1, 4))
@settings(max_examples=EXAMPLES)
def test_indexed_ragged_arrays(data, count):
    owners = data.draw(st.lists(st.integers(-1, count - 1), max_size=8))
    stations = data.draw(some(count, ordered=False))
    samples = data.draw(some(len(owners), ordered=False))
    source = ragged("indexed", [0] * count, owners, padding=len(owners))
    part = cut(source, **given_ones(station=stations, obs=samples))
    assert stations_of(values_of(part)) == [
        (s + 100, [i / 2 for i in whole(samples, len(owners)) if owners[i] == s])
        for s in whole(stations, count)
    ]


@given(st.data(), st.lists(st.integers(0, 3), min_size=1, max_size=5))
@settings(max_examples=EXAMPLES)
def test_profiles_of_stations(data, sizes):
    """Profiles are indexed by station, and their samples are counted."""
    owners = data.draw(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)))
    source = dataset(
        variable("name", "station", np.arange(3)),
        variable("index", "profile", owners, instance_dimension="station"),
        variable("row", "profile", sizes, sample_dimension="obs"),
        variable("t", "obs", np.arange(sum(sizes))),
    )
    stations = data.draw(some(3, ordered=False))
    profiles = data.draw(some(len(sizes), ordered=False))
    found = values_of(cut(source, **given_ones(station=stations, profile=profiles)))
    starts = np.cumsum([0, *sizes])
    kept = [p for p in whole(profiles, len(sizes)) if owners[p] in whole(stations, 3)]
    assert found["name"][found["index"]].tolist() == [owners[p] for p in kept]
    assert found["row"].tolist() == [sizes[p] for p in kept]
    expected = [i for p in kept for i in range(starts[p], starts[p + 1])]
    assert found["t"].tolist() == expected


def test_other_dimensions_that_are_cut_are_reported():
    part = cut(ragged("contiguous", [1, 2, 3], []), station=[1, 2])
    assert part.also_cut == (("/obs", 6, 5, "/row"),)
    assert cut(ragged("indexed", [0] * 3, [0, 1], 2), obs=[1]).also_cut == ()


def test_samples_after_the_counted_ones():
    source = ragged("contiguous", [1, 2], [], padding=2)
    assert values_of(cut(source, obs=[0, 1, 3]))["row"].tolist() == [1, 1]
    assert values_of(cut(source, obs=[0, 1, 3]))["t"].tolist() == [0, 0.5, 1.5]
    assert values_of(cut(source, station=[0]))["t"].tolist() == [0]


def test_one_station_whose_size_is_a_scalar():
    source = dataset(
        variable("row", "", 3, sample_dimension="obs"), variable("t", "obs", np.arange(3))
    )
    assert values_of(cut(source, obs=[0, 2]))["row"].tolist() == 2


def test_samples_in_another_order_are_refused():
    source = ragged("contiguous", [1, 2, 3], [])
    with pytest.raises(PositionError, match=r"cannot be in this order.*along station"):
        cut(source, obs=[5, 0])


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (ragged("contiguous", [9], [], padding=-3), "it counts 9 along /obs, which has 6"),
        (ragged("indexed", [0], [3], 1), "it has the index 3, but /station has 1 index"),
        (
            dataset(
                variable("name", "station", [0, 1]),
                variable("index", "obs", [0.5], instance_dimension="station"),
            ),
            "its values are not whole numbers",
        ),
    ],
)
def test_positions_that_do_not_fit(broken, message):
    with pytest.raises(PositionError, match=message):
        cut(broken, station=[0])


def test_positions_that_refer_to_each_other_end():
    source = dataset(
        variable("a", "x", [1, 2, 3, 4, 4], instance_dimension="y"),
        variable("b", "y", [0, 1, 2, 3, 4], instance_dimension="x"),
    )
    with pytest.raises(PositionError, match="/a, /b refer to each other in a circle"):
        cut(source, y=[0, 1, 2, 3])


def test_too_many_positions_are_not_read(monkeypatch):
    monkeypatch.setattr("ncz.model.positions.MOST", 2)
    with pytest.raises(PositionError, match="its 3 positions are too many"):
        cut(ragged("contiguous", [1, 2, 3], []), station=[0])
    monkeypatch.setattr("ncz.model.positions.MOST", 8)
    with pytest.raises(PositionError, match="/border: its 4 positions are too many"):
        cut(triangle(), face=[1])


# Gathered points.


@given(st.data(), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=EXAMPLES)
def test_gathered_points(data, rows, columns):
    cells = st.lists(st.integers(0, rows * columns - 1), unique=True)
    points = data.draw(cells)
    source = dataset(
        variable("y", "y", np.arange(rows)),
        variable("x", "x", np.arange(columns)),
        variable("land", "land", np.array(points, "i4"), compress="y x"),
        variable("v", "land", np.arange(len(points)) + 1),
    )
    y, x = (data.draw(some(n, ordered=False)) for n in (rows, columns))
    land = data.draw(some(len(points), ordered=False))

    def field(found: dict[str, np.ndarray]) -> np.ndarray:
        values = np.zeros((found["y"].size, found["x"].size))
        values.reshape(-1)[found["land"]] = found["v"]
        return values

    expected = field(values_of(source))
    if land is not None:
        expected[~np.isin(expected, np.array(land, int) + 1)] = 0
    expected = expected[np.ix_(whole(y, rows), whole(x, columns))]
    part = values_of(cut(source, **given_ones(y=y, x=x, land=land)))
    np.testing.assert_array_equal(field(part), expected)
    assert part["v"].size == np.count_nonzero(expected)


# Meshes.

NO_NODE = [
    ("i4", -1, {}),
    ("i4", -1, {"_FillValue": -1}),
    ("i8", 999, {"_FillValue": 999}),
    ("u2", 999, {"_FillValue": 999}),
    ("f8", math.nan, {}),
]
"""The types of indices, and the values for corners that a triangle lacks."""


@st.composite
def meshes(draw: st.DrawFn) -> Dataset:
    nodes = draw(st.integers(3, 7))
    corners = st.lists(st.integers(0, nodes - 1), min_size=3, max_size=4, unique=True)
    faces = draw(st.lists(corners, min_size=1, max_size=5))
    dtype, missing, attributes = draw(st.sampled_from(NO_NODE))
    start = draw(st.integers(0, 1))
    array = np.full((len(faces), 4), missing, dtype)
    for row, face in zip(array, faces, strict=True):
        row[: len(face)] = np.array(face) + start
    if start or draw(st.booleans()):
        attributes = {**attributes, "start_index": start}
    pairs = sorted({tuple(sorted((f[i - 1], f[i]))) for f in faces for i in range(len(f))})
    beside = np.array(
        [([n for n, f in enumerate(faces) if {*pair} <= {*f}] + [-1, -1])[:2] for pair in pairs]
    )
    is_turned = draw(st.booleans())
    return dataset(
        variable(
            "mesh",
            "",
            0,
            cf_role="mesh_topology",
            node_coordinates="node_x",
            face_node_connectivity="corners",
            edge_node_connectivity="ends",
            edge_face_connectivity="beside",
            face_dimension="face",
        ),
        variable("node_x", "node", np.arange(nodes) + 0.5),
        variable(
            "corners",
            "four face" if is_turned else "face four",
            array.T if is_turned else array,
            **attributes,
        ),
        variable("ends", "edge two", np.array(pairs, "i4")),
        variable("beside", "edge two", beside),
        variable("face_id", "face", np.arange(len(faces))),
        variable("edge_id", "edge", np.arange(len(pairs))),
    )


def attributes_of(part: Dataset | FollowedSubset, name: str) -> dict[str, Any]:
    root = part.dataset.root if isinstance(part, FollowedSubset) else part.root
    found = dict(variables_by_fqn(root))[f"/{name}"]
    return {a.name: a.values[0] for a in found.attributes}


Corners = list[list[float]]


def decoded(part: Dataset | FollowedSubset) -> tuple[dict[int, list[float]], Corners, Any]:
    """Return the corners of each face by its number, the corners of edges, and their faces."""
    found, given_attributes = values_of(part), attributes_of(part, "corners")
    x, start = found["node_x"], given_attributes.get("start_index", 0)
    corners = found["corners"].T if found["corners"].shape[0] == 4 else found["corners"]
    if part_is_square(found):
        root = part.dataset.root if isinstance(part, FollowedSubset) else part.root
        first = dict(variables_by_fqn(root))["/corners"].dimensions[0]
        corners = found["corners"].T if first == "/four" else found["corners"]
    mask = given_attributes.get("_FillValue", -1)
    faces = {
        int(number): [x[int(c) - start] for c in row if c == c and c != mask and c >= 0]
        for number, row in zip(found["face_id"], corners, strict=True)
    }
    edges = [x[row].tolist() for row in found["ends"]]
    ids = found["face_id"].tolist()
    beside = [[ids[i] if i >= 0 else None for i in row] for row in found["beside"].tolist()]
    return faces, edges, beside


def part_is_square(found: dict[str, np.ndarray]) -> bool:
    return found["corners"].shape == (4, 4)


@given(st.data(), meshes())
@settings(max_examples=EXAMPLES)
def test_faces_of_meshes(data, mesh):
    faces, edges, beside = decoded(mesh)
    chosen = data.draw(st.lists(st.sampled_from(sorted(faces)), min_size=1, unique=True))
    part = cut(mesh, face=chosen)
    found, found_edges, found_beside = decoded(part)
    assert found == {number: faces[number] for number in chosen}
    assert [*found] == chosen
    used = {x for number in chosen for x in faces[number]}
    kept = [n for n, edge in enumerate(edges) if {*edge} <= used]
    assert found_edges == [edges[n] for n in kept]
    assert found_beside == [[f if f in chosen else None for f in beside[n]] for n in kept]
    assert values_of(part)["node_x"].tolist() == sorted(used)


@given(st.data(), meshes())
@settings(max_examples=EXAMPLES)
def test_nodes_of_meshes(data, mesh):
    faces, edges, _ = decoded(mesh)
    nodes = values_of(mesh)["node_x"].size
    chosen = data.draw(st.lists(st.integers(0, nodes - 1), min_size=3, unique=True))
    left = {n + 0.5 for n in chosen}
    kept = {number: face for number, face in faces.items() if {*face} <= left}
    assume(kept)
    part = cut(mesh, node=chosen)
    found, found_edges, _ = decoded(part)
    assert found == kept
    assert found_edges == [edge for edge in edges if {*edge} <= left]
    assert values_of(part)["node_x"].tolist() == [n + 0.5 for n in chosen]


def triangle() -> Dataset:
    return dataset(
        variable(
            "mesh",
            "",
            0,
            cf_role="mesh_topology",
            node_coordinates="x",
            face_node_connectivity="corners",
            face_face_connectivity="beside",
            boundary_node_connectivity="border",
        ),
        variable("x", "node", [0.0, 1, 2, 3]),
        variable("corners", "face three", [[0, 1, 2], [1, 2, 3]], valid_max=3),
        variable("beside", "face one", np.array([[1], [0]], "u1")),
        variable("border", "side two", [[0, 1], [0, 2]]),
    )


def test_a_mesh_without_values_keeps_its_nodes():
    """The header of a file does not contain the nodes of a face."""
    *others, corners, beside, border = triangle().root.variables
    assert corners.data is not None
    fill = Atomic.INT64.default_fill
    unwritten = MemoryArray(np.full((2, 3), fill), Atomic.INT64)
    source = dataset(*others, replace(corners, data=unwritten), beside, border)
    assert values_of(cut(source, face=[1]))["x"].size == 4


def test_nodes_without_any_face_are_refused():
    with pytest.raises(PositionError, match=r"leaves no index of /face.*along face"):
        cut(triangle(), node=[0, 1])


def test_a_border_may_be_left_out():
    part = cut(triangle(), face=[1])
    assert values_of(part)["border"].shape == (0, 2)
    assert {fqn for fqn, *_ in part.also_cut} == {"/node", "/side"}


def test_an_omitted_neighbour_gets_a_mask_without_an_existing_one():
    part = cut(triangle(), face=[1])
    assert values_of(part)["beside"].tolist() == [[255]]
    assert attributes_of(part, "beside") == {"_FillValue": 255}
    assert "valid_max" not in attributes_of(part, "corners")


# Geometries.


@given(st.data(), st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), max_size=4))
@settings(max_examples=EXAMPLES)
def test_geometries(data, parts):
    assume(parts)
    sizes = [size for each in parts for size in each]
    source = dataset(
        variable(
            "shape",
            "",
            0,
            geometry_type="polygon",
            node_coordinates="x",
            node_count="nodes",
            part_node_count="sizes",
            interior_ring="ring",
        ),
        variable("x", "node", np.arange(sum(sizes)) + 0.5),
        variable("nodes", "instance", [sum(each) for each in parts]),
        variable("sizes", "part", sizes),
        variable("ring", "part", np.arange(len(sizes))),
        variable("v", "instance", np.arange(len(parts))),
    )

    def polygons(found: dict[str, np.ndarray]) -> list[list[tuple[int, list[float]]]]:
        pieces = np.split(found["x"], np.cumsum(found["sizes"])[:-1])
        named = [*zip(found["ring"].tolist(), (p.tolist() for p in pieces), strict=True)]
        result = []
        for size in found["nodes"]:
            polygon: list[tuple[int, list[float]]] = []
            while sum(len(nodes) for _, nodes in polygon) < size:
                polygon.append(named.pop(0))
            result.append(polygon)
        assert not named
        return result

    chosen = data.draw(st.lists(st.integers(0, len(parts) - 1), min_size=1, unique=True))
    expected = polygons(values_of(source))
    found = values_of(cut(source, instance=chosen))
    assert polygons(found) == [expected[number] for number in chosen]
    assert found["v"].tolist() == chosen


def test_parts_of_geometries():
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
        variable("x", "node", np.arange(6)),
        variable("nodes", "instance", [4, 2]),
        variable("sizes", "part", [2, 2, 2]),
    )
    found = values_of(cut(source, part=[1, 2]))
    assert (found["nodes"].tolist(), found["x"].tolist()) == ([2, 2], [2, 3, 4, 5])
    found = values_of(cut(source, part=[0, 1], instance=[0]))
    assert (found["nodes"].tolist(), found["sizes"].tolist()) == ([4], [2, 2])


# Interpolated coordinates.


@pytest.mark.parametrize("dimension", ["y", "tie"])
def test_parts_between_tie_points_are_refused(dimension):
    source = dataset(
        variable("v", "y x", np.zeros((5, 2)), coordinate_interpolation="lat: linear"),
        variable("linear", "", 0, tie_point_mapping="y: places tie"),
        variable("places", "tie", [0, 4]),
        variable("lat", "tie", [0.0, 40.0]),
    )
    with pytest.raises(PositionError, match="/y are interpolated between tie points"):
        cut(source, **{dimension: [0]})
    assert values_of(cut(source, x=[1]))["v"].shape == (5, 1)


# The results of other selections.


def test_other_dimensions_read_no_positions(monkeypatch):
    monkeypatch.setattr("ncz.model.positions.MOST", 0)
    source = dataset(
        *ragged("contiguous", [1, 2], []).root.variables, variable("other", "x", [1, 2, 3])
    )
    assert values_of(cut(source, x=[2]))["other"].tolist() == [3]


def test_evenly_spaced_indices_become_ranges():
    """A range is read chunk by chunk without an array of indices."""
    part = cut(ragged("contiguous", [1, 2, 3], []), station=[1, 2])
    data = dict(variables_by_fqn(part.dataset.root))["/t"].data
    assert getattr(data, "axes")[0].runs == (range(1, 6),)  # noqa: B009


# Joined datasets.
