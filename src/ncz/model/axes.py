"""Find out which dimension is time, height, latitude or longitude, from coordinate variables.

Source: CF Conventions, chapter 4 (axis, standard_name, units, positive). Dimensions without a
coordinate variable are recognised by common names.
"""

from __future__ import annotations

from collections.abc import Mapping

from ncz.model.tree import Group, Variable, base_name, join, walk

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
_UNITS = {
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
    found = {fqn: _axis(fqn, coordinates) for fqn in dimensions}
    return {fqn: axis for fqn, axis in found.items() if axis}


def _axis(fqn: str, coordinates: Mapping[str, Variable]) -> str | None:
    variable = coordinates.get(fqn)
    if variable is not None:
        texts = {
            name: str(attribute.values[0]).strip()
            for name in ("axis", "standard_name", "units", "positive")
            if (attribute := variable.attribute(name)) is not None and attribute.values
        }
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
