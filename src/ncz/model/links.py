"""The links of the CF conventions: variables that name, count or number others.

An attribute of a variable names other variables or dimensions (CF Conventions 1.12, appendix A;
UGRID 1.0). Some of these variables contain positions: the row sizes and the indices of ragged
arrays (CF, section 9.3), gathered points (8.2), the nodes of geometries (7.5) and the elements of
meshes (UGRID). Their values point to other elements if a dimension is cut or joined.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Literal

from ncz.model.tree import Group, base_name, dimensions_by_fqn, join, parent, variables_by_fqn
from ncz.record import record

Meaning = Literal["coordinates", "bounds", "counts", "indexes", "needs", "describes"]
"""The meaning of a link for the variable that has the attribute.

"coordinates" and "bounds": the other variable contains them. "counts" and "indexes": its own values
are sizes or indices along a dimension. "needs": the other variable belongs to it in another way.
"describes": it is about the values, which stay understandable without the other.
"""

CONNECTIVITY = re.compile(r"(node|edge|face|volume|boundary)_(node|edge|face|volume)_connectivity")

ELEMENTS = ("node", "edge", "face", "volume")
"""The elements of a mesh; each kind has a dimension."""

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
    **{f"{element}_coordinates": "coordinates" for element in ELEMENTS},
    **{f"{element}_dimension": "describes" for element in ELEMENTS},
    **{
        f"{one}_{other}_connectivity": "needs"
        for one in (*ELEMENTS, "boundary")
        for other in ELEMENTS
    },
}

NAMING = tuple(_MEANINGS)
"""The attributes whose words are names of variables and dimensions."""

_TERMS = ("cell_measures", "formula_terms", "interpolation_parameters")
"""Attributes where a word before a colon is a term and not a name."""

WORD = re.compile(r"[^\s()]+")


@record
class Link:
    """A name in an attribute, and the variable or the dimension that it means.

    `source` is the FQN of the variable that has the attribute, and `target` the FQN of the variable
    or the dimension, which may be the same; None if neither exists.
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
    """Return the FQN in `names` that a name in a group means, or None.

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
    graph = LinkGraph(root)
    for fqn, variable in graph.variables.items():
        for attribute in variable.attributes:
            meaning = _MEANINGS.get(attribute.name)
            if meaning is not None:
                for name in names_in(attribute.name, variable.text(attribute.name)):
                    yield Link(fqn, attribute.name, name, meaning, graph.find(fqn, name))


class _Scope:
    """Resolves names in the attributes of variables to some FQNs; see `in_scope`.

    An attribute may have any number of names, and a group any number of groups around it.
    """

    def __init__(self, fqns: Mapping[str, object]) -> None:
        self._fqns = fqns
        self._last = {base_name(fqn) for fqn in fqns}
        self._known: dict[tuple[str, str], str | None] = {}

    def __call__(self, fqn: str, name: str) -> str | None:
        """Return the FQN that a name in an attribute of a variable means."""
        if base_name(name) not in self._last:
            return None
        group = parent(fqn)
        if (group, name) not in self._known:
            self._known[group, name] = in_scope(group, name, self._fqns)
        return self._known[group, name]


class LinkGraph:
    """The variables and the dimensions of a dataset, by the names that attributes have."""

    def __init__(self, root: Group) -> None:
        self.variables = dict(variables_by_fqn(root))
        self.dimensions = dimensions_by_fqn(root)
        self.find = _Scope({**self.dimensions, **self.variables})
        self.dimension = _Scope(self.dimensions)
        self.variable = _Scope(self.variables)

    def linked_fqns(self, fqn: str, attribute: str) -> list[str]:
        """Return the FQNs of the variables that a variable's attribute names."""
        names = names_in(attribute, self.variables[fqn].text(attribute))
        found = (self.variable(fqn, name) for name in names)
        return [each for each in found if each is not None]

    def first_dimension(self, fqn: str, attribute: str) -> str | None:
        """Return the first dimension of the first variable that a variable's attribute names."""
        found = self.linked_fqns(fqn, attribute)
        return next(iter(self.variables[found[0]].dimensions), None) if found else None
