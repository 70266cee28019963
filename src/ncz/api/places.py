"""The locations of stores, groups and files, for functions with the names of other libraries."""

from __future__ import annotations

import itertools
import os
from typing import Any, cast

from ncz.api.group import Group
from ncz.zmap.foreign_stores import below, url_of_store
from ncz.zmap.location import path_of

_numbers = itertools.count()


def place_of(value: Any) -> str | None:
    """Return the path or the URL of a store, a group or an open file; None without one."""
    if isinstance(value, Group):
        return below(value.filepath(), value.path)
    if isinstance(value, str | bytes | os.PathLike):
        return path_of(cast(Any, value))
    return url_of_store(value)


def new_in_memory(kind: str) -> str:
    """Return the URL of a store in memory that does not exist; `kind` is part of its name."""
    return f"memory://{kind}-{next(_numbers)}"
