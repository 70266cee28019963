"""Variables that contain coordinates rather than data.

Source: CF Conventions, chapters 4 and 5 (coordinate variables and auxiliary coordinates) and
section 7.1 (cell boundaries).
"""

from __future__ import annotations

from ncz.model.axes import is_latitude, is_longitude
from ncz.model.links import links
from ncz.model.tree import Group, Variable, base_name, variables_by_fqn

_OF_DATA = frozenset({"ancillary_variables", "cell_measures"})
"""Attributes that name variables with data, such as standard errors and areas."""


def coordinate_variables(root: Group) -> frozenset[str]:
    """Return the FQNs of the variables that contain coordinates, or locate others' coordinates.

    They are coordinate variables, times, latitudes and longitudes, and the variables that
    attributes such as ``coordinates``, ``bounds``, ``formula_terms`` and ``grid_mapping`` name.
    """
    named = {
        link.target
        for link in links(root)
        if link.target is not None and link.meaning != "describes"
        if link.attribute not in _OF_DATA
    }
    holding = (fqn for fqn, variable in variables_by_fqn(root) if _locates(fqn, variable))
    return frozenset(named).union(holding)


def _locates(fqn: str, variable: Variable) -> bool:
    is_axis = any(base_name(dimension) == base_name(fqn) for dimension in variable.dimensions)
    is_time = " since " in variable.text("units")
    return is_axis or is_time or is_latitude(variable) or is_longitude(variable)
