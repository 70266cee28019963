"""The contents of a picture of a variable: its axes, and values at the resolution needed.

Values are read every few indices, by whole chunks. A picture that would need more than a limit of
chunks is an error with a stride that needs fewer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.commands.view.axes import keeps_shape, picture_axes
from ncz.commands.view.coordinates import Coordinates, decoded_numbers, known_values
from ncz.commands.view.cost import MOST_READ, check_size
from ncz.commands.view.error import ViewError
from ncz.commands.view.flags import names_of_values
from ncz.commands.view.map_axes import axes_window, resample_evenly
from ncz.commands.view.placed_scene import placed_ranges, placed_values
from ncz.commands.view.places import Places, places_of
from ncz.commands.view.value_digits import Digits, digits_of
from ncz.commands.view.variables import one_line_of, title_of
from ncz.late import numpy as np
from ncz.model.data import read_all
from ncz.model.subset import subset_source
from ncz.model.tree import (
    Dataset,
    Variable,
    base_name,
    dimensions_by_fqn,
    shape_of,
    variables_by_fqn,
)
from ncz.record import record, replace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.text.times import Times
    from ncz.views.map_window import Window


@record(kw_only=True)
class Axis:
    """A dimension of a picture.

    `coordinates` are the numbers of those indices that are shown, and `texts` the first and the
    last as text: dates, if the coordinate has times.
    """

    name: str
    coordinates: NDArray[np.float64]
    texts: tuple[str, str]
    step: int = 1
    title: str = ""
    """The long name and the units of the coordinates, for a label."""
    times: Times | None = None
    has_coordinates: bool = False

    @property
    def opposite(self) -> Axis:
        """The axis in the other direction."""
        first, last = self.texts
        return replace(self, coordinates=self.coordinates[::-1], texts=(last, first))


@record(kw_only=True)
class Scene:
    """A picture before it is drawn.

    `values` have one dimension, or two with rows from top to bottom; NaN is missing. `across` is
    the horizontal axis, `down` the vertical one. `fixed` are the other dimensions and where they
    are cut.
    """

    name: str
    title: str
    units: str
    values: NDArray[np.float64]
    across: Axis
    down: Axis | None = None
    fixed: tuple[tuple[str, str], ...] = ()
    coarse: tuple[tuple[str, str], ...] = ()
    """Dimensions without an axis that are shown with a stride, and the stride."""
    named: tuple[str, ...] = ()
    """The values that are shown and have names, of an enum or of flags, with these."""
    digits: Digits = Digits("double")
    """The digits of the values."""
    keeps_shape: bool = True
    """Whether a step along one axis is as long as along the other."""
    window: Window | None = None
    """The part of the map that is shown; None if the axes are not longitude and latitude."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The part of the variable that is shown, in one line or none."""
        parts = [f"{name} = {text}" for name, text in self.fixed] + self._steps
        lines = (", ".join(parts),) if parts else ()
        return (*lines, *self.missing_notes)

    @property
    def missing_notes(self) -> tuple[str, ...]:
        """The note that there are no values to show, if that is so."""
        if self.has_values:
            return ()
        return (f"all values{' that are shown' if self._steps else ''} are missing",)

    @property
    def _steps(self) -> list[str]:
        axes = [axis for axis in (self.down, self.across) if axis is not None and axis.step > 1]
        steps = [f"every {axis.step} along {axis.name}" for axis in axes]
        return steps + [f"every {step} along {name}" for name, step in self.coarse]

    @property
    def has_values(self) -> bool:
        """Whether a value is not missing."""
        return bool((self.values == self.values).any())


def scene_of(
    dataset: Dataset,
    fqn: str,
    *,
    most: tuple[int, int],
    tall: float = 1.0,
    axes: Sequence[str] = (),
    stride: int | None = None,
    limit: int = MOST_READ,
) -> Scene:
    """Read the data of a picture of a variable.

    Parameters
    ----------
    dataset, fqn
        The dataset, or a part of it, and the variable.
    most
        The most rows and columns that are shown. A line has as many values as columns.
    tall
        The ratio of the height to the width of a pixel.
    axes
        The horizontal and the vertical dimension, if not the axes that CF names.
    stride
        The step of the shown indices along the axes of the picture.
    limit
        Bytes of chunks that may be read.

    Raises
    ------
    ViewError
        If the chunks are larger, or the variable has no values.
    NczError
        If the values cannot be read.
    """
    variable = dict(variables_by_fqn(dataset.root))[fqn]
    shape = shape_of(variable, dimensions_by_fqn(dataset.root))
    if 0 in shape:
        raise ViewError("it has no values", fqn)
    if variable.data is None:
        raise ViewError("no value of it was ever written", fqn)
    places = None if axes else places_of(dataset, fqn)
    if places is not None:
        return _placed_scene(dataset, fqn, places, most=most, tall=tall, stride=stride, limit=limit)
    down, across = picture_axes(dataset, variable, axes)
    scene_axes = {across: most[1]} | ({down: most[0]} if down is not None else {})
    ranges = [range(1)] * len(shape)
    for axis, count in scene_axes.items() if shape else ():
        ranges[axis] = range(0, shape[axis], stride or math.ceil(shape[axis] / max(1, count)))
    check_size(variable.data, ranges, [*scene_axes] if shape else [], fqn, limit)
    values = read_all(subset_source(variable.data, tuple(ranges)))
    decoded_values = known_values(values, variable)
    if down is None:
        decoded_values = decoded_values.reshape(-1)
    else:
        decoded_values = decoded_values.reshape([len(ranges[axis]) for axis in sorted(scene_axes)])
        if down > across:
            decoded_values = decoded_values.T
    coordinates = Coordinates(dataset, decoded_numbers)
    horizontal = _axis(coordinates, variable, across, ranges) if shape else None
    vertical = None if down is None else _axis(coordinates, variable, down, ranges)
    if (
        vertical is not None
        and down is not None
        and coordinates.go_up(variable.dimensions[down], vertical.coordinates)
    ):
        decoded_values = decoded_values[::-1]
        vertical = vertical.opposite
    if horizontal is None:
        horizontal = Axis(name="", coordinates=np.zeros(1), texts=("", ""))
    fixed = _fixed_dimensions(coordinates, variable, shape, ranges, [*scene_axes])
    window = None
    if vertical is not None and down is not None:
        is_map = coordinates.is_map(variable.dimensions[down], variable.dimensions[across])
        window = axes_window(horizontal.coordinates, vertical.coordinates) if is_map else None
        if window is not None:
            decoded_values = resample_evenly(
                decoded_values, horizontal.coordinates, vertical.coordinates, window
            )
    return Scene(
        name=fqn.lstrip("/"),
        title=title_of(variable) or variable.name,
        units=one_line_of(variable, "units"),
        values=decoded_values,
        across=horizontal,
        down=vertical,
        fixed=fixed,
        window=window,
        named=names_of_values(decoded_values, variable),
        digits=digits_of(variable),
        keeps_shape=keeps_shape(
            dataset, [variable.dimensions[axis] for axis in scene_axes if shape]
        ),
    )


def _fixed_dimensions(
    coordinates: Coordinates,
    variable: Variable,
    shape: Sequence[int],
    ranges: Sequence[range],
    shown: Sequence[int],
) -> tuple[tuple[str, str], ...]:
    """Return the dimensions that are not shown, and their selected indices."""
    return tuple(
        (base_name(name), coordinates.texts(name, ranges[axis])[0])
        for axis, name in enumerate(variable.dimensions)
        if axis not in shown and (shape[axis] > 1 or coordinates.variable(name) is not None)
    )


def _placed_scene(
    dataset: Dataset,
    fqn: str,
    places: Places,
    *,
    most: tuple[int, int],
    tall: float,
    stride: int | None,
    limit: int,
) -> Scene:
    """Read a picture of values on the map, whose places are not axes."""
    variable = dict(variables_by_fqn(dataset.root))[fqn]
    shape = shape_of(variable, dimensions_by_fqn(dataset.root))
    ranges = placed_ranges(shape, places, math.prod(most), stride)
    placed = placed_values(dataset, fqn, ranges, places, most=most, tall=tall, limit=limit)
    coordinates = Coordinates(dataset, decoded_numbers)
    fixed = _fixed_dimensions(coordinates, variable, shape, ranges, places.axes)
    steps = [
        (base_name(variable.dimensions[axis]), str(ranges[axis].step))
        for axis in places.axes
        if ranges[axis].step > 1
    ]
    rows, columns = placed.values.shape
    window = placed.window
    return Scene(
        name=fqn.lstrip("/"),
        title=title_of(variable) or variable.name,
        units=one_line_of(variable, "units"),
        values=placed.values,
        across=_degrees("longitude", window.west, window.east, columns),
        down=_degrees("latitude", window.north, window.south, rows),
        fixed=fixed,
        coarse=tuple(steps),
        window=window,
        named=names_of_values(placed.values, variable),
        digits=digits_of(variable),
    )


def _degrees(name: str, first: float, last: float, count: int) -> Axis:
    """Return an axis of degrees between two ends, with the middles of a number of pixels."""
    edges = np.linspace(first, last, count + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    texts = (f"{first:.6g}", f"{last:.6g}")
    return Axis(name=name, coordinates=middles, texts=texts)


def _axis(coordinates: Coordinates, variable: Variable, axis: int, ranges: Sequence[range]) -> Axis:
    dimension, indices = variable.dimensions[axis], ranges[axis]
    numbers = coordinates.numbers(dimension, indices)
    first, last = (coordinates.texts(dimension, i)[0] for i in (indices[:1], indices[-1:]))
    return Axis(
        name=base_name(dimension),
        coordinates=np.asarray(indices, "f8") if numbers is None else numbers,
        texts=(first, last),
        step=indices.step,
        title=coordinates.title(dimension),
        times=coordinates.times(dimension),
        has_coordinates=numbers is not None,
    )
