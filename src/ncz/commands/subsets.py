"""Parse ``--isel`` and ``--sel``, and find the indices that they select."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.commands.options import OptionError, UnknownName
from ncz.errors import did_you_mean, option
from ncz.model.data import read_all
from ncz.model.sources import subset
from ncz.model.tree import Dataset, Dimension, Group, Variable, dimensions_by_fqn, join, walk
from ncz.model.types import Atomic
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values


@record(kw_only=True)
class Subset:
    """The parts of a dataset to use, as spelled on the command line.

    `isel` selects by index ("time=0:10:2"), `sel` by the values of coordinates ("lat=40:60").
    """

    isel: tuple[str, ...] = ()
    sel: tuple[str, ...] = ()


def selected(dataset: Dataset, chosen: Subset | None) -> Dataset:
    """Return the part of a dataset that `chosen` selects, without reading its data.

    Raises
    ------
    OptionError
        If an option is not valid, or names a dimension or a value that does not exist.
    """
    if chosen is None or not (chosen.isel or chosen.sel):
        return dataset
    ranges: dict[str, range] = {}
    for text in chosen.isel:
        name, value = _split(text, option("isel"))
        for fqn, dimension in _dimensions(dataset, name):
            _add(ranges, fqn, _by_index(value, dimension.size, text), text)
    for text in chosen.sel:
        name, value = _split(text, option("sel"))
        for fqn, dimension in _dimensions(dataset, name):
            _add(ranges, fqn, _by_value(dataset, fqn, dimension, value, text), text)
    return subset(dataset, ranges)


def _split(text: str, option: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise OptionError(f"{option} {text!r} is not DIMENSION=SELECTION")
    return name, value


def _dimensions(dataset: Dataset, name: str) -> list[tuple[str, Dimension]]:
    """Return the dimensions that a name means: one FQN, or that name in any group."""
    known = dimensions_by_fqn(dataset.root)
    found = [
        (fqn, d) for fqn, d in known.items() if (fqn == name if "/" in name else d.name == name)
    ]
    if not found:
        names = ", ".join(sorted({d.name for d in known.values()})) or "none"
        raise UnknownName(
            f"no dimension is named {name!r}",
            hint=did_you_mean(
                name, [d.name for d in known.values()], f"the dimensions are {names}"
            ),
        )
    return found


def _add(ranges: dict[str, range], fqn: str, chosen: range, text: str) -> None:
    if fqn in ranges:
        raise OptionError(f"{text!r} selects from a dimension that is already selected from")
    ranges[fqn] = chosen


def _by_index(value: str, size: int, text: str) -> range:
    """Return the indices of a Python slice or of one index."""
    parts = value.split(":")
    try:
        numbers = [int(part) if part else None for part in parts]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3:
        raise OptionError(f"{text!r} is not an index or a slice", hint="write time=0:10:2")
    if len(numbers) == 1:
        (index,) = numbers
        assert index is not None
        if not -size <= index < size:
            raise OptionError(f"{text!r}: the dimension has {size} indices")
        return range(index % size, index % size + 1)
    if len(numbers) == 3 and numbers[2] is not None and numbers[2] < 1:
        raise OptionError(f"{text!r}: the step must be at least 1")
    return range(size)[slice(*numbers)]


def _by_value(dataset: Dataset, fqn: str, dimension: Dimension, value: str, text: str) -> range:
    """Return the indices whose coordinates are within limits, both included, or equal a value."""
    import numpy as np

    group, variable = _coordinate(dataset, fqn, text)
    assert variable.data is not None
    coordinates = read_all(variable.data)
    steps = np.diff(coordinates)
    if not (np.all(steps > 0) or np.all(steps < 0)):
        raise OptionError(
            f"{text!r}: the coordinate {fqn} is neither ascending nor descending",
            hint=f"select by index: {option('isel')}",
        )
    first, sign, last = value.partition("/" if "/" in value else ":")
    low, high = _limits(group, variable, (first, last if sign else first), text)
    if not sign and low == high:
        at = np.flatnonzero(coordinates == coordinates.dtype.type(low))
        if not at.size:
            raise OptionError(
                f"{text!r}: no coordinate has this value", hint="give limits, such as lat=40:60"
            )
    else:
        at = np.flatnonzero(_within(coordinates, low, high))
    return range(int(at[0]), int(at[-1]) + 1) if at.size else range(0)


def _within(coordinates: Values, low: float | None, high: float | None) -> Values:
    import numpy as np

    mask = np.ones(coordinates.shape, bool)
    if low is not None:
        mask &= coordinates >= low
    if high is not None:
        mask &= coordinates <= high
    return mask


def _coordinate(dataset: Dataset, fqn: str, text: str) -> tuple[Group, Variable]:
    """Return the coordinate variable of a dimension, and its group."""
    for path, group in walk(dataset.root):
        for variable in group.variables:
            if (
                join(path, variable.name) == fqn
                and variable.dimensions == (fqn,)
                and isinstance(variable.type, Atomic)
                and variable.type.kind in "iuf"
                and variable.data is not None
            ):
                return group, variable
    raise OptionError(
        f"{text!r}: the dimension has no coordinate variable of numbers",
        hint=f"select by index: {option('isel')}",
    )


def _limits(
    group: Group, variable: Variable, ends: tuple[str, str], text: str
) -> tuple[float | None, float | None]:
    """Return the limits as numbers, the smaller first; None for an end that is left out."""
    numbers = [_number(end) for end in ends]
    if any(n is None for n, end in zip(numbers, ends, strict=True) if end):
        from ncz.text.times import find_times, parse_limits

        times = find_times(group, " ").get(variable.name)
        if times is None:
            raise OptionError(f"{text!r}: the limits must be numbers")
        try:
            return parse_limits(times, ends)
        except ValueError as error:
            raise OptionError(f"{text!r}: {error}") from None
    low, high = numbers
    if low is not None and high is not None and low > high:
        return high, low
    return low, high


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
