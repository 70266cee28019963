"""Patterns and folders that stand for several sources of a copy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import glob

_LARGEST_FOLDER = 100_000
"""Names of a folder that are looked at."""

_FILES = (".nc", ".nc3", ".nc4", ".cdf", ".h5", ".hdf5", ".he5")


def expanded(source: str, is_joined: bool) -> Sequence[str]:
    """Return the sources that a path stands for, in the order of their names.

    A pattern that no shell has expanded stands for what it matches. If sources are joined, a folder
    of netCDF files stands for these.

    Parameters
    ----------
    source
        A path or a URL.
    is_joined
        Whether several sources follow each other along a dimension.
    """
    if "://" in source or source == "-":
        return [source]
    if not os.path.lexists(source) and any(c in source for c in "*?["):
        return sorted(glob(source)) or [source]
    if is_joined and os.path.isdir(source):
        return _files_in(source) or [source]
    return [source]


def _files_in(folder: str) -> Sequence[str]:
    """Return the netCDF files in a folder that holds nothing else; none if it does."""
    names = sorted(name for name in os.listdir(folder)[:_LARGEST_FOLDER] if name[:1] != ".")
    if not all(name.lower().endswith(_FILES) for name in names):
        return []
    return [os.path.join(folder, name) for name in names]
