"""The value that missing chunks of a variable hold, in whatever format it is stored."""

from __future__ import annotations

from ncz.model.tree import Variable
from ncz.model.types import Atomic, Value


def missing_fill(variable: Variable) -> Value:
    """Return the value of missing chunks; None if the variable is not filled."""
    if variable.storage.no_fill:
        return None
    if variable.storage.fill is not None:
        return variable.storage.fill
    if variable.mask is not None:
        return variable.mask
    return variable.type.default_fill if isinstance(variable.type, Atomic) else None
