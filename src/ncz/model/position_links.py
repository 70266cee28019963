"""Variables whose values are positions along dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from ncz.model.links import CONNECTIVITY, ELEMENTS, WORD, LinkGraph
from ncz.model.tree import Group, Variable
from ncz.record import record


@record(kw_only=True)
class Counts:
    """A variable with the number of indices of a dimension that belong to each of its elements.

    Attributes
    ----------
    variable
        The FQN of the variable.
    owner
        The dimension of the variable; None for a scalar.
    counted
        The dimension whose indices it counts. They are in the order of the elements.
    are_parts
        Whether an element that has no indices any more is of no use: a part of a geometry.
    """

    variable: str
    owner: str | None
    counted: str
    are_parts: bool = False


Relation = Literal["member", "corner", "neighbour", "tie point"]
"""The relation between an element of a variable of indices and the dimension that it numbers.

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
        The relation of the elements to the ones with these indices.
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
    graph = LinkGraph(root)
    for fqn, variable in graph.variables.items():
        counted = graph.dimension(fqn, variable.text("sample_dimension"))
        if counted is not None and _is_list(variable, at_least=0):
            yield Counts(variable=fqn, owner=next(iter(variable.dimensions), None), counted=counted)
        if variable.attribute("geometry_type") is not None:
            yield from _counts_of_geometry(graph, fqn)


def _counts_of_geometry(graph: LinkGraph, fqn: str) -> Iterator[Counts]:
    nodes = graph.first_dimension(fqn, "node_coordinates")
    for attribute, are_parts in (("node_count", False), ("part_node_count", True)):
        for other in graph.linked_fqns(fqn, attribute)[:1]:
            variable = graph.variables[other]
            if nodes is not None and _is_list(variable, at_least=0):
                owner = next(iter(variable.dimensions), None)
                yield Counts(variable=other, owner=owner, counted=nodes, are_parts=are_parts)


def _is_list(variable: Variable, *, at_least: int = 1) -> bool:
    return variable.has_numbers and at_least <= len(variable.dimensions) <= 1


def indexes_in(root: Group) -> Iterator[Indexes]:
    """Yield the variables whose values are indices along dimensions."""
    graph = LinkGraph(root)
    for fqn, variable in graph.variables.items():
        if _is_list(variable):
            yield from _indexes_of_list(graph, fqn, variable)
        yield from _indexes_of_mesh(graph, fqn)
        yield from _indexes_of_tie_points(graph, fqn)


def _indexes_of_list(graph: LinkGraph, fqn: str, variable: Variable) -> Iterator[Indexes]:
    (rows,) = variable.dimensions
    for attribute in ("instance_dimension", "compress"):
        names = variable.text(attribute).split()
        found = [graph.dimension(fqn, name) for name in names]
        targets = tuple(each for each in found if each is not None)
        if targets and len(targets) == len(names):
            yield Indexes(variable=fqn, rows=rows, targets=targets, relation="member")
    if variable.text("cf_role") == "location_index_set":
        for mesh in graph.linked_fqns(fqn, "mesh")[:1]:
            target = _element_dimension(graph, mesh, variable.text("location"))
            if target is not None:
                yield Indexes(
                    variable=fqn,
                    rows=rows,
                    targets=(target,),
                    relation="member",
                    start=_start_index(variable),
                )


def _indexes_of_mesh(graph: LinkGraph, mesh: str) -> Iterator[Indexes]:
    """Yield the variables that the attributes of a mesh name; ``cf_role`` may be misspelled."""
    for attribute in graph.variables[mesh].attributes:
        match = CONNECTIVITY.fullmatch(attribute.name)
        if match is None:
            continue
        target = _element_dimension(graph, mesh, match[2])
        for other in graph.linked_fqns(mesh, attribute.name)[:1]:
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


def _indexes_of_tie_points(graph: LinkGraph, fqn: str) -> Iterator[Indexes]:
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


def _element_dimension(graph: LinkGraph, mesh: str, element: str) -> str | None:
    """Return the dimension of the nodes, edges, faces or volumes of a mesh; None if unknown."""
    if element not in ELEMENTS:
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


def dimensions_to_join(root: Group, along: Iterable[str]) -> frozenset[str]:
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
    """Return the variables that count indices along dimensions that they do not have.

    If datasets are joined along these dimensions alone, the first one has the counts.
    """
    dimensions = frozenset(along)
    return [c for c in counts_in(root) if c.counted in dimensions and c.owner not in dimensions]
