"""Values that are assigned to a variable of an open store."""

from __future__ import annotations

from typing import Any

from ncz.api.dtype_conversion import represent
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
    target[...] = represent(values, dtype)
    if block.size:
        positions = [np.asarray(along, "i8") for along in selection.positions]
        assign_values(handle.location, fqn, positions, block, handle.notify)
        handle.reopen()
