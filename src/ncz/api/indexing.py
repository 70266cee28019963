"""Read a variable by index: positions along each axis, chunks in threads, numpy's dtypes.

Slices and integers mean what they mean in numpy. A list of integers or of booleans selects along
its own axis, independently of other lists, as in netCDF4-python and in xarray's outer indexing.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import counted
from ncz.model.data import ChunkSource, Values
from ncz.model.grid import Box, Grid
from ncz.model.slabs import MANY, SparseReading, sparse
from ncz.model.tree import Attribute
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
    Field,
    NcType,
    Opaque,
    Value,
    Vlen,
    readable_text,
    zero_value,
)
from ncz.parallel.threads import ThreadPool
from ncz.record import record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Positions = range | NDArray[np.intp]


@record
class Selection:
    """What an index selects of an array.

    `positions` has for each axis an ascending range, or an array of indices in any order. Applied
    to an array of exactly these positions, `view` reverses axes whose slice has a negative step,
    removes those of single integers, and adds new ones. With `is_scalar`, the result is one
    element, not an array.
    """

    positions: tuple[Positions, ...]
    view: tuple[slice | int | None, ...]
    is_scalar: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of positions along each axis, before `view`."""
        return tuple(len(positions) for positions in self.positions)


def select(index: Any, shape: tuple[int, ...]) -> Selection:
    """Return what `index` selects of an array of shape `shape`.

    Raises
    ------
    IndexError
        If the index is out of bounds, has too many axes, or is an array of several dimensions.
    """
    items = index if isinstance(index, tuple) else (index,)
    has_ellipsis = any(item is Ellipsis for item in items)
    positions: list[Positions] = []
    view: list[slice | int | None] = []
    for item in _expanded(items, len(shape)):
        if item is None:
            view.append(None)
            continue
        axis = len(positions)
        along, then = _along(item, shape[axis], axis)
        positions.append(along)
        view.append(then)
    is_scalar = not has_ellipsis and all(isinstance(then, int) for then in view)
    return Selection(tuple(positions), tuple(view), is_scalar)


def masked(index: Any, shape: tuple[int, ...]) -> tuple[tuple[NDArray[np.intp], ...], Any] | None:
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
    import numpy as np

    along = tuple(np.unique(positions) for positions in np.nonzero(item))
    return along, item[np.ix_(*along)]


def _expanded(items: tuple[Any, ...], rank: int) -> list[Any]:
    """Return one item for each axis, and None for each new one.

    An ellipsis, or nothing at the end, means whole axes.
    """
    places = [place for place, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    count = sum(item is not None and item is not Ellipsis for item in items)
    if count > rank:
        raise IndexError(
            f"too many indices: the variable has {counted(rank, 'dimension')}, not {count}"
        )
    place = places[0] if places else len(items)
    whole = [slice(None)] * (rank - count)
    return [*items[:place], *whole, *items[place + 1 :]]


def _along(item: Any, length: int, axis: int) -> tuple[Positions, slice | int]:
    """Return the positions of one item, and what is then done with them."""
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
    """Return whether an item is one integer. Booleans, also numpy's, are none."""
    kind = getattr(getattr(item, "dtype", None), "kind", "i")
    is_single = not isinstance(item, bool) and not getattr(item, "ndim", 0)
    return is_single and kind in "iu" and hasattr(item, "__index__")


def _positions_of(item: Any, length: int, axis: int) -> NDArray[np.intp]:
    import numpy as np

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


# Values of the model as numpy has them: dtypes, and the values of chunks and attributes.
#
# Strings are `str`, with "" for NIL. User-defined types have the dtypes that netCDF4-python gives
# them: the base type for an enum, a structured dtype for a compound, void for opaque values, and
# objects (arrays of the base type) for variable-length sequences.


def numpy_dtype(nc_type: NcType) -> np.dtype[Any]:
    """Return the dtype, in native byte order, of the arrays that a program receives."""
    import numpy as np

    match nc_type:
        case Atomic():
            return np.dtype(nc_type.dtype)
        case Enumeration(base=base):
            return np.dtype(base.dtype)
        case Opaque(size=size):
            return np.dtype((np.void, size))
        case Compound(fields=fields):
            return np.dtype([(f.name, numpy_dtype(f.type), f.shape) for f in fields])
        case Vlen():
            return np.dtype("O")


def to_numpy(values: Values, nc_type: NcType) -> Values:
    """Convert an array of values of the model to the dtype `numpy_dtype`."""
    import numpy as np

    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return values
    if isinstance(nc_type, Enumeration):
        return values.astype(nc_type.base.dtype)
    flat = [to_python(value, nc_type) for value in values.reshape(-1).tolist()]
    if nc_type is Atomic.STRING or isinstance(nc_type, Vlen):
        return np.fromiter(flat, "O", len(flat)).reshape(values.shape)
    return np.array(flat, numpy_dtype(nc_type)).reshape(values.shape)


def to_python(value: Value, nc_type: NcType) -> Any:
    """Return one value as numpy takes it for an element of `numpy_dtype`."""
    import numpy as np

    match nc_type:
        case Atomic.STRING:
            return "" if value is None else value
        case Atomic.CHAR:
            return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
        case Compound(fields=fields):
            return tuple(_field(v, f) for v, f in zip(value, fields, strict=True))
        case Vlen(base=base):
            result = np.empty(len(value), numpy_dtype(base))
            for i, element in enumerate(value):
                result[i] = to_python(element, base)
            return result
        case _:
            return value


def _field(value: Value, field: Field) -> Any:
    if not field.shape:
        return to_python(value, field.type)
    import numpy as np

    flat = np.empty(math.prod(field.shape), numpy_dtype(field.type))
    for i, element in enumerate(value):
        flat[i] = to_python(element, field.type)
    return flat.reshape(field.shape)


def fill_scalar(fill: Value, nc_type: NcType) -> Any:
    """Return a fill value as a numpy scalar, or `str` for a string; None if it is undefined.

    A fill of None is NIL for a string, which is "".
    """
    if fill is None and nc_type is not Atomic.STRING:
        return None
    return filled((), nc_type, fill)[()]


def filled(shape: tuple[int, ...], nc_type: NcType, fill: Value) -> Values:
    """Return an array of dtype `numpy_dtype` in which every element is `fill`."""
    import numpy as np

    dtype = numpy_dtype(nc_type)
    if fill is None and dtype.kind != "O":
        return np.zeros(shape, dtype)
    element = to_python(zero_value(nc_type) if fill is None else fill, nc_type)
    values = np.empty(shape, dtype)
    if dtype.kind == "O":
        values.fill(element)
    else:
        values[...] = element
    return values


def attribute_value(attribute: Attribute) -> Any:
    """Return the value of an attribute.

    Returns
    -------
    str, list of str, numpy scalar, ndarray, or a JSON value
        Text is `str`, and several strings are a list. Latin-1 is assumed of text that
        is not UTF-8. A single number is a numpy scalar of the
        attribute's type, and several are an array. JSON values of a Zarr store that netCDF has no
        type for, such as objects and booleans, are given as `json.loads` returns them.
    """
    import numpy as np

    if attribute.kept is not None and _is_beyond_netcdf(attribute.kept[0]):
        return attribute.kept[0]
    nc_type, values = attribute.type, attribute.values
    if nc_type is Atomic.CHAR:
        return readable_text(attribute.text)
    converted = [to_python(value, nc_type) for value in values]
    if nc_type is Atomic.STRING:
        converted = [readable_text(v) if isinstance(v, str) else v for v in converted]
        return converted[0] if len(converted) == 1 else converted
    array = np.empty(len(converted), numpy_dtype(nc_type))
    for i, element in enumerate(converted):
        array[i] = element
    return array[0] if len(array) == 1 else array


def _is_beyond_netcdf(value: Any) -> bool:
    """Return whether a JSON value has a type that no netCDF attribute has."""
    if isinstance(value, list):
        kinds = {type(element) for element in value}
        return (
            not value
            or bool(kinds & {bool, dict, list, type(None)})
            or (str in kinds and len(kinds) > 1)
        )
    return value is None or isinstance(value, bool | dict)


# Read selected positions of a chunk source, touching no other chunk, in threads.

_MEMORY = 256 << 20
"""Memory limit, in bytes, for chunks that are decoded at the same time."""

_SMALL = 1 << 18
"""Bytes up to which threads cost more than they gain, unless a read waits for a server."""


@record
class _Part:
    """Along one axis, the positions within one chunk: where they are in it, and in the result."""

    chunk: int
    inside: slice | NDArray[np.intp]
    places: slice | NDArray[np.intp]


def read_positions(
    source: ChunkSource, positions: tuple[Positions, ...], threads: int, *, is_remote: bool = False
) -> Values:
    """Read the elements at some positions along each axis.

    Parameters
    ----------
    source
        The values. Positions beyond its shape are fill: another variable may have extended a shared
        dimension.
    positions
        For each axis an ascending range, or an array of indices in any order.
    threads
        Most chunks that are read at the same time.
    is_remote
        Whether a read waits for a server, so that small chunks are read in parallel too.

    Returns
    -------
    ndarray
        A new array in native byte order, of the dtype that `numpy_dtype` returns.
    """
    import numpy as np

    shape = tuple(len(along) for along in positions)
    grid = source.grid
    if math.prod(shape) == 0 or grid.size == 0:
        return filled(shape, source.type, source.fill)
    parts = [list(_parts(grid, axis, along)) for axis, along in enumerate(positions)]
    count = math.prod(len(along) for along in parts)
    if count >= MANY:
        source = sparse(source)
    selects = isinstance(source, SparseReading)
    if selects or not _is_within(positions, grid.shape):
        result = filled(shape, source.type, source.fill)
    else:
        result = np.empty(shape, numpy_dtype(source.type))

    def put(piece: tuple[_Part, ...]) -> None:
        _put(source, piece, result)

    pieces = _selected(source, parts) if selects else itertools.product(*parts)
    cost = math.prod(grid.chunks) * max(1, result.dtype.itemsize)
    if count == 1 or threads == 1 or (count * cost <= _SMALL and not is_remote):
        for piece in pieces:
            put(piece)
        return result
    with ThreadPool(_MEMORY, threads) as pool:
        for _ in pool.each(put, pieces, max(cost, _SMALL) if is_remote else cost):
            pass
    return result


def _selected(source: ChunkSource, parts: Sequence[Sequence[_Part]]) -> Iterator[tuple[_Part, ...]]:
    """Yield the parts of the chunks that may exist."""
    axes = [{part.chunk: part for part in along} for along in parts]
    firsts = source.grid.box(tuple(min(along, default=0) for along in axes))
    lasts = source.grid.box(tuple(max(along, default=0) for along in axes))
    for index in source.touching(Box(firsts.start, lasts.stop)):
        if all(chunk in along for chunk, along in zip(index, axes, strict=True)):
            yield tuple(along[chunk] for chunk, along in zip(index, axes, strict=True))


def _put(source: ChunkSource, piece: tuple[_Part, ...], result: Values) -> None:
    """Read one chunk, and copy the selected elements to their places in `result`."""
    import numpy as np

    values = source.chunk(tuple(part.chunk for part in piece))
    inside = tuple(part.inside for part in piece)
    places = tuple(part.places for part in piece)
    if not all(isinstance(each, slice) for each in places):  # numpy combines arrays otherwise
        inside = np.ix_(*(_indices(each) for each in inside))
        places = np.ix_(*(_indices(each) for each in places))
    if values is None:
        elements = filled((), source.type, source.fill)
    else:
        elements = to_numpy(values[(*inside, ...)], source.type)
    result[(*places, ...)] = elements  # with the ellipsis, an object of rank 0 is an array too


def _indices(each: slice | NDArray[np.intp]) -> NDArray[np.intp]:
    import numpy as np

    return np.arange(each.start, each.stop, each.step) if isinstance(each, slice) else each


def _is_within(positions: tuple[Positions, ...], shape: tuple[int, ...]) -> bool:
    return all(max(along) < n for along, n in zip(positions, shape, strict=True))


def _parts(grid: Grid, axis: int, positions: Positions) -> Iterator[_Part]:
    """Divide the positions along one axis by the chunks that they touch."""
    if isinstance(positions, range):
        yield from _parts_of_range(grid, axis, positions)
        return
    import numpy as np

    order = np.argsort(positions, kind="stable")
    ascending = positions[order]
    begin = 0
    while begin < len(order) and ascending[begin] < grid.shape[axis]:
        first = int(ascending[begin])
        chunk = _touched(grid, axis, first, first + 1).start
        start, stop = _borders(grid, axis, chunk)
        end = int(np.searchsorted(ascending, stop))
        yield _Part(chunk, ascending[begin:end] - start, order[begin:end])
        begin = end


def _parts_of_range(grid: Grid, axis: int, positions: range) -> Iterator[_Part]:
    begin, step = positions.start, positions.step
    stop = min(positions[-1] + 1, grid.shape[axis])
    if begin >= stop:
        return
    for chunk in _touched(grid, axis, begin, stop):
        start, end = _borders(grid, axis, chunk)
        first = max(0, -(-(start - begin) // step))
        after = min(len(positions), -(-(end - begin) // step))
        if first < after:  # a step can be longer than a chunk
            inside = slice(positions[first] - start, positions[after - 1] - start + 1, step)
            yield _Part(chunk, inside, slice(first, after))


def _touched(grid: Grid, axis: int, start: int, stop: int) -> range:
    """Return the indices, along one axis, of the chunks from `start` up to `stop`."""
    rank = len(grid.shape)
    origin, end = [0] * rank, [1] * rank
    origin[axis], end[axis] = start, stop
    return grid.ranges(Box(tuple(origin), tuple(end)))[axis]


def _borders(grid: Grid, axis: int, chunk: int) -> tuple[int, int]:
    """Return where a chunk begins and ends along one axis."""
    index = [0] * len(grid.shape)
    index[axis] = chunk
    box = grid.box(tuple(index))
    return box.start[axis], box.stop[axis]
