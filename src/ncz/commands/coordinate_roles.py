"""Find the dimension for a common name, such as "lon", in a dataset with other names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncz.model.tree import Dataset, Variable, base_name, dimensions_by_fqn, variables_by_fqn

_NAMES: Mapping[str, frozenset[str]] = {
    "longitude": frozenset({"lon", "longitude", "long", "lons", "nav_lon"}),
    "latitude": frozenset({"lat", "latitude", "lats", "nav_lat"}),
    "time": frozenset({"time", "times", "valid_time", "date", "datetime"}),
    "vertical": frozenset(
        {"level", "lev", "plev", "pressure", "pressure_level", "isobaricinhpa", "height", "depth",
         "altitude"}
    ),
}  # fmt: skip
"""The names of dimensions and coordinates of each role, in lower case."""

_UNITS: Mapping[str, tuple[str, ...]] = {
    "longitude": ("degrees_east", "degree_east", "degrees_e", "degree_e"),
    "latitude": ("degrees_north", "degree_north", "degrees_n", "degree_n"),
}
"""The units that only coordinates of this role have."""

_AXES = {"Z": "vertical", "T": "time"}
"""The axes that determine the role; X and Y may be axes of a projection."""


def dimension_by_role(dataset: Dataset, name: str) -> str | None:
    """Return the name of the only dimension with the role of a common name; None without one.

    So "lon" means a dimension ``longitude``, and "time" one that is called ``valid_time``, by its
    name, its ``standard_name``, its ``axis`` or its units. Call it for a name that does not exist.
    """
    role = next((role for role, names in _NAMES.items() if name.lower() in names), None)
    if role is None:
        return None
    found = {base for base, theirs in _dimensions(dataset) if theirs == role}
    return found.pop() if len(found) == 1 else None


def _dimensions(dataset: Dataset) -> Iterator[tuple[str, str | None]]:
    """Yield the name of each dimension, and its role."""
    variables = dict(variables_by_fqn(dataset.root))
    for fqn in dimensions_by_fqn(dataset.root):
        base = base_name(fqn)
        variable = variables.get(fqn)
        by_name = next((role for role, names in _NAMES.items() if base.lower() in names), None)
        yield base, by_name or (None if variable is None else _role_of(variable))


def _role_of(variable: Variable) -> str | None:
    """Return the role that the attributes of a coordinate state."""
    standard = variable.text("standard_name")
    if standard in ("longitude", "latitude", "time"):
        return standard
    units = variable.text("units")
    if " since " in units:
        return "time"
    by_units = next((r for r, known in _UNITS.items() if units.lower() in known), None)
    if by_units is not None:
        return by_units
    if variable.text("positive") in ("up", "down"):
        return "vertical"
    return _AXES.get(variable.text("axis"))
