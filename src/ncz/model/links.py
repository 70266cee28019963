"""The links of the CF conventions: variables that name, count or number others.

An attribute of a variable names other variables or dimensions (CF Conventions 1.12, appendix A;
UGRID 1.0). Some of these variables hold positions: the row sizes and the indices of ragged arrays
(CF, section 9.3), gathered points (8.2), the nodes of geometries (7.5) and the elements of meshes
(UGRID). Their values mean other places if a dimension is cut or joined.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Literal

from ncz.model.tree import (
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    parent,
    variables_by_fqn,
)
from ncz.record import record

Meaning = Literal["coordinates", "bounds", "counts", "indexes", "needs", "describes"]
"""What a link says about the variable that has the attribute.

"coordinates" and "bounds": the other variable holds them. "counts" and "indexes": its own values
are sizes or indices along a dimension. "needs": the other variable belongs to it in another way.
"describes": it is about the values, which stay understandable without the other.
"""

_CONNECTIVITY = re.compile(r"(node|edge|face|volume|boundary)_(node|edge|face|volume)_connectivity")

_ELEMENTS = ("node", "edge", "face", "volume")
"""The elements of a mesh, of which each has a dimension."""

_MEANINGS: Mapping[str, Meaning] = {
    "ancillary_variables": "needs",
    "bounds": "bounds",
    "cell_measures": "needs",
    "cell_methods": "describes",
    "climatology": "bounds",
    "compress": "indexes",
    "coordinate_interpolation": "needs",
    "coordinate_space": "needs",
    "coordinates": "coordinates",
    "edge_geometry": "needs",
    "formula_terms": "needs",
    "geometry": "needs",
    "grid": "needs",
    "grid_mapping": "needs",
    "instance_dimension": "indexes",
    "interior_ring": "needs",
    "interpolation_parameters": "needs",
    "location_index_set": "needs",
    "mesh": "needs",
    "node_count": "needs",
    "nodes": "needs",
    "part_node_count": "needs",
    "quantization": "needs",
    "sample_dimension": "counts",
    "tie_point_mapping": "needs",
    **{f"{element}_coordinates": "coordinates" for element in _ELEMENTS},
    **{f"{element}_dimension": "describes" for element in _ELEMENTS},
    **{
        f"{one}_{other}_connectivity": "needs"
        for one in (*_ELEMENTS, "boundary")
        for other in _ELEMENTS
    },
}

NAMING = tuple(_MEANINGS)
"""The attributes whose words are names of variables and dimensions."""

_TERMS = ("cell_measures", "formula_terms", "interpolation_parameters")
"""Those in which a word before a colon is a term and not a name."""

WORD = re.compile(r"[^\s()]+")


@record
class Link:
    """A name in an attribute, and the variable or the dimension that it means.

    `source` is the FQN of the variable that has the attribute, and `target` that of the variable
    or the dimension, which may have the same; None if neither exists.
    """

    source: str
    attribute: str
    name: str
    meaning: Meaning
    target: str | None


def names_in(attribute: str, text: str) -> Iterator[str]:
    """Yield the names in the text of one of the attributes `NAMING`."""
    for word in WORD.findall(text):
        if not (word.endswith(":") and attribute in _TERMS):
            yield word.rstrip(":")


def in_scope(group: str, name: str, names: Container[str]) -> str | None:
    """Return the FQN, among those in `names`, that a name in a group means; None if none is.

    A name is looked for in the group, and then in those around it.
    """
    if name.startswith("/"):
        return name if name in names else None
    while (fqn := join(group, name)) not in names:
        if not group:
            return None
        group = parent(group)
    return fqn


def links(root: Group) -> Iterator[Link]:
    """Yield the links of all variables, in the order of the variables and of `NAMING`."""
    graph = _Names(root)
    for fqn, variable in graph.variables.items():
        for attribute in variable.attributes:
            meaning = _MEANINGS.get(attribute.name)
            if meaning is not None:
                for name in names_in(attribute.name, variable.text(attribute.name)):
                    yield Link(fqn, attribute.name, name, meaning, graph.find(fqn, name))


class _Scope:
    """Finds what names in the attributes of variables mean among some FQNs; see `in_scope`.

    An attribute may have any number of names, and a group any number of groups around it.
    """

    def __init__(self, fqns: Mapping[str, object]) -> None:
        self._fqns = fqns
        self._last = {base_name(fqn) for fqn in fqns}
        self._known: dict[tuple[str, str], str | None] = {}

    def __call__(self, fqn: str, name: str) -> str | None:
        """Return the FQN of what the name in an attribute of a variable means."""
        if base_name(name) not in self._last:
            return None
        group = parent(fqn)
        if (group, name) not in self._known:
            self._known[group, name] = in_scope(group, name, self._fqns)
        return self._known[group, name]


class _Names:
    """The variables and the dimensions of a dataset, by the names that attributes have."""

    def __init__(self, root: Group) -> None:
        self.variables = dict(variables_by_fqn(root))
        self.dimensions = dimensions_by_fqn(root)
        self.find = _Scope({**self.dimensions, **self.variables})
        self.dimension = _Scope(self.dimensions)
        self.variable = _Scope(self.variables)

    def named(self, fqn: str, attribute: str) -> list[str]:
        """Return the FQNs of the variables that a variable's attribute names."""
        names = names_in(attribute, self.variables[fqn].text(attribute))
        found = (self.variable(fqn, name) for name in names)
        return [each for each in found if each is not None]

    def first_dimension(self, fqn: str, attribute: str) -> str | None:
        """Return the first dimension of the first variable that a variable's attribute names."""
        found = self.named(fqn, attribute)
        return next(iter(self.variables[found[0]].dimensions), None) if found else None


# Which variables a variable needs.


def references(root: Group) -> dict[str, frozenset[str]]:
    """Return the FQNs of the variables that each variable needs, itself not among them.

    They are the coordinates of its dimensions, and the variables that its attributes name: bounds,
    auxiliary coordinates, grid mappings, cell measures, ancillary variables, terms of formulas,
    geometries and meshes. A variable over the dimension of a ragged array needs the one with its
    row sizes or its indices.
    """
    graph = _Names(root)
    over: dict[str, set[str]] = {}
    for fqn, variable in graph.variables.items():
        if variable.dimensions[:1] == (fqn,):
            over.setdefault(fqn, set()).add(fqn)
    for counts in counts_in(root):
        over.setdefault(counts.counted, set()).add(counts.variable)
    for indexes in indexes_in(root):
        if indexes.relation == "member":
            over.setdefault(indexes.rows, set()).add(indexes.variable)
    needed = {
        fqn: {other for d in variable.dimensions for other in over.get(d, ())}
        for fqn, variable in graph.variables.items()
    }
    for link in links(root):
        is_variable = link.target in graph.variables and link.meaning != "describes"
        if is_variable and link.attribute not in _OF_DIMENSIONS:
            assert link.target is not None
            needed[link.source].add(link.target)
    return {fqn: frozenset(others - {fqn}) for fqn, others in needed.items()}


_OF_DIMENSIONS = ("instance_dimension", "sample_dimension")
"""Attributes that name dimensions alone, whose coordinate variables are not needed."""


def with_references(
    names: Iterable[str], references: Mapping[str, Iterable[str]]
) -> frozenset[str]:
    """Return FQNs of variables, and those of all variables that they need; see `references`."""
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        fqn = waiting.pop()
        if fqn not in reached:
            reached.add(fqn)
            waiting.extend(references[fqn])
    return frozenset(reached)


def dimensions_named(root: Group) -> dict[str, frozenset[str]]:
    """Return the FQNs of the dimensions that the values of each variable are positions along."""
    found: dict[str, set[str]] = {}
    for counts in counts_in(root):
        found.setdefault(counts.variable, set()).add(counts.counted)
    for indexes in indexes_in(root):
        found.setdefault(indexes.variable, set()).update(indexes.targets)
    return {fqn: frozenset(names) for fqn, names in found.items()}


# Variables whose values are positions along dimensions.


@record(kw_only=True)
class Counts:
    """A variable that says how many indices of a dimension belong to each of its elements.

    Attributes
    ----------
    variable
        The FQN of the variable.
    owner
        The dimension of the variable; None for a scalar.
    counted
        The dimension whose indices it counts. They lie in the order of the elements.
    are_parts
        Whether an element that has no indices any more is of no use: a part of a geometry.
    """

    variable: str
    owner: str | None
    counted: str
    are_parts: bool = False


Relation = Literal["member", "corner", "neighbour", "tie point"]
"""What an element of a variable of indices is to those of the dimension that it numbers.

A "member" belongs to the one of its index, as a sample to its station. A row of "corners" needs all
of them, as a face its nodes. A row of "neighbours" exists without them. Between the indices of "tie
points", coordinates are interpolated.
"""


@record(kw_only=True)
class Indexes:
    """A variable whose values are indices along dimensions.

    Attributes
    ----------
    variable
        The FQN of the variable.
    rows
        Its dimension whose elements have the indices.
    targets
        The dimensions that are indexed; if they are several, a value is an index of the flattened
        array over them, the last one fastest.
    relation
        What the elements are to those with these indices.
    start
        The value that means the first index.
    is_boundary
        Whether the rows are a choice of edges, and not all elements of a kind.
    """

    variable: str
    rows: str
    targets: tuple[str, ...]
    relation: Relation
    start: int = 0
    is_boundary: bool = False


def counts_in(root: Group) -> Iterator[Counts]:
    """Yield the variables that count the indices of dimensions."""
    graph = _Names(root)
    for fqn, variable in graph.variables.items():
        counted = graph.dimension(fqn, variable.text("sample_dimension"))
        if counted is not None and _is_list(variable, at_least=0):
            yield Counts(variable=fqn, owner=next(iter(variable.dimensions), None), counted=counted)
        if variable.attribute("geometry_type") is not None:
            yield from _counts_of_geometry(graph, fqn)


def _counts_of_geometry(graph: _Names, fqn: str) -> Iterator[Counts]:
    nodes = graph.first_dimension(fqn, "node_coordinates")
    for attribute, are_parts in (("node_count", False), ("part_node_count", True)):
        for other in graph.named(fqn, attribute)[:1]:
            variable = graph.variables[other]
            if nodes is not None and _is_list(variable, at_least=0):
                owner = next(iter(variable.dimensions), None)
                yield Counts(variable=other, owner=owner, counted=nodes, are_parts=are_parts)


def _is_list(variable: Variable, *, at_least: int = 1) -> bool:
    return variable.has_numbers and at_least <= len(variable.dimensions) <= 1


def indexes_in(root: Group) -> Iterator[Indexes]:
    """Yield the variables whose values are indices along dimensions."""
    graph = _Names(root)
    for fqn, variable in graph.variables.items():
        if _is_list(variable):
            yield from _indexes_of_list(graph, fqn, variable)
        yield from _indexes_of_mesh(graph, fqn)
        yield from _indexes_of_tie_points(graph, fqn)


def _indexes_of_list(graph: _Names, fqn: str, variable: Variable) -> Iterator[Indexes]:
    (rows,) = variable.dimensions
    for attribute in ("instance_dimension", "compress"):
        names = variable.text(attribute).split()
        found = [graph.dimension(fqn, name) for name in names]
        targets = tuple(each for each in found if each is not None)
        if targets and len(targets) == len(names):
            yield Indexes(variable=fqn, rows=rows, targets=targets, relation="member")
    if variable.text("cf_role") == "location_index_set":
        for mesh in graph.named(fqn, "mesh")[:1]:
            target = _element_dimension(graph, mesh, variable.text("location"))
            if target is not None:
                yield Indexes(
                    variable=fqn,
                    rows=rows,
                    targets=(target,),
                    relation="member",
                    start=_start_index(variable),
                )


def _indexes_of_mesh(graph: _Names, mesh: str) -> Iterator[Indexes]:
    """Yield what a mesh names; its attributes tell it, as ``cf_role`` is misspelled at times."""
    for attribute in graph.variables[mesh].attributes:
        match = _CONNECTIVITY.fullmatch(attribute.name)
        if match is None:
            continue
        target = _element_dimension(graph, mesh, match[2])
        for other in graph.named(mesh, attribute.name)[:1]:
            variable = graph.variables[other]
            own = _element_dimension(graph, mesh, match[1])
            rows = own if own in variable.dimensions else next(iter(variable.dimensions), None)
            if target is not None and rows is not None and variable.has_numbers:
                yield Indexes(
                    variable=other,
                    rows=rows,
                    targets=(target,),
                    relation="corner" if match[2] == "node" else "neighbour",
                    start=_start_index(variable),
                    is_boundary=match[1] == "boundary",
                )


def _indexes_of_tie_points(graph: _Names, fqn: str) -> Iterator[Indexes]:
    """Yield the tie points of an interpolation variable (CF, section 8.3)."""
    dimension: str | None = None
    for word in WORD.findall(graph.variables[fqn].text("tie_point_mapping")):
        if word.endswith(":"):
            dimension = graph.dimension(fqn, word[:-1])
            continue
        other = graph.variable(fqn, word)
        if dimension is not None and other is not None and _is_list(graph.variables[other]):
            (rows,) = graph.variables[other].dimensions
            yield Indexes(variable=other, rows=rows, targets=(dimension,), relation="tie point")
            dimension = None


def _element_dimension(graph: _Names, mesh: str, element: str) -> str | None:
    """Return the dimension of the nodes, edges, faces or volumes of a mesh; None if unknown."""
    if element not in _ELEMENTS:
        return None
    return (
        graph.dimension(mesh, graph.variables[mesh].text(f"{element}_dimension"))
        or graph.first_dimension(mesh, f"{element}_coordinates")
        or graph.first_dimension(mesh, f"{element}_node_connectivity")
    )


def _start_index(variable: Variable) -> int:
    attribute = variable.attribute("start_index")
    value = attribute.values[0] if attribute is not None and len(attribute.values) == 1 else 0
    return int(value) if isinstance(value, (int, float)) and value == value // 1 else 0


def joined_with(root: Group, along: Iterable[str]) -> frozenset[str]:
    """Return dimensions, and those along which a join of them must join too.

    The samples follow their stations, gathered points the axes of their grid, and the elements of a
    mesh each other.
    """
    reached: set[str | None] = set(along)
    pairs: list[tuple[set[str | None], set[str | None]]] = []
    for counts in counts_in(root):
        pairs.append(({counts.owner}, {counts.counted}))
        if counts.are_parts:
            pairs.append(({counts.counted}, {counts.owner}))
    for indexes in indexes_in(root):
        pairs.append(({*indexes.targets}, {indexes.rows}))
        if indexes.relation in ("corner", "neighbour") and not indexes.is_boundary:
            pairs.append(({indexes.rows}, {*indexes.targets}))
    before = -1
    while len(reached) > before:
        before = len(reached)
        for some, others in pairs:
            if reached & some:
                reached |= others
    return frozenset(fqn for fqn in reached if fqn is not None)


def counts_beside(root: Group, along: Iterable[str]) -> list[Counts]:
    """Return the variables that count indices along dimensions, and do not lie along them.

    If datasets are joined along these dimensions alone, the counts are those of the first one.
    """
    dimensions = frozenset(along)
    return [c for c in counts_in(root) if c.counted in dimensions and c.owner not in dimensions]
