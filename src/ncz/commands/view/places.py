"""The places of a variable on the map: longitudes and latitudes that are not axes.

Curved grids have them along two dimensions, as ROMS, WRF, NEMO and CORDEX. Faces and nodes of
meshes, stations and floats have them along one. Sources: CF Conventions, sections 5.2 and 9;
UGRID Conventions 1.0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ncz.model.axes import axes_of, is_latitude, is_longitude
from ncz.model.tree import (
    Dataset,
    Variable,
    dimensions_by_fqn,
    join,
    parent,
    shape_of,
    variables_by_fqn,
)
from ncz.record import record

Quantity = Literal["longitude", "latitude"]


@record(kw_only=True)
class Corners:
    """The variables with the corners of cells: the bounds of coordinates, or a mesh.

    `longitude` and `latitude` are bounds with a row for each cell, or the coordinates of the nodes
    that `connectivity` numbers. The cells are its faces, or if `has_nodes` the nodes.
    """

    longitude: str
    latitude: str
    connectivity: str | None = None
    has_nodes: bool = False


@record(kw_only=True)
class Places:
    """The variables with the places of another one, by their FQNs.

    `axes` are the one or two axes of the variable that have places, by number. A mesh whose faces
    have no coordinates has `corners` alone.
    """

    axes: tuple[int, ...]
    longitude: str | None = None
    latitude: str | None = None
    corners: Corners | None = None


def places_of(dataset: Dataset, fqn: str) -> Places | None:
    """Return the places of the values of a variable on the map; None if they are not known.

    It is not known of a variable whose longitudes and latitudes are axes.
    """
    variables = dict(variables_by_fqn(dataset.root))
    variable = variables[fqn]
    lengths = dimensions_by_fqn(dataset.root)
    shape = shape_of(variable, lengths)
    corners = _mesh_corners(variables, fqn)
    for longitude, latitude in _pairs(variables, fqn):
        dimensions = variables[longitude].dimensions
        if not all(dimension in variable.dimensions for dimension in dimensions):
            continue
        axes = tuple(variable.dimensions.index(d) for d in dimensions[-2:])
        if len({*axes}) < len(axes):  # a dimension that is named twice
            continue
        if len(dimensions) > 1 and min(shape[axis] for axis in axes) == 1:
            axes = tuple(sorted(axes, key=lambda axis: shape[axis])[1:])
        if not _is_map(dataset, variable, shape, axes):
            continue
        if corners is None and len(dimensions) == 1:
            corners = _bounds(variables, longitude, latitude)
        return Places(axes=axes, longitude=longitude, latitude=latitude, corners=corners)
    if corners is not None and corners.connectivity is not None and not corners.has_nodes:
        dimension = _face_dimension(variables[corners.connectivity], variable)
        if dimension is not None:
            return Places(axes=(variable.dimensions.index(dimension),), corners=corners)
    return None


def _is_map(
    dataset: Dataset, variable: Variable, shape: Sequence[int], axes: Sequence[int]
) -> bool:
    """Return whether values at places are a map, and not a section along a path of a ship."""
    if math.prod(shape[axis] for axis in axes) < 2:
        return False
    kinds = axes_of(dataset.root)
    is_path = len(axes) == 1 and kinds.get(variable.dimensions[axes[0]]) == "T"
    return not is_path or sum(length > 1 for length in shape) == 1


def _pairs(variables: dict[str, Variable], fqn: str) -> Iterator[tuple[str, str]]:
    """Yield longitudes and latitudes with the same dimensions, named ones first."""
    group = parent(fqn)
    variable = variables[fqn]
    named = variable.text("coordinates").split()
    mesh = _find(variables, group, variable.text("mesh"))
    if mesh is not None:
        named += variables[mesh].text(f"{variable.text('location')}_coordinates").split()
    others = [name for name in variables if parent(name) == group]
    for names in (named, others):
        found = [one for name in names if (one := _find(variables, group, name)) is not None]
        latitudes: dict[tuple[str, ...], str] = {}
        for name in found:
            if name != fqn and factor_of(variables[name], "latitude") is not None:
                latitudes.setdefault(variables[name].dimensions, name)
        for name in found:
            latitude = latitudes.get(variables[name].dimensions)
            is_east = factor_of(variables[name], "longitude") is not None
            if latitude is not None and is_east and name != fqn and variables[name].dimensions:
                yield name, latitude


def _find(variables: dict[str, Variable], group: str, name: str) -> str | None:
    """Return the FQN of a variable that a group or one around it has; None without any."""
    if not name:
        return None
    if name.startswith("/"):
        return name if name in variables else None
    while True:
        if join(group, name) in variables:
            return join(group, name)
        if not group:
            return None
        group = parent(group)


_NAMES: dict[Quantity, re.Pattern[str]] = {
    "longitude": re.compile(r"(nav_|[xtuvc])?lon(g|gitude)?(cell|_rho|_[uv]|_psi)?", re.IGNORECASE),
    "latitude": re.compile(r"(nav_|[xtuvc])?lat(itude)?(cell|_rho|_[uv]|_psi)?", re.IGNORECASE),
}
"""The names of coordinates in widespread models, for coordinates with unclear units."""

_RADIANS = ("radian", "radians", "rad")


def factor_of(variable: Variable, quantity: Quantity) -> float | None:
    """Return the factor of coordinates to degrees; None for another quantity."""
    if not variable.has_numbers or variable.data is None:
        return None
    units, standard_name = variable.text("units"), variable.text("standard_name")
    is_known = (is_longitude if quantity == "longitude" else is_latitude)(variable)
    if is_known and units.lower() not in _RADIANS:
        return 1.0
    is_named = standard_name == quantity or (
        not standard_name and _NAMES[quantity].fullmatch(variable.name) is not None
    )
    if not is_named:
        return None
    if units.lower() in _RADIANS:
        return 180 / math.pi
    return 1.0 if units.lower() in ("", "degree", "degrees") else None


def _bounds(variables: dict[str, Variable], longitude: str, latitude: str) -> Corners | None:
    """Return the corners of cells of one dimension, which their coordinates name."""
    names = [
        _find(variables, parent(n), variables[n].text("bounds")) for n in (longitude, latitude)
    ]
    dimensions = variables[longitude].dimensions
    for name in names:
        if name is None or variables[name].data is None or not variables[name].has_numbers:
            return None
        if variables[name].dimensions[:-1] != dimensions:
            return None
    east, north = names
    assert east is not None
    assert north is not None
    return Corners(longitude=east, latitude=north)


def _mesh_corners(variables: dict[str, Variable], fqn: str) -> Corners | None:
    """Return the corners of the faces of a mesh, or of the parts of them around its nodes."""
    group, variable = parent(fqn), variables[fqn]
    mesh, location = _find(variables, group, variable.text("mesh")), variable.text("location")
    if mesh is None or location not in ("face", "node"):
        return None
    group = parent(mesh)
    connectivity = _find(variables, group, variables[mesh].text("face_node_connectivity"))
    found = [_find(variables, group, n) for n in variables[mesh].text("node_coordinates").split()]
    nodes = [name for name in found if name is not None]
    places = [
        [name for name in nodes if factor_of(variables[name], quantity) is not None]
        for quantity in _NAMES
    ]
    if connectivity is None or variables[connectivity].data is None or not all(places):
        return None
    if len(variables[connectivity].dimensions) != 2:
        return None
    (east, *_), (north, *_) = places
    return Corners(
        longitude=east, latitude=north, connectivity=connectivity, has_nodes=location == "node"
    )


def _face_dimension(connectivity: Variable, variable: Variable) -> str | None:
    """Return the dimension of a variable that a table of faces has too."""
    return next((d for d in connectivity.dimensions if d in variable.dimensions), None)
