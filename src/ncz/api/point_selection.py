"""Selections of zarr-python: points, and boxes of whole chunks.

``v.vindex[[0, 1], [2, 3]]`` has one value for each pair of indices, ``v.oindex`` means what
``v[...]`` does, and ``v.blocks[0, 1]`` is the chunk of these numbers.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ncz.late import numpy as np
from ncz.record import record

_MOST_TOGETHER = 1 << 22
"""Elements around points that are read as one box."""


@record
class Indexer:
    """An object that is indexed, such as ``v.oindex``."""

    get: Callable[[Any], Any]
    put: Callable[[Any, Any], None]

    def __getitem__(self, index: Any) -> Any:
        return self.get(index)

    def __setitem__(self, index: Any, values: Any) -> None:
        self.put(index, values)


def outer(variable: Any) -> Indexer:
    """Return the indexer whose lists select along their own axes."""
    return Indexer(variable.__getitem__, variable.__setitem__)


def points(variable: Any) -> Indexer:
    """Return the indexer whose lists are the coordinates of points."""
    return Indexer(
        lambda index: _read_points(variable, index),
        lambda index, values: _write_points(variable, index, values),
    )


def blocks(variable: Any) -> Indexer:
    """Return the indexer by the numbers of chunks."""
    return Indexer(
        lambda index: variable[_of_blocks(variable, index)],
        lambda index, values: variable.__setitem__(_of_blocks(variable, index), values),
    )


def masked_values(variable: Any, mask: Any) -> Any:
    """Return the values of a variable where an array of its shape is true."""
    return variable[np.asarray(mask, bool)]


def _coordinates(variable: Any, index: Any) -> list[Any]:
    """Return the indices of points along each axis, of one shape. Raises `IndexError`."""
    items = index if isinstance(index, tuple) else (index,)
    if any(isinstance(item, slice) or item is Ellipsis for item in items):
        raise IndexError("points have a list of indices for each dimension; use [...] for slices")
    if len(items) != variable.ndim:
        raise IndexError(f"{variable.ndim} lists are expected, one for each dimension")
    arrays = np.broadcast_arrays(*(np.asarray(item, np.intp) for item in items))
    found = []
    for axis, (along, length) in enumerate(zip(arrays, variable.shape, strict=True)):
        if along.size and not (-length <= along.min() and along.max() < length):
            raise IndexError(f"an index is out of bounds for axis {axis} with size {length}")
        found.append(np.where(along < 0, along + length, along))
    return found


def _read_points(variable: Any, index: Any) -> Any:
    if hasattr(index, "dtype") and index.dtype == bool:
        return variable[index]
    found = _coordinates(variable, index)
    sides = [np.unique(along) for along in found]
    if math.prod(len(side) for side in sides) <= _MOST_TOGETHER:
        box = np.asarray(variable[tuple(sides)])
        places = [np.searchsorted(side, along) for side, along in zip(sides, found, strict=True)]
        return box[tuple(places)]
    flat = zip(*(along.reshape(-1).tolist() for along in found), strict=True)
    values = [variable[point] for point in flat]
    return np.array(values, variable.dtype).reshape(found[0].shape)


def _write_points(variable: Any, index: Any, values: Any) -> None:
    if hasattr(index, "dtype") and index.dtype == bool:
        variable[index] = values
        return
    found = _coordinates(variable, index)
    sides = [np.unique(along) for along in found]
    if math.prod(len(side) for side in sides) > _MOST_TOGETHER:
        raise IndexError("the points are too far apart for one assignment; assign fewer points")
    box = np.asarray(variable.stored(tuple(sides)))
    places = [np.searchsorted(side, along) for side, along in zip(sides, found, strict=True)]
    box[tuple(places)] = values
    variable[tuple(sides)] = box


def _of_blocks(variable: Any, index: Any) -> tuple[slice, ...]:
    """Return the slices of chunks, by their numbers along each axis."""
    items = index if isinstance(index, tuple) else (index,)
    if len(items) > variable.ndim:
        raise IndexError(f"the variable has {variable.ndim} dimensions, not {len(items)}")
    chunks = variable.shards or variable.chunks or variable.shape
    found = []
    for item, chunk, length in zip(items, chunks, variable.shape, strict=False):
        count = -(-length // max(1, chunk))
        if isinstance(item, slice):
            span = range(*item.indices(count))
            if span.step != 1:
                raise IndexError("a slice of chunks has the step 1")
            found.append(slice(span.start * chunk, min(length, span.stop * chunk)))
            continue
        number = operator.index(item)
        number += count if number < 0 else 0
        if not 0 <= number < count:
            raise IndexError(f"there are {count} chunks, not {number + 1}")
        found.append(slice(number * chunk, min(length, (number + 1) * chunk)))
    return tuple(found)
