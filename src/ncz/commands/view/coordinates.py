"""Coordinates, as numbers and as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ncz.commands.view.cost import MOST_READ, chunk_size
from ncz.commands.view.value_digits import digits_of, number_text
from ncz.commands.view.variables import one_line_of, title_of
from ncz.late import numpy as np
from ncz.model.axes import axes_of, grows_upwards, is_latitude, is_longitude
from ncz.model.data import read_all
from ncz.model.packing import packing_of
from ncz.model.subset import subset_source
from ncz.model.tree import Dataset, Variable, base_name, parent, variables_by_fqn, walk
from ncz.model.types import Atomic
from ncz.text.time_variables import find_times
from ncz.text.times import Times

if TYPE_CHECKING:
    from numpy.typing import NDArray


def known_values(values: NDArray[Any], variable: Variable) -> NDArray[np.float64]:
    """Return values as numbers, with NaN for missing and unwritten ones.

    Elements that were never written have netCDF's default fill, unless the variable has a mask.
    """
    packing = packing_of(variable)
    numbers, nc_type = packing.decode(values), variable.type
    if not packing.masks and isinstance(nc_type, Atomic) and nc_type.size > 1:
        fill = np.asarray(nc_type.default_fill).astype(values.dtype)
        return np.where(values == fill, np.nan, numbers)
    return numbers


class Coordinates:
    """The coordinates of the dimensions of a dataset. Many threads may use them.

    `read` returns the numbers of a coordinate variable, which it is given with its FQN, at some
    indices.
    """

    def __init__(
        self, dataset: Dataset, read: Callable[[str, Variable, range], NDArray[np.float64]]
    ) -> None:
        self.kinds = axes_of(dataset.root)
        """The axis of CF of each dimension that has one."""
        self._groups = dict(walk(dataset.root))
        self._variables = dict(variables_by_fqn(dataset.root))
        self._read = read
        self._times: dict[str, dict[str, Times]] = {}
        self._northward: dict[str, bool] = {}

    def variable(self, dimension: str) -> Variable | None:
        """Return the coordinate variable of a dimension; None unless it has numbers."""
        variable = self._variables.get(dimension)
        if variable is None or variable.data is None or not variable.has_numbers:
            return None
        return variable if variable.dimensions == (dimension,) else None

    def numbers(self, dimension: str, indices: range) -> NDArray[np.float64] | None:
        """Return the coordinates of some indices; None if the dimension has no coordinate."""
        variable = self.variable(dimension)
        return None if variable is None else self._read(dimension, variable, indices)

    def times(self, dimension: str) -> Times | None:
        """Return a formatter for the coordinates of a dimension as dates, if they are times."""
        variable = self.variable(dimension)
        if variable is None:
            return None
        group = parent(dimension)
        if group not in self._times:
            self._times[group] = find_times(self._groups[group], " ")
        return self._times[group].get(variable.name)

    def title(self, dimension: str) -> str:
        """Return the long name of a coordinate with its units, or the name of the dimension."""
        variable = self.variable(dimension)
        if variable is None:
            return base_name(dimension)
        name = title_of(variable) or variable.name
        units = one_line_of(variable, "units")
        return f"{name} ({units})" if units not in ("", "1") else name

    def texts(self, dimension: str, indices: range) -> list[str]:
        """Return dates, numbers, or without a coordinate the indices in brackets."""
        numbers, variable = self.numbers(dimension, indices), self.variable(dimension)
        if numbers is None or variable is None:
            return [f"[{index}]" for index in indices]
        times, digits = self.times(dimension), digits_of(variable)
        return [
            (times.format(number) if times is not None else None) or number_text(number, digits)
            for number in numbers.tolist()
        ]

    def is_map(self, down: str, across: str) -> bool:
        """Return whether two dimensions have latitudes and longitudes, in degrees."""
        north, east = self.variable(down), self.variable(across)
        return north is not None and east is not None and is_latitude(north) and is_longitude(east)

    def go_up(self, dimension: str, numbers: NDArray[np.float64] | None) -> bool:
        """Return whether the last index of a vertical dimension belongs at the top of a picture."""
        variable = self.variable(dimension)
        if variable is None or numbers is None:
            if dimension not in self._northward:
                self._northward[dimension] = self._go_north(dimension)
            return self._northward[dimension]
        if len(numbers) < 2:
            return False
        ascends = bool(numbers[-1] > numbers[0])
        if self.kinds.get(dimension) == "Y":
            return ascends
        is_upward = grows_upwards(variable)
        return is_upward is not None and is_upward == ascends

    def _go_north(self, dimension: str) -> bool:
        """Return whether latitudes of two dimensions grow along the first, as on curved grids."""
        for variable in self._variables.values():
            data = variable.data
            if (
                data is None
                or len(variable.dimensions) != 2
                or variable.dimensions[0] != dimension
                or not (variable.has_numbers and is_latitude(variable))
            ):
                continue
            rows, columns = data.grid.shape
            if rows < 2 or not columns or 2 * chunk_size(data) > MOST_READ:
                continue
            ends = (range(0, rows, rows - 1), range(columns // 2, columns // 2 + 1))
            first, last = known_values(read_all(subset_source(data, ends)), variable).reshape(-1)
            return bool(last > first)
        return False


def decoded_numbers(_: str, variable: Variable, indices: range) -> NDArray[np.float64]:
    assert variable.data is not None
    return packing_of(variable).decode(read_all(subset_source(variable.data, (indices,))))
