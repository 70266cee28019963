"""What the CF conventions say about variables: their axes, and the variables that they refer to.

Source: CF Conventions, chapter 4 (axis, standard_name, units, positive) and appendix A (attributes
that name variables). Dimensions without a coordinate variable are recognised by common names.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping

from ncz.model.tree import Group, Variable, base_name, join, parent, variables_by_fqn, walk
from ncz.model.types import Atomic

_NAMES = {
    "T": ("time", "t", "valid_time", "initial_time", "forecast_time"),
    "Z": ("level", "lev", "plev", "height", "depth", "z", "altitude", "pressure", "isobaric"),
    "Y": ("latitude", "lat", "y", "rlat", "nav_lat", "south_north"),
    "X": ("longitude", "lon", "x", "rlon", "nav_lon", "west_east"),
}
_STANDARD_NAMES = {
    "time": "T",
    "latitude": "Y",
    "grid_latitude": "Y",
    "projection_y_coordinate": "Y",
    "longitude": "X",
    "grid_longitude": "X",
    "projection_x_coordinate": "X",
}
_PRESSURE = (
    "pa", "hpa", "kpa", "bar", "bars", "mbar", "mb", "millibar", "millibars", "dbar", "decibar",
    "decibars", "atm", "atmosphere", "pascal", "pascals", "hectopascal", "hectopascals",
)  # fmt: skip
"""Units of pressure in lower case, which alone make a coordinate vertical (CF, section 4.3.1)."""

_UNITS = {
    **dict.fromkeys(_PRESSURE, "Z"),
    **dict.fromkeys(("degrees_north", "degree_north", "degree_n", "degrees_n"), "Y"),
    **dict.fromkeys(("degrees_east", "degree_east", "degree_e", "degrees_e"), "X"),
}


def axes_of(root: Group) -> dict[str, str]:
    """Return "T", "Z", "Y" or "X" by the FQN of a dimension, for those that are recognised."""
    coordinates = {
        variable.dimensions[0]: variable
        for _, group in walk(root)
        for variable in group.variables
        if len(variable.dimensions) == 1 and base_name(variable.dimensions[0]) == variable.name
    }
    dimensions = [join(fqn, d.name) for fqn, group in walk(root) for d in group.dimensions]
    axes = {fqn: _axis(fqn, coordinates) for fqn in dimensions}
    return {fqn: axis for fqn, axis in axes.items() if axis}


def _axis(fqn: str, coordinates: Mapping[str, Variable]) -> str | None:
    variable = coordinates.get(fqn)
    if variable is not None:
        texts = _texts(variable)
        if texts.get("axis", "").upper() in _NAMES:
            return texts["axis"].upper()
        units = texts.get("units", "").lower()
        axis = _STANDARD_NAMES.get(texts.get("standard_name", "")) or _UNITS.get(units)
        if axis is None and " since " in units:
            axis = "T"
        if axis is None and texts.get("positive", "").lower() in ("up", "down"):
            axis = "Z"
        if axis is not None:
            return axis
    name = base_name(fqn).lower()
    return next((axis for axis, names in _NAMES.items() if name in names), None)


def grows_upwards(variable: Variable) -> bool | None:
    """Return whether the coordinates of a vertical axis grow upwards; None if that is not known."""
    texts = _texts(variable)
    positive = texts.get("positive", "").lower()
    if positive in ("up", "down"):
        return positive == "up"
    if texts.get("units", "").lower() in _PRESSURE:
        return False
    words = f"{texts.get('standard_name', '')} {variable.name}".lower()
    if "depth" in words:
        return False
    return True if "height" in words or "altitude" in words else None


def is_latitude(variable: Variable) -> bool:
    """Return whether the values of a variable are latitudes."""
    texts = _texts(variable)
    units = texts.get("units", "").lower()
    return _UNITS.get(units) == "Y" or texts.get("standard_name") == "latitude"


def _texts(variable: Variable) -> dict[str, str]:
    """Return the attributes that tell the axis of a coordinate variable."""
    return {
        name: str(attribute.values[0]).strip()
        for name in ("axis", "standard_name", "units", "positive")
        if (attribute := variable.attribute(name)) is not None and attribute.values
    }


def is_longitude(variable: Variable) -> bool:
    """Return whether the values of a coordinate variable are longitudes in degrees."""
    texts = _texts(variable)
    units = texts.get("units", "").lower()
    if _UNITS.get(units) == "X":
        return True
    return texts.get("standard_name") == "longitude" and units in ("", "degree", "degrees")


# Attributes whose words are names of other variables and of dimensions.

NAMING = (
    "ancillary_variables", "bounds", "cell_measures", "cell_methods", "climatology", "compress",
    "coordinates", "formula_terms", "geometry", "grid_mapping", "instance_dimension",
    "interior_ring", "node_coordinates", "node_count", "part_node_count", "sample_dimension",
)  # fmt: skip
"""Attributes of the CF conventions whose words are names of variables and dimensions."""

_TERMS = ("cell_measures", "formula_terms")
"""Those in which a word before a colon is a term and not a name."""

_ABOUT_VALUES = ("cell_methods", "instance_dimension", "sample_dimension")
"""Those without which the values of a variable can be understood."""

WORD = re.compile(r"[^\s()]+")


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


def references(root: Group) -> dict[str, frozenset[str]]:
    """Return the FQNs of the variables that each variable needs, itself not among them.

    They are the coordinates of its dimensions, and the variables that its attributes name: bounds,
    auxiliary coordinates, grid mappings, cell measures, ancillary variables, terms of formulas and
    geometries. A variable over the dimension of a ragged array needs the one with its row sizes.
    """
    variables = dict(variables_by_fqn(root))
    dimensions = {d for v in variables.values() for d in v.dimensions}
    over: dict[str, set[str]] = {}
    for fqn, variable in variables.items():
        first = variable.dimensions[:1]
        is_index = bool(_text(variable, "instance_dimension"))
        sampled = in_scope(parent(fqn), _text(variable, "sample_dimension"), dimensions)
        for dimension in (*first, sampled):
            if dimension is not None and (is_index or dimension in (fqn, sampled)):
                over.setdefault(dimension, set()).add(fqn)
    references_of = {}
    for fqn, variable in variables.items():
        others = {other for d in variable.dimensions for other in over.get(d, ())}
        for attribute in NAMING:
            if attribute not in _ABOUT_VALUES:
                for name in names_in(attribute, _text(variable, attribute)):
                    other = in_scope(parent(fqn), name, variables)
                    others |= {other} if other is not None else set()
        references_of[fqn] = frozenset(others - {fqn})
    return references_of


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


def _text(variable: Variable, name: str) -> str:
    attribute = variable.attribute(name)
    if attribute is None or attribute.type not in (Atomic.CHAR, Atomic.STRING):
        return ""
    return " ".join(value or "" for value in attribute.values)
