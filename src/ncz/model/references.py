"""The variables that a variable needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncz.model.links import LinkGraph, links
from ncz.model.position_links import counts_in, indexes_in
from ncz.model.tree import Group


def references(root: Group) -> dict[str, frozenset[str]]:
    """Return the FQNs of the variables that each variable needs, itself not among them.

    They are the coordinates of its dimensions, and the variables that its attributes name: bounds,
    auxiliary coordinates, grid mappings, cell measures, ancillary variables, terms of formulas,
    geometries and meshes. A variable over the dimension of a ragged array needs the one with its
    row sizes or its indices.
    """
    graph = LinkGraph(root)
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
        if is_variable and link.attribute not in OF_DIMENSIONS:
            assert link.target is not None
            needed[link.source].add(link.target)
    return {fqn: frozenset(others - {fqn}) for fqn, others in needed.items()}


OF_DIMENSIONS = ("instance_dimension", "sample_dimension")
"""Attributes that name dimensions alone, whose coordinate variables are not needed."""


def with_references(
    names: Iterable[str], references: Mapping[str, Iterable[str]]
) -> frozenset[str]:
    """Return FQNs of variables, and of all variables that they need; see `references`."""
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        fqn = waiting.pop()
        if fqn not in reached:
            reached.add(fqn)
            waiting.extend(references[fqn])
    return frozenset(reached)


def named_dimensions(root: Group) -> dict[str, frozenset[str]]:
    """Return the FQNs of the dimensions that the values of each variable are positions along."""
    found: dict[str, set[str]] = {}
    for counts in counts_in(root):
        found.setdefault(counts.variable, set()).add(counts.counted)
    for indexes in indexes_in(root):
        found.setdefault(indexes.variable, set()).update(indexes.targets)
    return {fqn: frozenset(names) for fqn, names in found.items()}
