"""Groups of keyword arguments that several functions take, with their descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class SelectionKeywords(TypedDict, total=False):
    """The part of a dataset to use.

    Attributes
    ----------
    isel
        Only these indices of dimensions, such as ``{"time": slice(0, 10)}``; see `Dataset.isel`.
    sel
        Only these values of coordinates, such as ``{"lat": slice(40, 60)}``; see `Dataset.sel`.
    nearest
        Let a single value of `sel` select the coordinate that is nearest to it.
    vars
        Only these variables, and what they refer to. Globs such as 't2m,ta*' are possible.
    exclude
        Leave these variables out, unless others refer to them.
    """

    isel: Mapping[str, Any] | None
    sel: Mapping[str, Any] | None
    nearest: bool
    vars: str | Sequence[str]
    exclude: str | Sequence[str]


class LimitKeywords(TypedDict, total=False):
    """How much of the computer a function may use.

    Attributes
    ----------
    memory
        Memory for data in bytes (default: a quarter of what is free, 256MiB to 4GiB).
    threads
        Number of threads (default: one per core).
    """

    memory: int | None
    threads: int | None
