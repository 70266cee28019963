"""The contents of a picture of a variable: its axes, and values at the resolution needed.

Values are read every few indices, by whole chunks. A picture that would need more than a limit of
chunks is an error that says which stride needs fewer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.commands.view.axes import keeps_shape, picture_axes
from ncz.commands.view.coordinates import DIGITS, Coordinates, decoded_numbers, known_values
from ncz.commands.view.cost import MOST_READ, check_size
from ncz.commands.view.error import ViewError
from ncz.commands.view.flags import names_of_values
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

ALL_MISSING = "all values are missing"


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

    @property
    def reversed(self) -> Axis:
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
    named: tuple[str, ...] = ()
    """The values that are shown and have names, of an enum or of flags, with these."""
    keeps_shape: bool = True
    """Whether a step along one axis is as long as along the other."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The part of the variable that is shown, in one line or none."""
        axes = [axis for axis in (self.down, self.across) if axis is not None and axis.step > 1]
        parts = [f"{name} = {text}" for name, text in self.fixed]
        parts += [f"every {axis.step} along {axis.name}" for axis in axes]
        lines = (", ".join(parts),) if parts else ()
        return lines if bool((self.values == self.values).any()) else (*lines, ALL_MISSING)


def scene_of(
    dataset: Dataset,
    fqn: str,
    *,
    most: tuple[int, int],
    axes: Sequence[str] = (),
    stride: int | None = None,
    limit: int = MOST_READ,
) -> Scene:
    """Read what a picture of a variable needs.

    Parameters
    ----------
    dataset, fqn
        The dataset, or a part of it, and the variable.
    most
        The most rows and columns that are shown. A line has as many values as columns.
    axes
        The horizontal and the vertical dimension, if not those of CF.
    stride
        Show every so many indices along the axes of the picture.
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
        vertical = vertical.reversed
    if horizontal is None:
        horizontal = Axis(name="", coordinates=np.zeros(1), texts=("", ""))
    fixed = tuple(
        (base_name(name), coordinates.texts(name, ranges[axis], DIGITS)[0])
        for axis, name in enumerate(variable.dimensions)
        if axis not in scene_axes and (shape[axis] > 1 or coordinates.variable(name) is not None)
    )
    return Scene(
        name=fqn.lstrip("/"),
        title=title_of(variable) or variable.name,
        units=one_line_of(variable, "units"),
        values=decoded_values,
        across=horizontal,
        down=vertical,
        fixed=fixed,
        named=names_of_values(decoded_values, variable),
        keeps_shape=keeps_shape(
            dataset, [variable.dimensions[axis] for axis in scene_axes if shape]
        ),
    )


def _axis(coordinates: Coordinates, variable: Variable, axis: int, ranges: Sequence[range]) -> Axis:
    dimension, indices = variable.dimensions[axis], ranges[axis]
    numbers = coordinates.numbers(dimension, indices)
    first, last = (coordinates.texts(dimension, i, DIGITS)[0] for i in (indices[:1], indices[-1:]))
    return Axis(
        name=base_name(dimension),
        coordinates=np.asarray(indices, "f8") if numbers is None else numbers,
        texts=(first, last),
        step=indices.step,
    )
