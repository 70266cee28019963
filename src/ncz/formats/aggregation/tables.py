"""Arrays of numbers and strings that describe partitions. Values may be missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeGuard

from ncz.late import numpy as np
from ncz.model.data import Values
from ncz.model.tree import Variable
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from ncz.model.data import Values


def missing(values: Values, variable: Variable) -> Values:
    """Return which numbers are missing: the mask, the default fill value, and negative ones."""
    marks = [value for value in (variable.mask,) if value is not None]
    if isinstance(variable.type, Atomic) and variable.type.is_integer:
        marks.append(variable.type.default_fill)
    found: Values = values < 0
    for mark in marks:
        found = found | (values == mark)
    return found


def is_text(value: Any) -> TypeGuard[str]:
    """Return whether a value is a text that is not empty; missing texts are."""
    return isinstance(value, str) and bool(value)


def indices_of(values: Values) -> Iterator[Any]:
    """Return an iterator over the indices of an array."""
    return iter(np.ndindex(values.shape))
