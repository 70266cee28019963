"""The axes of a picture or a table as the page shows them: coordinates as numbers and as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.commands.view.answer import Answer
from ncz.commands.view.coordinates import Coordinates, known_values
from ncz.commands.view.map_places import MOST_PLACES, quantity_of, steady_places
from ncz.commands.view.page_values import MOST_CELL, finite, is_nearly_even, shorten
from ncz.commands.view.request import never
from ncz.commands.view.text_table import texts_of_chars
from ncz.commands.view.value_reader import ValueReader
from ncz.commands.view.variables import one_line_of
from ncz.errors import NczError
from ncz.late import numpy as np
from ncz.model.tree import Variable, shape_of
from ncz.model.types import Atomic
from ncz.views.html_text import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PageAxes:
    """The coordinates and the labels of dimensions, through a reader of variables."""

    def __init__(self, reader: ValueReader) -> None:
        self.coordinates = Coordinates(reader.dataset, self._numbers_at)
        self._reader = reader

    def axis(self, variable: Variable, axis: int | None, ranges: Sequence[range]) -> Answer | None:
        if axis is None:
            return None

        dimension, indices = variable.dimensions[axis], ranges[axis]
        numbers = self.coordinates.numbers(dimension, indices)
        labels = self.labels(dimension, variable)
        is_date = self.coordinates.times(dimension) is not None
        is_number = labels is None and numbers is not None and not is_date
        steps = np.diff(numbers) if numbers is not None else np.zeros(0)
        return {
            "axis": axis,
            "start": indices.start,
            "step": indices.step,
            "coordinates": None
            if numbers is None
            else [finite(number) for number in numbers.tolist()],
            "texts": self.texts(variable, axis, indices),
            "isNumber": is_number,
            "isDate": labels is None and is_date,
            # Whether labels may be at round numbers between coordinates.
            "isScale": is_number and is_nearly_even(steps),
            "goesUp": self.coordinates.go_up(dimension, numbers),
        }

    def places(
        self,
        variable: Variable,
        shape: Sequence[int],
        ranges: Sequence[range],
        picture_axes: Sequence[int],
    ) -> list[str]:
        """Return the index of each axis that is not shown; "" for shown axes."""
        return [
            "" if axis in picture_axes else self.texts(variable, axis, ranges[axis][:1])[0]
            for axis in range(len(shape))
        ]

    def _numbers_at(self, fqn: str, variable: Variable, indices: range) -> NDArray[np.float64]:
        return known_values(
            self._reader.read(self._reader.numbers[fqn], [indices], never), variable
        )

    def texts(self, variable: Variable, axis: int, indices: range) -> list[str]:
        """Return the coordinates of some indices as text; the index in brackets without any."""
        dimension = variable.dimensions[axis]
        labels = self.labels(dimension, variable)
        if labels is not None:
            number, naming = labels
            ranges = [indices, *(range(n) for n in shape_of(naming, self._reader.lengths)[1:])]
            values = self._reader.read(number, ranges, never)
            if naming.type is Atomic.CHAR:
                return [shorten(text, MOST_CELL) for text in texts_of_chars(values)]
            return [shorten(text or "", MOST_CELL) for text in values.tolist()]
        return self.coordinates.texts(dimension, indices)

    def scale(self, dimension: str) -> Answer | None:
        """Return the places of the indices of a dimension on a map; None if it is not an axis."""
        coordinate = self.coordinates.variable(dimension)
        if coordinate is None:
            return None
        kind = quantity_of(coordinate, self.coordinates.kinds.get(dimension))
        if kind is None:
            return None
        quantity, unit = kind
        indices = range(self._reader.lengths[dimension].size)
        step = max(1, math.ceil(len(indices) / MOST_PLACES))
        try:
            numbers = self.coordinates.numbers(dimension, indices[::step])
        except NczError:  # the picture, which needs them too, says why
            return None
        places = None if numbers is None else steady_places(numbers, quantity)
        if places is None:
            return None
        return {"quantity": quantity, "unit": unit, "step": step, "values": places.tolist()}

    def units(self, dimension: str) -> str:
        coordinate = self.coordinates.variable(dimension)
        if coordinate is None or self.coordinates.times(dimension) is not None:
            return ""
        return printable(one_line_of(coordinate, "units"))

    def labels(self, dimension: str, variable: Variable) -> tuple[int, Variable] | None:
        """Return the variable that names the indices of a dimension with text, and its number."""
        names = variable.text("coordinates").split()
        for number, (fqn, one) in enumerate(self._reader.variables):
            if (
                one.type in (Atomic.STRING, Atomic.CHAR)
                and one.dimensions[:1] == (dimension,)
                and len(one.dimensions) == (1 if one.type is Atomic.STRING else 2)
                and (fqn == dimension or one.name in names)
                and one.data is not None
                and one is not variable
            ):
                return number, one
        return None
