"""Read a variable by index: positions along each axis.

Slices and integers have the same meaning as in numpy. A list of integers or of booleans selects
along its own axis, independently of other lists, as in netCDF4-python and in xarray's outer
indexing.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ncz.errors import quantity
from ncz.late import numpy as np
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Positions = range | NDArray[np.intp]


@record
class Selection:
    """The selection of an index in an array.

    `positions` has for each axis an ascending range, or an array of indices in any order. Applied
    to an array of exactly these positions, `view` reverses axes whose slice has a negative step,
    removes the axes of single integers, and adds new ones. With `is_scalar`, the result is one
    element, not an array.
    """

    positions: tuple[Positions, ...]
    view: tuple[slice | int | None, ...]
    is_scalar: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of positions along each axis, before `view`."""
        return tuple(len(positions) for positions in self.positions)


def positional(index: Any, dims: tuple[str, ...]) -> Any:
    """Return the index along each axis for one by the names of dimensions; others unchanged.

    Raises
    ------
    IndexError
        If no dimension has a name.
    """
    if not isinstance(index, Mapping):
        return index
    unknown = [name for name in index if name not in dims]
    if unknown:
        raise IndexError(f"no dimension is named {unknown[0]!r}; they are {', '.join(dims)}")
    return tuple(index.get(name, slice(None)) for name in dims)


def select(index: Any, shape: tuple[int, ...]) -> Selection:
    """Return the selection of `index` in an array of shape `shape`.

    Raises
    ------
    IndexError
        If the index is out of bounds, has too many axes, or is an array of several dimensions.
    """
    if not shape and isinstance(index, slice) and index == slice(None):
        index = ...  # as netCDF4 does
    items = index if isinstance(index, tuple) else (index,)
    has_ellipsis = any(item is Ellipsis for item in items)
    positions: list[Positions] = []
    view: list[slice | int | None] = []
    for item in _expand(items, len(shape)):
        if item is None:
            view.append(None)
            continue
        axis = len(positions)
        along, then = _along(item, shape[axis], axis)
        positions.append(along)
        view.append(then)
    is_scalar = not has_ellipsis and all(isinstance(then, int) for then in view)
    return Selection(tuple(positions), tuple(view), is_scalar)


def divide_mask(
    index: Any, shape: tuple[int, ...]
) -> tuple[tuple[NDArray[np.intp], ...], Any] | None:
    """Divide an array of booleans, one for each element of several dimensions, into two indices.

    Returns
    -------
    tuple or None
        A list for each axis, and the booleans of the elements that these select. None if `index` is
        anything else.

    Raises
    ------
    IndexError
        If the array has another shape.
    """
    item = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    if getattr(item, "ndim", 0) < 2 or item.dtype.kind != "b":
        return None
    if item.shape != shape:
        raise IndexError(f"booleans of shape {item.shape} do not fit shape {shape}")

    along = tuple(np.unique(positions) for positions in np.nonzero(item))
    return along, item[np.ix_(*along)]


def _expand(items: tuple[Any, ...], rank: int) -> list[Any]:
    """Return one item for each axis, and None for each new one.

    An ellipsis, or nothing at the end, means whole axes.
    """
    places = [place for place, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    count = sum(item is not None and item is not Ellipsis for item in items)
    if count > rank:
        raise IndexError(
            f"too many indices: the variable has {quantity(rank, 'dimension')}, not {count}"
        )
    place = places[0] if places else len(items)
    whole = [slice(None)] * (rank - count)
    return [*items[:place], *whole, *items[place + 1 :]]


def _along(item: Any, length: int, axis: int) -> tuple[Positions, slice | int]:
    """Return the positions of one item, and the later step."""
    ends = (item.start, item.stop) if isinstance(item, slice) else (item,)
    if any(isinstance(end, (str, np.datetime64)) for end in ends):
        raise IndexError(
            f"axis {axis}: an index must be an integer; to select by values, use .sel(DIM=VALUE)"
        )
    if isinstance(item, slice):
        span = range(*item.indices(length))
        if span.step > 0:
            return span, slice(None)
        return span[::-1], slice(None, None, -1)
    if _is_integer(item):
        number = _in_bounds(operator.index(item), length, axis)
        return range(number, number + 1), 0
    return _positions_of(item, length, axis), slice(None)


def _is_integer(item: Any) -> bool:
    """Return whether an item is one integer. Booleans, also numpy's, are not."""
    kind = getattr(getattr(item, "dtype", None), "kind", "i")
    is_single = not isinstance(item, bool) and not getattr(item, "ndim", 0)
    return is_single and kind in "iu" and hasattr(item, "__index__")


def _positions_of(item: Any, length: int, axis: int) -> NDArray[np.intp]:
    array = np.asarray(item)
    if array.ndim != 1:
        raise IndexError(
            f"axis {axis}: only integers, slices, '...' and one-dimensional lists are valid indices"
        )
    if array.dtype == bool:
        if len(array) != length:
            raise IndexError(f"axis {axis}: {len(array)} booleans do not fit length {length}")
        return np.flatnonzero(array)
    if array.size and array.dtype.kind not in "iu":
        raise IndexError(f"axis {axis}: an index must be an integer, not {array.dtype}")
    numbers = [_in_bounds(number, length, axis) for number in array.tolist()]
    return np.array(numbers, np.intp)


def _in_bounds(number: int, length: int, axis: int) -> int:
    if not -length <= number < length:
        raise IndexError(f"index {number} is out of bounds for axis {axis} with size {length}")
    return number + length if number < 0 else number
