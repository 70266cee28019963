"""Selections in Python's words as those of the options ``--isel`` and ``--sel``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ncz.commands.subsets import Subset


def subset_of(isel: Mapping[str, Any] | None, sel: Mapping[str, Any] | None) -> Subset:
    """Return the subset that mappings from dimensions to indices and to values select.

    Raises
    ------
    TypeError
        If an index is neither an integer nor a slice.
    """
    return Subset(
        isel=tuple(f"{name}={_index(value)}" for name, value in (isel or {}).items()),
        sel=tuple(f"{name}={_value(value)}" for name, value in (sel or {}).items()),
    )


def part_of(isel: Mapping[str, Any] | None, sel: Mapping[str, Any] | None) -> Subset | None:
    """Return the subset that mappings select; None if they select nothing."""
    return subset_of(isel, sel) if isel or sel else None


def _index(value: Any) -> str:
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return ":".join("" if part is None else str(_integer(part)) for part in parts)
    return str(_integer(value))


def _integer(value: Any) -> int:
    from operator import index

    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{value!r} is neither an integer nor a slice") from None


def _value(value: Any) -> str:
    if not isinstance(value, slice):
        return _text(value)
    if value.step is not None:
        raise TypeError("a slice of values cannot have a step")
    # Times have colons.
    return "/".join("" if end is None else _text(end) for end in (value.start, value.stop))


def _text(value: Any) -> str:
    """Return a number, a text or a date as text; numpy's numbers and dates too."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return str(value.item() if hasattr(value, "item") and value.dtype.kind in "iuf" else value)
