"""Options of a copy that cannot be used together: one table."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from ncz.commands.option_error import OptionError
from ncz.errors import option

_EXCLUSIVE = (
    (("append",), ("into",)),
    (("verbatim", "preserve_time", "prefix"), ("append", "into")),
    (("each", "split"), ("append", "add")),
    (("each",), ("concat", "new_dimension")),
    (("concat",), ("new_dimension",)),
    (("dask", "digest", "resume", "verify"), ("add",)),
    (("dask",), ("resume",)),
    (("max_piece",), ("pieces",)),
)
"""No option on the left can be used with one on the right."""


def refuse_exclusive(values: Mapping[str, Any]) -> None:
    """Raise `OptionError` if two of the given options cannot be used together.

    Parameters
    ----------
    values
        The values of options by their names in Python; a false value is an option that is not
        given.
    """
    for group, others in _EXCLUSIVE:
        for names in product(group, others):
            if all(values.get(name) for name in names):
                first, second = (option(name, values[name] is True or None) for name in names)
                raise OptionError(f"{first} and {second} cannot be used together")
