"""Attributes that are set and deleted in an open dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ncz.api.handle import Handle
from ncz.api.values import number_type
from ncz.late import numpy as np
from ncz.model.tree import Attribute
from ncz.model.types import Atomic


def change_attributes(
    handle: Handle, path: str, changed: Mapping[str, Any], deleted: Iterable[str] = ()
) -> None:
    """Set and delete attributes of a variable or a group: all of them, or none.

    Parameters
    ----------
    handle
        The dataset, which is open to be changed, and is opened again.
    path
        The variable or group.
    changed
        The new values by name: text, numbers of Python or numpy, or lists of them.
    deleted
        The names of attributes that are deleted.

    Raises
    ------
    TypeError
        If the dataset is a part of one, or a value cannot be stored.
    NczError
        If the dataset cannot be changed.
    """
    from ncz.commands.edit.attribute_edits import edit_attributes

    handle.check_open()
    if handle.parts or handle.is_unpacked:
        what = "a part of a dataset" if handle.parts else "a dataset that is shown unpacked"
        raise TypeError(f"attributes of {what} cannot be changed; use the whole attribute")
    attributes = [attribute_of(name, value) for name, value in changed.items()]
    gone = [*deleted]
    if attributes or gone:
        edit_attributes(handle.location, path, attributes, gone, handle.notify)
        handle.reopen()


def attribute_of(name: Any, value: Any) -> Attribute:
    """Return an attribute with the type of its value. Raises `TypeError` if none exists.

    An integer of Python is an int, or an int64 if it does not fit; a number with a point is a
    double; and numbers of numpy keep their types.
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"the name of an attribute is a text that is not empty, not {name!r}")
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return Attribute(name=name, type=Atomic.CHAR, values=(str(value),) if value else ())
    elements = value if isinstance(value, list | tuple) else [value]
    if elements and all(isinstance(each, str) for each in elements):
        return Attribute(name=name, type=Atomic.STRING, values=tuple(map(str, elements)))
    array = _array(value)
    nc_type = number_type(array.dtype)
    if array.ndim > 1 or not array.size or nc_type is None:
        raise TypeError(
            f"the attribute {name} cannot have the value {value!r}; use text, numbers, or lists of"
            " them"
        )
    if all(type(each) is int for each in elements):
        low, high = Atomic.INT.limits
        nc_type = Atomic.INT if low <= min(elements) and max(elements) <= high else nc_type
    return Attribute(name=name, type=nc_type, values=tuple(array.reshape(-1).tolist()))


def _array(value: Any) -> np.ndarray[Any, Any]:
    """Return a value as an array; one of objects if its parts are not alike."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.empty(0, "O")
