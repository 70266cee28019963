"""Axes of variables, by the CF conventions.

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
_PRESSURE = (
    "pa", "hpa", "kpa", "bar", "bars", "mbar", "mb", "millibar", "millibars", "dbar", "decibar",
    "decibars", "atm", "atmosphere", "pascal", "pascals", "hectopascal", "hectopascals",
)  # fmt: skip
"""Units of pressure in lower case, which alone make a coordinate vertical (CF, section 4.3.1)."""

_DEGREES = ("degree", "degrees")

_UNITS = {
    **dict.fromkeys(_PRESSURE, "Z"),
    **dict.fromkeys([f"{degree}{n}" for degree in _DEGREES for n in ("_north", "_n", "n")], "Y"),
    **dict.fromkeys([f"{degree}{e}" for degree in _DEGREES for e in ("_east", "_e", "e")], "X"),
}


def axes_of(root: Group) -> dict[str, str]:
    """Return "T", "Z", "Y" or "X" by the FQN of each recognised dimension."""
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
        if variable.text("axis").upper() in _NAMES:
            return variable.text("axis").upper()
        units = variable.text("units").lower()
        axis = _STANDARD_NAMES.get(variable.text("standard_name")) or _UNITS.get(units)
        if axis is None and " since " in units:
            axis = "T"
        if axis is None and variable.text("positive").lower() in ("up", "down"):
            axis = "Z"
        if axis is not None:
            return axis
    name = base_name(fqn).lower()
    return next((axis for axis, names in _NAMES.items() if name in names), None)


def grows_upwards(variable: Variable) -> bool | None:
    """Return whether the coordinates of a vertical axis grow upwards; None if that is not known."""
    positive = variable.text("positive").lower()
    if positive in ("up", "down"):
        return positive == "up"
    if variable.text("units").lower() in _PRESSURE:
        return False
    words = f"{variable.text('standard_name')} {variable.name}".lower()
    if "depth" in words:
        return False
    return True if "height" in words or "altitude" in words else None


def is_latitude(variable: Variable) -> bool:
    """Return whether the values of a variable are latitudes."""
    is_north = _UNITS.get(variable.text("units").lower()) == "Y"
    has_name = variable.text("standard_name") == "latitude"
    return is_north or has_name or _is_called(variable, ("latitude", "lat"))


def is_longitude(variable: Variable) -> bool:
    """Return whether the values of a coordinate variable are longitudes in degrees."""
    units = variable.text("units").lower()
    if _UNITS.get(units) == "X":
        return True
    if variable.text("standard_name") == "longitude" and units in ("", "degree", "degrees"):
        return True
    return _is_called(variable, ("longitude", "lon"))


def _is_called(variable: Variable, names: tuple[str, ...]) -> bool:
    """Return whether only the name identifies a variable: it has no units, as from xarray."""
    says = variable.text("units") or variable.text("standard_name")
    return not says and variable.name.lower() in names
