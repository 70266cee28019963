"""Variables of an open dataset that grow along unlimited dimensions; each growth is one change.

As in netCDF, a dimension has one length, so that all variables over it become longer: the others
get fill values. For programs that append to one array after the other, as with zarr-python, the
handle remembers the separate length of each variable: values that are appended to it next replace
these fill values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ncz.api.attributes import refuse
from ncz.api.dtype_conversion import represent
from ncz.api.values import numpy_dtype
from ncz.commands.functions import notice_in_python, speaks_python
from ncz.errors import NczError
from ncz.late import numpy as np
from ncz.model.data import fill_array
from ncz.model.slabs import unwritten_fill


@speaks_python
def append(variable: Any, values: Any, axis: int = 0) -> tuple[int, ...]:
    """Write values behind the end of a variable, as zarr-python does; return the new shape.

    Raises
    ------
    TypeError
        If the dataset was opened to read, or an element cannot represent a value.
    ValueError
        If the values have another shape than the variable along other axes.
    NczError
        If the dataset cannot be changed.
    """
    handle = variable._handle
    _check(variable)
    if not variable.ndim:
        raise TypeError(f"the variable {variable.path} is a scalar, which cannot become longer")
    shape, axis = variable.shape, axis % variable.ndim
    record = variable.record
    found = np.asarray(values, "O" if numpy_dtype(record.type).kind == "O" else None)
    if found.ndim != len(shape) or any(
        n != size for i, (n, size) in enumerate(zip(found.shape, shape, strict=True)) if i != axis
    ):
        raise ValueError(
            f"values of the shape {found.shape} cannot be appended to {variable.path} along axis"
            f" {axis}: it has the shape {shape}"
        )
    found = represent(found, numpy_dtype(record.type))
    start = handle.own_lengths.get((variable.path, axis), shape[axis])
    room = min(shape[axis] - start, found.shape[axis])
    before = (slice(None),) * axis
    if room:
        variable[(*before, slice(start, start + room))] = found[(*before, slice(room))]
    _grow(variable, axis, found[(*before, slice(room, None))])
    handle.own_lengths[variable.path, axis] = start + found.shape[axis]
    return variable.shape  # type: ignore[no-any-return]


def is_appended(variable: Any, index: Any, values: Any) -> bool:
    """Append values that are assigned behind the end of an unlimited dimension, as with netCDF4.

    Return False, and do nothing, for any other assignment.
    """
    for axis in range(variable.ndim):  # a program that assigns means the lengths that it sees
        variable._handle.own_lengths.pop((variable.path, axis), None)
    parts = _parts(index, variable.ndim)
    names = variable.dims if variable._handle.is_plain else variable.unlimited_dims
    for axis, (part, name, size) in enumerate(
        zip(parts or (), variable.dims, variable.shape, strict=False)
    ):
        is_slice = isinstance(part, slice)
        first = part.start if is_slice else part
        if is_slice and part == slice(None) and not size:  # nothing was written yet
            first = 0
        if name not in names or not isinstance(first, int | np.integer) or first != size:
            continue
        others = [each for i, each in enumerate(parts or ()) if i != axis]
        if any(each != slice(None) for each in others) or (is_slice and part.step not in (None, 1)):
            return False
        given, shape = np.asarray(values), [*variable.shape]
        if is_slice and part.stop is None and given.ndim != variable.ndim:
            return False
        count = 1
        if is_slice:
            count = given.shape[axis] if part.stop is None else part.stop - size
        shape[axis] = max(0, count)
        block = np.expand_dims(given, axis) if not is_slice and given.ndim == len(others) else given
        append(variable, np.broadcast_to(block, shape), axis)
        return True
    return False


def _parts(index: Any, ndim: int) -> tuple[Any, ...] | None:
    """Return an index with one part for each dimension; None if it has too many."""
    parts = index if isinstance(index, tuple) else (index,)
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    behind = parts[at + 1 :]
    gap = ndim - at - len(behind)
    return None if gap < 0 else (*parts[:at], *(slice(None),) * gap, *behind)


@speaks_python
def resize(variable: Any, *shape: Any, axis: int | None = None) -> None:
    """Make a variable longer, as zarr-python and h5py do; new values are fill values.

    With `axis`, its new length is the only argument.

    Raises `NczError` for a shorter length.
    """
    _check(variable)
    if axis is not None and len(shape) == 1 and isinstance(shape[0], int):
        given = [*variable.shape]
        given[axis] = shape[0]
        shape = (given,)
    lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    if len(lengths) != variable.ndim:
        raise ValueError(f"{variable.path} has {variable.ndim} dimensions, not {len(lengths)}")
    for axis, (length, size) in enumerate(zip(lengths, variable.shape, strict=True)):
        if length < size and variable._handle.own_lengths.get((variable.path, axis)) != length:
            name = variable.dims[axis]
            raise NczError(
                f"{variable.path} cannot become shorter: a dimension has one length for all"
                " variables",
                variable.filepath(),
                f"copy a part: ncz.copy(path, target, isel={{{name!r}: slice({length})}})",
            )
        fill = [*variable.shape]
        fill[axis] = max(0, length - size)
        record = variable.record
        _grow(variable, axis, fill_array(tuple(fill), record.type, unwritten_fill(record)))
        variable._handle.own_lengths[variable.path, axis] = int(length)


def _grow(variable: Any, axis: int, values: Any) -> None:
    """Write values after the end of a dimension, and remember the lengths of other variables."""
    if not values.shape[axis]:
        return
    from ncz.commands.append.values import append_values

    handle = variable._handle
    dimension, length = variable.record.dimensions[axis], variable.shape[axis]
    append_values(
        handle.location, variable.path, axis, values,
        lambda notice: handle.notify(notice_in_python(notice)),
    )  # fmt: skip
    for path, other in handle.variables().items():
        for number, name in enumerate(other.dimensions):
            if name == dimension:
                handle.own_lengths.setdefault((path, number), length)
    handle.reopen()
    variable._forget()


def _check(variable: Any) -> None:
    handle = variable._handle
    handle.check_open()
    variable._refresh()
    if not handle.is_writable:
        refuse({}, ())
    if handle.parts or handle.is_unpacked:
        raise TypeError("only variables of a whole dataset, as stored, can become longer")
