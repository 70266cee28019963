"""Attributes whose values are positions along a dimension."""

from __future__ import annotations

import pytest

from ncz.model.position_links import (
    Counts,
    Indexes,
    counts_beside,
    counts_in,
    dimensions_to_join,
    indexes_in,
)
from tests.model.test_links import GATHERED, MESH, POLYGONS, RAGGED, root, variable


def test_counts():
    assert list(counts_in(root(*RAGGED))) == [
        Counts(variable="/row", owner="/profile", counted="/obs")
    ]
    assert list(counts_in(root(*POLYGONS))) == [
        Counts(variable="/nodes", owner="/instance", counted="/node"),
        Counts(variable="/parts", owner="/part", counted="/node", are_parts=True),
    ]
    only = root(variable("row", sample_dimension="x"))
    assert list(counts_in(only)) == [Counts(variable="/row", owner=None, counted="/x")]


def test_indexes():
    assert list(indexes_in(root(*RAGGED))) == [
        Indexes(variable="/station_of", rows="/profile", targets=("/station",), relation="member")
    ]
    assert list(indexes_in(root(*GATHERED))) == [
        Indexes(variable="/land", rows="/land", targets=("/y", "/x"), relation="member")
    ]


def test_indexes_of_a_mesh():
    node, face = ("/node",), ("/face",)
    assert list(indexes_in(root(*MESH))) == [
        Indexes(variable="/fnc", rows="/face", targets=node, relation="corner", start=1),
        Indexes(variable="/enc", rows="/edge", targets=node, relation="corner"),
        Indexes(variable="/ffc", rows="/face", targets=face, relation="neighbour"),
        Indexes(variable="/efc", rows="/edge", targets=face, relation="neighbour"),
        Indexes(variable="/bnc", rows="/border", targets=node, relation="corner", is_boundary=True),
    ]


def test_a_mesh_whose_role_is_misspelled():
    mesh = variable("mesh", cf_role="mesh_topogy", node_coordinates="x", face_node_connectivity="f")
    others = (variable("x", "node"), variable("f", "face", "three"))
    assert [each.variable for each in indexes_in(root(mesh, *others))] == ["/f"]


def test_a_set_of_locations_of_a_mesh():
    chosen = variable("set", "some", cf_role="location_index_set", mesh="mesh", location="edge")
    assert list(indexes_in(root(*MESH, chosen)))[-1] == Indexes(
        variable="/set", rows="/some", targets=("/edge",), relation="member"
    )


@pytest.mark.parametrize(
    "broken",
    [
        variable("i", "x", instance_dimension="nothing"),
        variable("i", "x", compress="x nothing"),
        variable("i", "x", "x", instance_dimension="x"),
        variable("i", cf_role="mesh_topology", face_node_connectivity="nothing"),
        variable("i", "x", cf_role="location_index_set", mesh="i", location="nothing"),
        variable("i", geometry_type="point", node_coordinates="nothing", node_count="i"),
    ],
)
def test_missing_variables_are_omitted(broken):
    assert list(indexes_in(root(broken))) == []
    assert list(counts_in(root(broken))) == []


@pytest.mark.parametrize(
    ("variables", "along", "joined"),
    [
        (RAGGED, "station", {"station", "profile", "obs"}),
        (RAGGED, "profile", {"profile", "obs"}),
        (RAGGED, "obs", {"obs"}),
        (GATHERED, "y", {"y", "land"}),
        (GATHERED, "land", {"land"}),
        (MESH, "face", {"node", "edge", "face", "border"}),
        (POLYGONS, "instance", {"instance", "node", "part"}),
    ],
)
def test_parts_that_are_joined_together(variables, along, joined):
    assert dimensions_to_join(root(*variables), {f"/{along}"}) == {f"/{name}" for name in joined}


def test_counts_that_would_stay_behind():
    assert [c.variable for c in counts_beside(root(*RAGGED), {"/obs"})] == ["/row"]
    assert counts_beside(root(*RAGGED), {"/obs", "/profile"}) == []
