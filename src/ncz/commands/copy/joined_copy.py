"""Copies of several datasets as one: concat and merge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from ncz.commands.arguments import SourceLike
from ncz.commands.copy.command import copy
from ncz.commands.functions import speaks_python
from ncz.zmap.location import Path

if TYPE_CHECKING:
    from ncz.commands.copy.summary import Summary


@speaks_python
def concat(
    sources: Sequence[SourceLike],
    target: Path | BinaryIO,
    dim: str,
    **options: Any,
) -> Summary:
    """Join datasets along a dimension in a new store or file.

    Variables that do not have the dimension must be equal. Times are converted to the units of the
    first source. The same as `copy` with several sources and its option `concat`.

    Parameters
    ----------
    sources
        Paths, URLs and datasets, as for `copy`.
    target
        The path or the URL of the new store or file.
    dim
        The dimension along which the sources follow each other.
    **options
        As for `copy`: ``attributes="first"``, ``chunk_size=10**7``, ``overwrite=True``, ...

    Returns
    -------
    Summary
        The number of written variables and chunks, and their size in bytes.

    Raises
    ------
    NczError
        If the sources do not fit together, or one cannot be read.

    Examples
    --------
    >>> days = [ncz.open("weather.zarr").isel(time=slice(i, i + 1)) for i in range(4)]
    >>> ncz.concat(days, "again.zarr", "time").variables
    6
    >>> ncz.diff("weather.zarr", "again.zarr", data_only=True)
    []
    """
    return copy(sources, target, concat=dim, **options)


@speaks_python
def merge(
    sources: Sequence[SourceLike],
    target: Path | BinaryIO,
    **options: Any,
) -> Summary:
    """Put the variables and groups of several datasets into a new store or file.

    Common variables must be equal. The same as `copy` with several sources.

    Parameters
    ----------
    sources
        Paths, URLs and datasets, as for `copy`.
    target
        The path or the URL of the new store or file.
    **options
        As for `copy`: ``attributes="first"``, ``chunk_size=10**7``, ``overwrite=True``, ...

    Returns
    -------
    Summary
        The number of written variables and chunks, and their size in bytes.

    Raises
    ------
    NczError
        If the sources do not fit together, or one cannot be read.

    Examples
    --------
    >>> ds = ncz.open("weather.zarr")
    >>> parts = [ds.select("temperature"), ds.select("wind_speed")]
    >>> ncz.merge(parts, "both.zarr").variables
    5
    """
    return copy(sources, target, **options)
