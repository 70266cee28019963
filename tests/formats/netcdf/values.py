"""The values of variables."""

from __future__ import annotations

from typing import Any

from ncz.model.data import read_all
from ncz.model.tree import Variable


def values_of(variable: Variable) -> Any:
    """Return all values of a variable that has data."""
    assert variable.data is not None
    return read_all(variable.data)
