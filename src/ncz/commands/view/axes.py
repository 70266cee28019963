"""The axes of a picture, chosen by CF."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.commands.option_error import OptionError
from ncz.errors import option
from ncz.model.axes import axes_of
from ncz.model.tree import Dataset, Variable, base_name, dimensions_by_fqn, shape_of

_ORDER = {"X": ("Y", "Z", "T"), "Y": ("Z", "T"), "Z": ("T",)}
"""The vertical axes next to each horizontal one, in the order of preference."""


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
