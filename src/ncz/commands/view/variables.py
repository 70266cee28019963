"""The variables that have a picture, and the one that is shown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ncz.commands.option_error import OptionError
from ncz.commands.view.error import ViewError
from ncz.errors import did_you_mean, list_names
from ncz.model.tree import (
    Dataset,
    Variable,
    base_name,
    dimensions_by_fqn,
    shape_of,
    variables_by_fqn,
)
from ncz.model.types import Enumeration

AUXILIARY = ("bounds", "climatology", "grid_mapping")
"""Attributes that name variables without a separate picture."""

SUPPORTING = (
    *AUXILIARY, "coordinates", "cell_measures", "ancillary_variables", "nodes", "node_coordinates",
    "edge_coordinates", "face_coordinates", "face_node_connectivity", "edge_node_connectivity",
    "face_edge_connectivity", "face_face_connectivity", "edge_face_connectivity",
    "boundary_node_connectivity",
)  # fmt: skip
"""Attributes that name variables which say more about others, such as coordinates and meshes."""


def viewable(dataset: Dataset) -> list[str]:
    """Return the FQNs of the variables that have a picture, without bounds and grid mappings."""
    lengths = dimensions_by_fqn(dataset.root)
    auxiliary = names_in_attributes(dataset, AUXILIARY)
    return [
        fqn
        for fqn, variable in variables_by_fqn(dataset.root)
        if variable.has_numbers
        and variable.name not in auxiliary
        and math.prod(shape_of(variable, lengths)) > 1
    ]


def names_in_attributes(dataset: Dataset, attributes: Sequence[str]) -> set[str]:
    """Return the names of variables that attributes of others contain."""
    return {
        word
        for _, variable in variables_by_fqn(dataset.root)
        for name in attributes
        for word in variable.text(name).replace(":", " ").split()
    }


def is_drawn(variable: Variable) -> bool:
    """Return whether a variable has a picture: of its numbers, or of an enum's."""
    return variable.has_numbers or isinstance(variable.type, Enumeration)


def choose_variable(dataset: Dataset, name: str | None) -> tuple[str, Variable]:
    """Return the variable with a name, or else the one with the most dimensions and values.

    Raises
    ------
    OptionError
        If no variable has the name.
    ViewError
        If the variable, or all of them, have no picture.
    """
    if name is None:
        variables = dict(variables_by_fqn(dataset.root))
        lengths = dimensions_by_fqn(dataset.root)
        auxiliary = names_in_attributes(dataset, SUPPORTING)

        def rank(fqn: str) -> tuple[bool, int, int]:
            variable = variables[fqn]
            shape = shape_of(variable, lengths)
            is_coordinate = [base_name(d) for d in variable.dimensions] == [variable.name]
            return (
                not (is_coordinate or variable.name in auxiliary),
                min(3, sum(n > 1 for n in shape)),
                math.prod(shape),
            )

        fqns = viewable(dataset)
        if not fqns:
            raise ViewError("no variable has numbers to show", dataset.name)
        fqn = max(fqns, key=rank)
        return fqn, variables[fqn]
    fqn, variable = find_variable(dataset, name)
    if not is_drawn(variable):
        raise ViewError("its values are not numbers", fqn, "use 'ncz dump' to print them")
    return fqn, variable


def find_variable(dataset: Dataset, name: str) -> tuple[str, Variable]:
    """Return the variable with a name, which may be in a group.

    Raises
    ------
    OptionError
        If no variable has the name.
    """
    variables = dict(variables_by_fqn(dataset.root))
    paths = [
        fqn for fqn in variables if fqn == name or (base_name(fqn) == name and "/" not in name)
    ]
    paths = paths or [fqn for fqn in variables if fqn.lstrip("/") == name.strip("/")]
    if not paths:
        names = [fqn.lstrip("/") for fqn in variables]
        hint = did_you_mean(name, names, f"the variables are {list_names(names)}")
        raise OptionError(f"no variable is named {name!r}", hint=hint)
    return paths[0], variables[paths[0]]


def title_of(variable: Variable) -> str:
    """Return the long name of a variable, or else the standard name; "" without both.

    WRF has a description instead.
    """
    names = (one_line_of(variable, n) for n in ("long_name", "standard_name", "description"))
    return next(filter(None, names), "")


def one_line_of(variable: Variable, name: str) -> str:
    """Return the text of an attribute on one line; "" if it is missing or not text."""
    return " ".join(variable.text(name).split())
