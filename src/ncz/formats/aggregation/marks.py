"""The attributes that identify the aggregated variables of a master."""

from __future__ import annotations

from ncz.model import tree
from ncz.model.tree import Variable

CFA_ROLE = "cfa_variable"
"""The value of ``cf_role`` of the variables of CFA 0.4 and 0.5; other roles have other meanings."""

CFA_MARKS = ("cf_role", "cfa_dimensions", "cfa_array", "cfa_group")
"""The attributes of an aggregated variable of CFA 0.4 and 0.5."""

CF_MARKS = ("aggregated_dimensions", "aggregated_data")
"""The attributes of an aggregated variable of CFA 0.6 and CF 1.13."""


def text_of(variable: Variable, name: str) -> str | None:
    """Return the text of an attribute of a variable; None if the attribute is not text."""
    attribute = variable.attribute(name)
    if attribute is None or any(not isinstance(v, str) for v in attribute.values):
        return None  # netCDF has empty texts as attributes without values of any type
    return tree.text_of(attribute)


def is_aggregated(variable: Variable) -> bool:
    """Return whether a variable has the marks of an aggregated variable."""
    if variable.dimensions:
        return False
    if text_of(variable, "aggregated_data") is not None:
        return text_of(variable, "aggregated_dimensions") is not None
    return text_of(variable, "cf_role") == CFA_ROLE
