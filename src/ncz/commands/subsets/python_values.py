"""A selection from values of Python: integers, slices, lists, numbers, texts and dates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ncz.commands.functions import Words, words
from ncz.commands.subsets.spelling import parse_value
from ncz.late import numpy as np
from ncz.model.selection import Between, ByValue, Index, OneOf, Selection, Value


def selection_of(
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    *,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
    drops: bool = False,
) -> Selection | None:
    """Return the selection of mappings from dimensions to indices and to values.

    Returns
    -------
    Selection or None
        None if nothing is selected.

    Raises
    ------
    TypeError
        If an index is not an integer, a slice or a list of integers.
    """
    if not (isel or sel or vars or exclude):
        return None
    by_index = {name: _index(index) for name, index in (isel or {}).items()}
    single = [name for name, index in by_index.items() if isinstance(index, int)]
    single += [name for name, value in (sel or {}).items() if _is_single(value)]
    return Selection(
        drops=tuple(single) if drops else (),
        by_index=by_index,
        by_value={name: _values(value) for name, value in (sel or {}).items()},
        nearest=nearest,
        vars=words(vars),
        exclude=words(exclude),
    )


_PERIOD = re.compile(r"\d{4}(-\d{2})?")
"""A year or a month, which several times may have."""


def _is_single(value: Any) -> bool:
    """Return whether a value selects one index, rather than a range."""
    if isinstance(value, slice) or _is_list(value):
        return False
    selected = _values(value)
    return not (
        isinstance(selected, Between) or (isinstance(selected, str) and _PERIOD.fullmatch(selected))
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1


def _index(index: Any) -> Index:
    if isinstance(index, slice):
        parts = (index.start, index.stop, index.step)
        return slice(*(None if part is None else _integer(part) for part in parts))
    if getattr(index, "ndim", 0) == 1:
        index = np.asarray(index).tolist()
    if isinstance(index, (range, list, tuple)):
        if any(isinstance(each, bool) for each in index):
            raise TypeError("a list of indices cannot be a mask; use numpy.flatnonzero(mask)")
        return tuple(_integer(each) for each in index)
    return _integer(index)


def _integer(value: Any) -> int:
    from operator import index

    try:
        return index(value)
    except TypeError:
        shown = " ".join(repr(value).split())
        raise TypeError(f"{shown} is not an integer, a slice or a list of integers") from None


def _values(value: Any) -> ByValue:
    if isinstance(value, Between):
        return value
    if _is_list(value):
        return OneOf(tuple(map(_value, value)))
    if not isinstance(value, slice):
        return parse_value(value) if isinstance(value, str) else _value(value)
    step = 1 if value.step is None else _integer(value.step)
    low, high = (None if end is None else _value(end) for end in (value.start, value.stop))
    return Between(low, high, step=step)


def _value(value: Any) -> Value:
    """Return a number, a text or a date of Python or numpy as a number or a text."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if hasattr(value, "item") and value.dtype.kind in "iuf":
        value = value.item()
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number else str(value)
