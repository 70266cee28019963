"""What a picture of a variable shows: its axes, chosen by CF, and values at the resolution needed.

Values are read every few indices, by whole chunks. A picture that would need more than a limit of
chunks is an error that says which stride needs fewer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.commands.options import OptionError
from ncz.commands.statistics import decoded, rules_of
from ncz.errors import NczError, did_you_mean, list_names, option
from ncz.model.axes import axes_of, grows_upwards, is_latitude
from ncz.model.data import ChunkSource, read_all
from ncz.model.sources import subset_source
from ncz.model.tree import (
    Attribute,
    Dataset,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    parent,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic, Enumeration, readable_text
from ncz.record import record, replace
from ncz.text.names import format_size
from ncz.text.times import find_times
from ncz.views.html import printable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_READ = 64 << 20
"""Bytes of chunks that are read for a picture, unless the user gives another limit."""

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
        for word in text_of(variable.attribute(name)).replace(":", " ").split()
    }


def is_drawn(variable: Variable) -> bool:
    """Return whether a variable has a picture: of its numbers, or of those of an enum."""
    return variable.has_numbers or isinstance(variable.type, Enumeration)


# The names of values, of enums and of CF's flags.


def flags_of(variable: Variable) -> list[dict[str, Any]]:
    """Return the named values of a variable: of an enum, or of CF's flags, which may be masks."""
    if isinstance(variable.type, Enumeration):
        return [{"name": printable(n), "value": v, "mask": None} for n, v in variable.type.members]
    names = text_of(variable.attribute("flag_meanings")).split()
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
    _check_size(variable.data, ranges, [rows] if rows >= 0 else [], fqn, limit)
    values = read_all(subset_source(variable.data, tuple(ranges)))
    rows_of_values = values.reshape(-1, shape[-1] if is_char else 1).tolist()
    texts = [
        readable_text(b"".join(row).rstrip(b"\0").decode("utf-8", "surrogateescape"))
        if variable.type is Atomic.CHAR
        else readable_text(row[0] or "")
        for row in rows_of_values
    ]
    if rows < 0:
        return [("", texts[0])], 0
    dimension = variable.dimensions[rows]
    sized = _sized(dataset)
    labels = [
        text_at(dataset, dimension, i) if dimension in sized else str(i) for i in ranges[rows]
    ]
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
    horizontal = _axis(dataset, variable, across, ranges) if shape else None
    vertical = None if down is None else _axis(dataset, variable, down, ranges)
    if (
        vertical is not None
        and down is not None
        and goes_up(dataset, variable.dimensions[down], vertical.coordinates)
    ):
        decoded_values = decoded_values[::-1]
        vertical = vertical.reversed
    if horizontal is None:
        import numpy as np

        horizontal = Axis(name="", coordinates=np.zeros(1), texts=("", ""))
    fixed = tuple(
        (base_name(name), text_at(dataset, name, ranges[axis][0]))
        for axis, name in enumerate(variable.dimensions)
        if axis not in scene_axes and (shape[axis] > 1 or name in _sized(dataset))
    )
    return Scene(
        name=fqn.lstrip("/"),
        title=text_of(variable.attribute("long_name"))
        or text_of(variable.attribute("standard_name"))
        or variable.name,
        units=text_of(variable.attribute("units")),
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

    numbers = decoded(values, variable)
    nc_type = variable.type
    if not rules_of(variable).masks and isinstance(nc_type, Atomic) and nc_type.size > 1:
        fill = np.asarray(nc_type.default_fill).astype(values.dtype)
        return np.where(values == fill, np.nan, numbers)
    return numbers


def _sized(dataset: Dataset) -> set[str]:
    """Return the dimensions that have a coordinate, which says where a subset is cut."""
    return {fqn for fqn in dimensions_by_fqn(dataset.root) if coordinate_of(dataset, fqn)}


def _check_size(
    data: ChunkSource, ranges: Sequence[range], axes: Sequence[int], fqn: str, limit: int
) -> None:
    """Raise `ViewError` if too many chunks hold the indices, with a stride that needs fewer."""
    grid = data.grid
    chunk = grid.box((0,) * len(grid.shape)).shape
    each = chunk_size(data)

    def need(step: Mapping[int, int]) -> int:
        touched = 1
        for axis in axes:
            length, part = grid.shape[axis], max(1, chunk[axis])
            touched *= min(math.ceil(length / part), math.ceil(length / step[axis]))
        return touched * each

    steps = {axis: ranges[axis].step for axis in axes}
    size = need(steps)
    if size <= limit:
        return
    longest = max((grid.shape[axis] for axis in axes), default=1)
    stride = 1
    while stride < longest and need(dict.fromkeys(axes, stride)) > limit:
        stride *= 2
    fits = need(dict.fromkeys(axes, stride)) <= limit
    raise ViewError(
        f"the picture needs {format_size(size)} of chunks, more than {format_size(limit)}",
        fqn,
        f"use {option('stride', stride)} for a part of them, or {option('memory', size)}"
        if fits
        else f"use {option('memory', size)}",
    )


def chunk_size(data: ChunkSource) -> int:
    """Return the bytes of a decoded chunk."""
    chunk = data.grid.box((0,) * len(data.grid.shape)).shape
    return math.prod(chunk) * (data.type.size if isinstance(data.type, Atomic) else 1)


def coordinate_of(dataset: Dataset, dimension: str) -> tuple[Group, Variable] | None:
    """Return the coordinate variable of a dimension and its group; None if it has none."""
    for fqn, group in walk(dataset.root):
        if fqn == parent(dimension) or not fqn:
            for variable in group.variables:
                if (
                    join(fqn, variable.name) == dimension
                    and variable.dimensions == (dimension,)
                    and variable.has_numbers
                    and variable.data is not None
                ):
                    return group, variable
    return None


def coordinates_at(dataset: Dataset, dimension: str, indices: range) -> NDArray[np.float64]:
    """Return the coordinates of some indices; the indices themselves without a coordinate."""
    import numpy as np

    coordinate = coordinate_of(dataset, dimension)
    if coordinate is None or len(indices) == 0:
        return np.asarray(indices, "f8")
    _, variable = coordinate
    assert variable.data is not None
    return decoded(read_all(subset_source(variable.data, (indices,))), variable)


def text_at(dataset: Dataset, dimension: str, index: int) -> str:
    """Return a coordinate as text: a date, a number, or the index in brackets without one."""
    coordinate = coordinate_of(dataset, dimension)
    if coordinate is None:
        return f"[{index}]"
    (number,) = coordinates_at(dataset, dimension, range(index, index + 1)).tolist()
    group, variable = coordinate
    times = find_times(group, " ").get(variable.name)
    return (times.format(number) if times is not None else None) or f"{number:.6g}"


def _axis(dataset: Dataset, variable: Variable, axis: int, ranges: Sequence[range]) -> Axis:
    dimension, selected = variable.dimensions[axis], ranges[axis]
    return Axis(
        name=base_name(dimension),
        coordinates=coordinates_at(dataset, dimension, selected),
        texts=(text_at(dataset, dimension, selected[0]), text_at(dataset, dimension, selected[-1])),
        step=selected.step,
    )


def goes_up(dataset: Dataset, dimension: str, coordinates: NDArray[np.float64]) -> bool:
    """Return whether the last index of a vertical dimension belongs at the top of a picture."""
    coordinate = coordinate_of(dataset, dimension)
    if coordinate is None:
        return _goes_north(dataset, dimension)
    if len(coordinates) < 2:
        return False
    ascends = bool(coordinates[-1] > coordinates[0])
    if axes_of(dataset.root).get(dimension) == "Y":
        return ascends
    is_upward = grows_upwards(coordinate[1])
    return is_upward is not None and is_upward == ascends


def _goes_north(dataset: Dataset, dimension: str) -> bool:
    """Return whether latitudes of two dimensions grow along the first one, as on curved grids."""
    for _, variable in variables_by_fqn(dataset.root):
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


def text_of(attribute: Attribute | None) -> str:
    """Return the text of an attribute on one line; "" if it is missing or not text."""
    if attribute is None or attribute.type not in (Atomic.CHAR, Atomic.STRING):
        return ""
    return " ".join("".join(str(v or "") for v in attribute.values).rstrip("\0").split())
