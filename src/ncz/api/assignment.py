"""Values that are assigned to a variable of an open store."""

from __future__ import annotations

from typing import Any

from ncz.api.handle import Handle
from ncz.api.indexing import select
from ncz.api.values import numpy_dtype
from ncz.late import numpy as np
from ncz.model.tree import Variable


def assign(
    handle: Handle, fqn: str, record: Variable, shape: tuple[int, ...], index: Any, values: Any
) -> None:
    """Write values at an index of a variable.

    Parameters
    ----------
    handle
        The open dataset, which is opened again.
    fqn, record, shape
        The variable.
    index, values
        As in ``variable[index] = values``.

    Raises
    ------
    TypeError
        If the dataset was opened to read, or is a part of one, or an element cannot represent a
        value.
    """
    from ncz.commands.region.assignment import assign_values

    if not handle.is_writable:
        raise TypeError('the dataset is open to read; open it with ncz.open(url, "r+")')
    if handle.parts or handle.is_unpacked:
        what = "a part of a dataset; use the whole" if handle.parts else "unpacked variables"
        raise TypeError(f"values cannot be assigned to {what}")
    try:
        selection = select(index, shape)
    except IndexError as error:
        hint = "make a store longer with ncz.copy(new, path, append='time')"
        raise IndexError(f"{error}; {hint}") from None
    dtype = numpy_dtype(record.type)
    block = np.empty(selection.shape, dtype)
    target = block[(*selection.view, ...)]
    target[...] = _held(values, dtype)
    if block.size:
        positions = [np.asarray(along, "i8") for along in selection.positions]
        assign_values(handle.location, fqn, positions, block, handle.notify)
        handle.reopen()


def _held(values: Any, dtype: np.dtype[Any]) -> Any:
    """Return values in a dtype. Raises `TypeError` if it cannot represent one of them."""
    given = np.asarray(values)
    if dtype.kind not in "iuf" or given.dtype == dtype:
        return given if dtype.kind != "S" else given.astype(dtype)
    if given.dtype.kind not in "biuf":
        raise TypeError(f"a variable of dtype {dtype} cannot represent {given.dtype}")
    with np.errstate(all="ignore"):
        held = given.astype(dtype)
    is_finite = np.isfinite(given) if given.dtype.kind == "f" else np.ones(given.shape, bool)
    is_lost = held != given if dtype.kind in "iu" else is_finite & ~np.isfinite(held)
    if is_lost.any():
        first = given[is_lost].flat[0]
        raise TypeError(f"a variable of dtype {dtype} cannot represent {first}")
    return held
