"""Variables that another one names, counts or numbers, by the CF and UGRID conventions."""

from __future__ import annotations

import pytest

from ncz.model.links import in_scope, links
from ncz.model.references import named_dimensions, references, with_references
from ncz.model.tree import Attribute, Dimension, Group, Variable
from ncz.model.types import Atomic


def variable(name: str, *dimensions: str, **texts: str | int) -> Variable:
    """Return a variable of int; dimensions are FQNs or names in the root."""
    return Variable(
        name=name,
        type=Atomic.INT,
        dimensions=tuple(d if d.startswith("/") else f"/{d}" for d in dimensions),
        attributes=tuple(
            Attribute(name=k, type=Atomic.INT if isinstance(v, int) else Atomic.CHAR, values=(v,))
            for k, v in texts.items()
        ),
    )


def root(*variables: Variable, groups: tuple[Group, ...] = ()) -> Group:
    """Return a root group with these variables and all their dimensions, and the dimension x."""
    names = {d[1:] for v in variables for d in v.dimensions if d.count("/") == 1} | {"x"}
    return Group(
        dimensions=tuple(Dimension(name=name, size=2) for name in sorted(names)),
        variables=variables,
        groups=groups,
    )


MESH = (
    variable(
        "mesh",
        cf_role="mesh_topology",
        node_coordinates="lon lat",
        face_coordinates="flon",
        face_node_connectivity="fnc",
        edge_node_connectivity="enc",
        face_face_connectivity="ffc",
        edge_face_connectivity="efc",
        boundary_node_connectivity="bnc",
    ),
    variable("lon", "node"),
    variable("lat", "node"),
    variable("flon", "face"),
    variable("fnc", "three", "face", start_index=1),
    variable("enc", "edge", "two"),
    variable("ffc", "face", "three"),
    variable("efc", "edge", "two"),
    variable("bnc", "border", "two"),
    variable("v", "face", mesh="mesh", location="face"),
)
RAGGED = (
    variable("row", "profile", sample_dimension="obs"),
    variable("station_of", "profile", instance_dimension="station"),
    variable("name", "station"),
    variable("t", "obs"),
)
GATHERED = (
    variable("land", "land", compress="y x"),
    variable("y", "y"),
    variable("v", "land"),
)
POLYGONS = (
    variable(
        "shape",
        geometry_type="polygon",
        node_coordinates="lon lat",
        node_count="nodes",
        part_node_count="parts",
        interior_ring="ring",
    ),
    variable("lon", "node"),
    variable("lat", "node"),
    variable("nodes", "instance"),
    variable("parts", "part"),
    variable("ring", "part"),
    variable("v", "instance", geometry="shape"),
)


@pytest.mark.parametrize(
    ("variables", "chosen", "needed"),
    [
        (MESH, "v", {"mesh", "lon", "lat", "flon", "fnc", "enc", "ffc", "efc", "bnc"}),
        (MESH, "lon", set()),
        (RAGGED, "t", {"row", "station_of"}),
        (RAGGED, "name", set()),
        (GATHERED, "v", {"land", "y"}),
        (POLYGONS, "v", {"shape", "lon", "lat", "nodes", "parts", "ring"}),
    ],
)
def test_a_variable_needs_variables_that_its_structure_names(variables, chosen, needed):
    found = with_references([f"/{chosen}"], references(root(*variables)))
    assert found == {f"/{name}" for name in {chosen, *needed}}


def test_words_and_terms():
    mapped = variable("v", "x", grid_mapping="crs: x y other: lat", cell_measures="area: a")
    formula = variable("s", formula_terms="a: A b: B", ancillary_variables="q")
    names = [link.name for link in links(root(mapped, formula))]
    assert names == ["crs", "x", "y", "other", "lat", "a", "A", "B", "q"]


@pytest.mark.parametrize(
    "attribute",
    [
        Attribute(name="bounds", type=Atomic.STRING, values=("b",)),
        Attribute(name="bounds", type=Atomic.CHAR, values=("b\0",)),
        Attribute(name="bounds", type=Atomic.CHAR, values=("b \0  ",)),
        Attribute(name="bounds", type=Atomic.STRING, values=("b\0",)),
        Attribute(name="coordinates", type=Atomic.STRING, values=("c\0", "b ")),
    ],
)
def test_names_in_every_kind_of_text(attribute):
    named = Variable(name="v", type=Atomic.INT, attributes=(attribute,))
    assert "/b" in references(root(named, variable("b", "x"), variable("c")))["/v"]


def test_numbers_name_nothing():
    assert list(links(root(variable("v", bounds=3), variable("3")))) == []


def test_names_mean_the_nearest_variable():
    inner = Group(name="g", variables=(variable("v", coordinates="a b /b"), variable("b")))
    known = references(root(variable("a"), variable("b"), groups=(inner,)))
    assert known["/g/v"] == {"/a", "/g/b", "/b"}


def test_dimensions_of_positions():
    named = named_dimensions(root(*RAGGED, *GATHERED))
    assert named["/land"] == {"/y", "/x"}
    assert named["/row"] == {"/obs"}


def test_a_name_is_looked_up_once(monkeypatch):
    """A text may repeat a name any number of times, many groups below its target."""
    looked_up: list[str] = []

    def counted(group: str, name: str, names: object) -> str | None:
        looked_up.append(name)
        return in_scope(group, name, {"/lat": None})

    monkeypatch.setattr("ncz.model.links.in_scope", counted)
    named = variable("v", coordinates="lat nothing " * 1000)
    assert len(list(links(root(named, variable("lat"))))) == 2000
    assert looked_up == ["lat"]
