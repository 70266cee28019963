"""Archives: the way their files are written and joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ncz.record import record

Write = Callable[[Path], list[str]]
"""A function that writes files into a folder, and returns their paths in order."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


@record(kw_only=True)
class Archive:
    """An archive.

    Attributes
    ----------
    name
        The project whose files these resemble, and their special features.
    write
        Writes the files.
    dim
        The dimension of the join; it is a new one if `is_new`.
    is_new
        Whether the files do not have the dimension.
    ncz, xarray
        Further options of `ncz.copy` and of `xarray.open_mfdataset`.
    group
        The group that is compared.
    exceeds
        Whether more than 1 MiB of a variable does not fit, so that it is next to a set.
    finish
        The last step on the dataset that xarray joined, such as dropping duplicates.
    """

    name: str
    write: Write
    dim: str = "time"
    is_new: bool = False
    ncz: Mapping[str, Any] = NOTHING
    xarray: Mapping[str, Any] = NOTHING
    group: str | None = None
    exceeds: bool = False
    finish: Callable[[Any], Any] = lambda joined: joined
