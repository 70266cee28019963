"""What a picture of a variable shows: its axes, chosen by CF, and values at the resolution needed.

Values are read every few indices, by whole chunks. A picture that would need more than a limit of
chunks is an error that says which stride needs fewer.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.commands.options import OptionError
from ncz.errors import NczError, did_you_mean, list_names, option
from ncz.model.axes import axes_of, grows_upwards, is_latitude
from ncz.model.data import ChunkSource, Values, read_all
from ncz.model.grid import Box, Grid
from ncz.model.packing import packing_of
from ncz.model.subset import subset_source
from ncz.model.tree import (
    Dataset,
    Variable,
    base_name,
    dimensions_by_fqn,
    parent,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic, Enumeration, readable_text
from ncz.record import record, replace
from ncz.text.names import format_size
from ncz.text.time_variables import find_times
from ncz.text.times import Times
from ncz.views.html_text import printable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_READ = 64 << 20
"""Bytes of chunks that are read for a picture, unless the user gives another limit."""

_DIGITS = 6
"""Digits of coordinates below a picture."""

_ORDER = {"X": ("Y", "Z", "T"), "Y": ("Z", "T"), "Z": ("T",)}
"""The vertical axes beside each horizontal one, in the order of preference."""

AUXILIARY = ("bounds", "climatology", "grid_mapping")
"""Attributes that name variables without a picture of their own."""


ALL_MISSING = "all values are missing"


class ViewError(NczError, ValueError):
    """A variable that has no picture, or one that needs too much."""


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
        """What part of the variable is shown, in a line or none."""
        axes = [axis for axis in (self.down, self.across) if axis is not None and axis.step > 1]
        parts = [f"{name} = {text}" for name, text in self.fixed]
        parts += [f"every {axis.step} along {axis.name}" for axis in axes]
        lines = (", ".join(parts),) if parts else ()
        return lines if bool((self.values == self.values).any()) else (*lines, ALL_MISSING)


def viewable(dataset: Dataset) -> list[str]:
    """Return the FQNs of the variables that have a picture, without bounds and grid mappings."""
    lengths = dimensions_by_fqn(dataset.root)
    auxiliary = named_by(dataset, AUXILIARY)
    return [
        fqn
        for fqn, variable in variables_by_fqn(dataset.root)
        if variable.has_numbers
        and variable.name not in auxiliary
        and math.prod(shape_of(variable, lengths)) > 1
    ]


def named_by(dataset: Dataset, attributes: Sequence[str]) -> set[str]:
    """Return the names of variables that attributes of others contain."""
    return {
        word
        for _, variable in variables_by_fqn(dataset.root)
        for name in attributes
        for word in variable.text(name).replace(":", " ").split()
    }


def is_drawn(variable: Variable) -> bool:
    """Return whether a variable has a picture: of its numbers, or of those of an enum."""
    return variable.has_numbers or isinstance(variable.type, Enumeration)


# The names of values, of enums and of CF's flags.


def flags_of(variable: Variable) -> list[dict[str, Any]]:
    """Return the named values of a variable: of an enum, or of CF's flags, which may be masks."""
    if isinstance(variable.type, Enumeration):
        return [{"name": printable(n), "value": v, "mask": None} for n, v in variable.type.members]
    names = variable.text("flag_meanings").split()
    numbers = {
        name: [v for v in attribute.values if isinstance(v, int)]
        for name in ("flag_values", "flag_masks")
        if (attribute := variable.attribute(name)) is not None
    }
    values, masks = numbers.get("flag_values"), numbers.get("flag_masks")
    if not names or not (values or masks):
        return []
    each = zip(names, values or masks or (), masks or names, strict=False)
    return [
        {"name": printable(name), "value": value, "mask": mask if masks else None}
        for name, value, mask in each
    ]


def name_of_value(flags: Sequence[Mapping[str, Any]], value: float) -> str:
    """Return the names of a value of flags; "" if it has none."""
    names = []
    for flag in flags:
        mask = flag["mask"]
        part = value if mask is None else int(value) & int(mask)
        if part == flag["value"]:
            names.append(flag["name"])
    return ", ".join(names)


_MOST_NAMES = 50
"""Most values that are named below the title of a picture."""


def _value_names(values: NDArray[np.float64], variable: Variable) -> tuple[str, ...]:
    """Return the values that occur and have names, each with its name: ``1 clear``."""
    import numpy as np

    flags = flags_of(variable)
    if not flags:
        return ()
    occurring = np.unique(values[np.isfinite(values)])[:_MOST_NAMES].tolist()
    pairs = [(value, name_of_value(flags, value)) for value in occurring]
    return tuple(f"{value:.15g} {name}" for value, name in pairs if name)


# Variables of text, as tables.


def text_variable(dataset: Dataset, name: str | None) -> str | None:
    """Return the FQN of the variable of that name if its values are text; otherwise None."""
    if name is None:
        return None
    fqn, variable = find_variable(dataset, name)
    return fqn if variable.type in (Atomic.CHAR, Atomic.STRING) else None


def text_table(
    dataset: Dataset, fqn: str, most: int, limit: int = MOST_READ
) -> tuple[list[tuple[str, str]], int]:
    """Return rows of text along the last dimension, each with its coordinate or its index.

    Chars are joined along their last dimension. Other dimensions are at their first index.

    Parameters
    ----------
    dataset, fqn
        The dataset, or a part of it, and a variable of text.
    most
        The most rows.
    limit
        Bytes of chunks that may be read.

    Returns
    -------
    tuple of list and int
        The rows, and how many more there are.
    """
    variable = dict(variables_by_fqn(dataset.root))[fqn]
    shape = shape_of(variable, dimensions_by_fqn(dataset.root))
    if 0 in shape or variable.data is None:
        raise ViewError("it has no values", fqn)
    is_char = variable.type is Atomic.CHAR and bool(shape)
    rows = len(shape) - (2 if is_char else 1)
    ranges = [range(1)] * len(shape)
    if is_char:
        ranges[-1] = range(shape[-1])
    if rows >= 0:
        ranges[rows] = range(min(shape[rows], most))
    _check_size(variable.data, ranges, [], fqn, limit)
    values = read_all(subset_source(variable.data, tuple(ranges)))
    if variable.type is Atomic.CHAR:
        texts = [readable_text(text) for text in texts_of_chars(values, "surrogateescape")]
    else:
        texts = [readable_text(text or "") for text in values.reshape(-1).tolist()]
    if rows < 0:
        return [("", texts[0])], 0
    dimension = variable.dimensions[rows]
    coordinates = Coordinates(dataset, _numbers_at)
    labels = (
        map(str, ranges[rows])
        if coordinates.variable(dimension) is None
        else coordinates.texts(dimension, ranges[rows], _DIGITS)
    )
    return [*zip(labels, texts, strict=True)], shape[rows] - len(texts)


def chosen(dataset: Dataset, name: str | None) -> tuple[str, Variable]:
    """Return the variable of a name, or else the one with the most dimensions and values.

    Raises
    ------
    OptionError
        If no variable has the name.
    ViewError
        If the variable, or all of them, have no picture.
    """
    if name is None:
        variables = dict(variables_by_fqn(dataset.root))
        lengths = dimensions_by_fqn(dataset.root)
        auxiliary = named_by(dataset, ("coordinates", "cell_measures", "ancillary_variables"))

        def rank(fqn: str) -> tuple[bool, int, int]:
            variable = variables[fqn]
            shape = shape_of(variable, lengths)
            is_coordinate = [base_name(d) for d in variable.dimensions] == [variable.name]
            return (
                not (is_coordinate or variable.name in auxiliary),
                min(3, sum(n > 1 for n in shape)),
                math.prod(shape),
            )

        fqns = viewable(dataset)
        if not fqns:
            raise ViewError("no variable has numbers to show", dataset.name)
        fqn = max(fqns, key=rank)
        return fqn, variables[fqn]
    fqn, variable = find_variable(dataset, name)
    if not is_drawn(variable):
        raise ViewError("its values are not numbers", fqn, "use 'ncz dump' to print them")
    return fqn, variable


def find_variable(dataset: Dataset, name: str) -> tuple[str, Variable]:
    """Return the variable of a name, which may be that in a group.

    Raises
    ------
    OptionError
        If no variable has the name.
    """
    variables = dict(variables_by_fqn(dataset.root))
    paths = [
        fqn for fqn in variables if fqn == name or (base_name(fqn) == name and "/" not in name)
    ]
    paths = paths or [fqn for fqn in variables if fqn.lstrip("/") == name.strip("/")]
    if not paths:
        names = [fqn.lstrip("/") for fqn in variables]
        hint = did_you_mean(name, names, f"the variables are {list_names(names)}")
        raise OptionError(f"no variable is named {name!r}", hint=hint)
    return paths[0], variables[paths[0]]


def picture_axes(
    dataset: Dataset, variable: Variable, requested: Sequence[str] = ()
) -> tuple[int | None, int]:
    """Return which dimensions of a variable are vertical and horizontal, by number.

    Parameters
    ----------
    requested
        The names of the horizontal and of the vertical dimension, or of the horizontal one alone.

    Returns
    -------
    down : int or None
        None if the picture is a line.
    across : int

    Raises
    ------
    OptionError
        If the variable has no such dimension.
    """
    names = [base_name(d) for d in variable.dimensions]
    for name in requested:
        if name not in names:
            raise OptionError(
                f"{option('axes')}: the variable has no dimension {name!r}",
                hint=f"its dimensions are {', '.join(names) or 'none'}",
            )
    if requested:
        return (names.index(requested[1]) if len(requested) > 1 else None), names.index(
            requested[0]
        )
    shape = shape_of(variable, dimensions_by_fqn(dataset.root))
    long = [axis for axis, length in enumerate(shape) if length > 1]
    if not long:
        return None, max(0, len(shape) - 1)
    if len(long) == 1:
        return None, long[0]
    kinds = axes_of(dataset.root)
    of_kind: dict[str, int] = {}
    for axis in long:
        of_kind.setdefault(kinds.get(variable.dimensions[axis], ""), axis)
    for across, others in _ORDER.items():
        for down in others:
            if across in of_kind and down in of_kind:
                return of_kind[down], of_kind[across]
    return long[-2], long[-1]


def keeps_shape(dataset: Dataset, dimensions: Sequence[str]) -> bool:
    """Return whether lengths along axes can be compared: none of them is a height or a time."""
    kinds = axes_of(dataset.root)
    return all(kinds.get(dimension) not in ("Z", "T") for dimension in dimensions)


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
    _check_size(variable.data, ranges, [*scene_axes] if shape else [], fqn, limit)
    values = read_all(subset_source(variable.data, tuple(ranges)))
    decoded_values = known_values(values, variable)
    if down is None:
        decoded_values = decoded_values.reshape(-1)
    else:
        decoded_values = decoded_values.reshape([len(ranges[axis]) for axis in sorted(scene_axes)])
        if down > across:
            decoded_values = decoded_values.T
    coordinates = Coordinates(dataset, _numbers_at)
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
        import numpy as np

        horizontal = Axis(name="", coordinates=np.zeros(1), texts=("", ""))
    fixed = tuple(
        (base_name(name), coordinates.texts(name, ranges[axis], _DIGITS)[0])
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
        named=_value_names(decoded_values, variable),
        keeps_shape=keeps_shape(
            dataset, [variable.dimensions[axis] for axis in scene_axes if shape]
        ),
    )


def known_values(values: NDArray[Any], variable: Variable) -> NDArray[np.float64]:
    """Return values as numbers, with NaN for missing ones and for those that were never written.

    Elements that were never written have netCDF's default fill, unless the variable has a mask.
    """
    import numpy as np

    packing = packing_of(variable)
    numbers, nc_type = packing.decoded(values), variable.type
    if not packing.masks and isinstance(nc_type, Atomic) and nc_type.size > 1:
        fill = np.asarray(nc_type.default_fill).astype(values.dtype)
        return np.where(values == fill, np.nan, numbers)
    return numbers


# Coordinates, as numbers and as text.


class Coordinates:
    """The coordinates of the dimensions of a dataset. Many threads may ask for them.

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
        """Return the coordinate variable of a dimension; None if it has none with numbers."""
        variable = self._variables.get(dimension)
        if variable is None or variable.data is None or not variable.has_numbers:
            return None
        return variable if variable.dimensions == (dimension,) else None

    def numbers(self, dimension: str, indices: range) -> NDArray[np.float64] | None:
        """Return the coordinates of some indices; None if the dimension has none."""
        variable = self.variable(dimension)
        return None if variable is None else self._read(dimension, variable, indices)

    def times(self, dimension: str) -> Times | None:
        """Return what formats the coordinates of a dimension as dates, if they are times."""
        variable = self.variable(dimension)
        if variable is None:
            return None
        group = parent(dimension)
        if group not in self._times:
            self._times[group] = find_times(self._groups[group], " ")
        return self._times[group].get(variable.name)

    def texts(self, dimension: str, indices: range, digits: int) -> list[str]:
        """Return dates, numbers, or without a coordinate the indices in brackets."""
        numbers = self.numbers(dimension, indices)
        if numbers is None:
            return [f"[{index}]" for index in indices]
        times = self.times(dimension)
        return [
            (times.format(number) if times is not None else None) or f"{number:.{digits}g}"
            for number in numbers.tolist()
        ]

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


def _numbers_at(_: str, variable: Variable, indices: range) -> NDArray[np.float64]:
    assert variable.data is not None
    return packing_of(variable).decoded(read_all(subset_source(variable.data, (indices,))))


def _axis(coordinates: Coordinates, variable: Variable, axis: int, ranges: Sequence[range]) -> Axis:
    import numpy as np

    dimension, indices = variable.dimensions[axis], ranges[axis]
    numbers = coordinates.numbers(dimension, indices)
    first, last = (coordinates.texts(dimension, i, _DIGITS)[0] for i in (indices[:1], indices[-1:]))
    return Axis(
        name=base_name(dimension),
        coordinates=np.asarray(indices, "f8") if numbers is None else numbers,
        texts=(first, last),
        step=indices.step,
    )


# The chunks that a picture needs.


def chunks_at(grid: Grid, ranges: Sequence[range]) -> int:
    """Return how many chunks hold some indices, or the most that can, if chunks differ in length.

    Indices may extend beyond the grid.
    """
    within = [r[: bisect_left(r, n)] for r, n in zip(ranges, grid.shape, strict=True)]
    if not grid.size or not all(within):
        return 0
    box = Box(tuple(r[0] for r in within), tuple(r[-1] + 1 for r in within))
    pairs = zip(grid.ranges(box), within, strict=True)
    return math.prod(min(len(chunks), len(indices)) for chunks, indices in pairs)


def coarser(grid: Grid, ranges: Sequence[range], axes: Sequence[int], most: int) -> int | None:
    """Return by how much steps along axes must grow for so few chunks; None if no factor will do.

    It is a power of two.
    """
    longest = max((len(ranges[axis]) for axis in axes), default=1)
    factor = 1
    while True:
        fewer = [r[::factor] if axis in axes else r for axis, r in enumerate(ranges)]
        if chunks_at(grid, fewer) <= most:
            return factor
        if factor >= longest:
            return None
        factor *= 2


def too_large(what: str, size: int, limit: int) -> str:
    """Return why nothing is read that needs chunks of so many bytes."""
    return f"{what} {format_size(size)} of chunks, more than {format_size(limit)}"


def _check_size(
    data: ChunkSource, ranges: Sequence[range], axes: Sequence[int], fqn: str, limit: int
) -> None:
    """Raise `ViewError` if too many chunks hold the indices, with a stride that needs fewer."""
    each = chunk_size(data)
    size = chunks_at(data.grid, ranges) * each
    if size <= limit:
        return
    whole = [range(data.grid.shape[n]) if n in axes else r for n, r in enumerate(ranges)]
    stride = coarser(data.grid, whole, axes, limit // max(1, each))
    part = "" if stride is None else f"{option('stride', stride)} for a part of them, or "
    raise ViewError(
        too_large("the picture needs", size, limit), fqn, f"use {part}{option('memory', size)}"
    )


def chunk_size(data: ChunkSource) -> int:
    """Return the bytes of a decoded chunk."""
    chunk = data.grid.box((0,) * len(data.grid.shape)).shape
    return math.prod(chunk) * (data.type.size if isinstance(data.type, Atomic) else 1)


def title_of(variable: Variable) -> str:
    """Return the long name of a variable, or else the standard name; "" without both."""
    return one_line_of(variable, "long_name") or one_line_of(variable, "standard_name")


def texts_of_chars(values: Values, errors: str = "replace") -> list[str]:
    """Return the texts of chars along the last dimension, without the nulls at their ends."""
    rows = values.reshape(math.prod(values.shape[:-1]), -1).tolist()
    return [b"".join(row).rstrip(b"\0").decode("utf-8", errors) for row in rows]


def one_line_of(variable: Variable, name: str) -> str:
    """Return the text of an attribute on one line; "" if it is missing or not text."""
    return " ".join(variable.text(name).split())
