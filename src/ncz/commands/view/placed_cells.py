"""The cells of a variable on the map, read from the variables with their places."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ncz.commands.view.cost import chunk_size, chunks_at
from ncz.commands.view.places import Places, Quantity, factor_of
from ncz.late import numpy as np
from ncz.model.packing import packing_of
from ncz.model.tree import Variable
from ncz.views.cell_shapes import MOST_QUADS, face_cells, grid_cells, node_cells
from ncz.views.raster import Cells, Points, Quads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.model.data import Values

ReadValues = Callable[[str, Sequence[range]], "Values"]
"""Returns the stored values of a variable, by its FQN, at some indices."""

_MOST_CORNERS = 12
"""Numbers of corners that identify a table of faces along its second dimension."""


class PlacedCells:
    """Reads the cells of a variable.

    Parameters
    ----------
    variables
        The variables of the dataset by their FQNs.
    fqn
        The variable.
    places
        Its places.
    read
        Reads values.
    """

    def __init__(
        self, variables: dict[str, Variable], fqn: str, places: Places, read: ReadValues
    ) -> None:
        self._variables = variables
        self._variable = variables[fqn]
        self._places = places
        self._read = read

    def cost(self, ranges: Sequence[range]) -> int:
        """Return the bytes of chunks that contain the places of some indices of the variable."""
        return sum(
            chunks_at(data.grid, part) * chunk_size(data)
            for name, part in self._parts(ranges)
            if (data := self._variables[name].data) is not None
        )

    def indices(self, ranges: Sequence[range]) -> tuple[tuple[range, ...], ...]:
        """Return the indices of all variables that `cells` reads."""
        return tuple(tuple(part) for _, part in self._parts(ranges))

    def _parts(self, ranges: Sequence[range]) -> list[tuple[str, list[range]]]:
        """Return the variables that are read, and their indices."""
        places, corners = self._places, self._places.corners
        parts = [
            (name, self._indices(name, ranges))
            for name in (places.longitude, places.latitude)
            if name is not None
        ]
        if corners is not None and self._is_whole(ranges):
            names = [corners.longitude, corners.latitude]
            names += [corners.connectivity] if corners.connectivity is not None else []
            parts += [(name, self._indices(name, ranges)) for name in names]
        return parts

    def _is_whole(self, ranges: Sequence[range]) -> bool:
        """Return whether the indices along the axes with places are all that there are."""
        assert self._variable.data is not None
        shape = self._variable.data.grid.shape
        return all(len(ranges[axis]) == shape[axis] for axis in self._places.axes)

    def _indices(self, name: str, ranges: Sequence[range]) -> list[range]:
        """Return the indices of another variable; all of dimensions that this one does not have."""
        other = self._variables[name]
        assert other.data is not None
        lengths = zip(other.dimensions, other.data.grid.shape, strict=True)
        own = dict(zip(self._variable.dimensions, ranges, strict=True))
        return [own.get(dimension, range(length)) for dimension, length in lengths]

    def cells(self, ranges: Sequence[range]) -> Cells:
        """Return the cells at some indices of the variable, in row-major order."""
        places, corners = self._places, self._places.corners
        if corners is not None and self._is_whole(ranges):
            shapes = self._shapes(ranges)
            if shapes is not None:
                return shapes
        if places.longitude is None or places.latitude is None:
            assert corners is not None
            return Points(*self._middles(ranges))
        east = self._degrees(places.longitude, "longitude", ranges)
        north = self._degrees(places.latitude, "latitude", ranges)
        if len(places.axes) == 1:
            return Points(east.reshape(-1), north.reshape(-1))
        size = [len(ranges[axis]) for axis in places.axes]
        return grid_cells(east.reshape(size), north.reshape(size))

    def _degrees(
        self, name: str, quantity: Quantity, ranges: Sequence[range]
    ) -> NDArray[np.float64]:
        """Return coordinates in degrees, with NaN for missing ones and those beyond a pole."""
        degrees = self._decode(name, ranges) * self._factor(name, quantity)
        degrees[~(abs(degrees) <= (90.001 if quantity == "latitude" else 1080))] = np.nan
        return degrees

    def _decode(self, name: str, ranges: Sequence[range]) -> NDArray[np.float64]:
        values = self._read(name, self._indices(name, ranges))
        return packing_of(self._variables[name]).decode(values)

    def _factor(self, name: str, quantity: Quantity) -> float:
        """Return the factor of coordinates to degrees."""
        return factor_of(self._variables[name], quantity) or 1.0

    def _shapes(self, ranges: Sequence[range]) -> Quads | None:
        """Return cells with corners; None if there are too many."""
        corners = self._places.corners
        assert corners is not None
        if corners.connectivity is None:
            bounds = zip((corners.longitude, corners.latitude), self._quantities(), strict=True)
            polygons = [  # bounds have the units of the coordinates, not of their attribute
                self._decode(name, ranges) * self._factor(*coordinate)
                for name, coordinate in bounds
            ]
            return face_cells(*polygons) if polygons[0].shape == polygons[1].shape else None
        if math.prod(self._grid_shape(corners.connectivity)) > 2 * MOST_QUADS:
            return None
        nodes, is_known = self._faces(ranges)
        east, north = self._node_places(ranges, nodes, is_known)
        return node_cells(east, north, nodes) if corners.has_nodes else face_cells(east, north)

    def _quantities(self) -> list[tuple[str, Quantity]]:
        longitude, latitude = self._places.longitude, self._places.latitude
        assert longitude is not None
        assert latitude is not None
        return [(longitude, "longitude"), (latitude, "latitude")]

    def _grid_shape(self, name: str) -> tuple[int, ...]:
        data = self._variables[name].data
        assert data is not None
        return tuple(data.grid.shape)

    def _faces(self, ranges: Sequence[range]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the numbers of the nodes of each face, from 0, and which of them there are."""
        corners = self._places.corners
        assert corners is not None
        assert corners.connectivity is not None
        table = self._variables[corners.connectivity]
        stored = self._read(corners.connectivity, self._indices(corners.connectivity, ranges))
        packing = packing_of(table)
        is_known = ~packing.is_missing(stored)
        first = table.attribute("start_index")
        start = first.values[0] if first is not None and first.values else 0
        nodes = np.where(is_known, stored, 0).astype(np.int64) - (
            int(start) if isinstance(start, int) else 0
        )
        is_wide = corners.has_nodes and nodes.shape[0] <= _MOST_CORNERS < nodes.shape[1]
        if is_wide or table.dimensions[1] in self._variable.dimensions:
            nodes, is_known = nodes.T, is_known.T
        (count,) = self._grid_shape(corners.longitude)
        is_known = is_known & (nodes >= 0) & (nodes < count)
        return np.where(is_known, nodes, 0), is_known

    def _node_places(
        self, ranges: Sequence[range], nodes: NDArray[np.int64], is_known: NDArray[np.bool_]
    ) -> list[NDArray[np.float64]]:
        """Return the longitudes and the latitudes of the nodes of each face."""
        corners = self._places.corners
        assert corners is not None
        names: list[tuple[str, Quantity]] = [
            (corners.longitude, "longitude"), (corners.latitude, "latitude")
        ]  # fmt: skip
        found = []
        for name, quantity in names:
            degrees = self._degrees(name, quantity, ranges)
            found.append(np.where(is_known, degrees[nodes], np.nan))
        return found

    def _middles(self, ranges: Sequence[range]) -> list[NDArray[np.float64]]:
        """Return the means of the corners of faces."""
        nodes, is_known = self._faces(ranges)
        east, north = self._node_places(ranges, nodes, is_known)
        first = east[:, :1]
        with np.errstate(invalid="ignore"):
            turned = first + np.mod(east - first + 180, 360) - 180
        count = np.maximum(1, is_known.sum(axis=1))
        return [np.where(is_known, one, 0).sum(axis=1) / count for one in (turned, north)]
