"""Patterns and folders that mean several sources of a copy."""

from __future__ import annotations

import contextlib
import fnmatch
import os
from collections.abc import Callable, Sequence
from glob import glob

from ncz.system_errors import storage_errors
from ncz.zmap.location import Location, parse_location
from ncz.zmap.opening import open_zmap

_LISTED = ("s3://", "s3a://", "gs://", "gcs://", "az://", "abfs://")
"""The beginnings of URLs of servers that list their objects."""

_LONGEST_LIST = 1 << 24
"""Characters of a list of files that are read."""

_LARGEST_FOLDER = 100_000
"""Names of a folder that are looked at."""

FILES = (".nc", ".nc3", ".nc4", ".cdf", ".h5", ".hdf5", ".he5")
"""The ends of the names of netCDF files."""


def expand_sources(
    source: str, is_joined: bool, locate: Callable[[str], Location] = parse_location
) -> Sequence[str]:
    """Return the sources that a path means, in the order of their names.

    ``@FILE`` means the paths and URLs that the lines of a file name. A pattern that no shell has
    expanded is replaced by its matches. If sources are joined, a folder is replaced by its netCDF
    files.

    Parameters
    ----------
    source
        A path or a URL.
    is_joined
        Whether several sources follow each other along a dimension.
    locate
        Returns the location of a URL.
    """
    if source.startswith("@") and os.path.isfile(source[1:]) and not os.path.lexists(source):
        return _lines_of(source[1:])
    if source.startswith(_LISTED) and any(c in source.rpartition("/")[2] for c in "*["):
        return _matching_urls(source, locate) or [source]
    if "://" in source or source == "-":
        return [source]
    if not os.path.lexists(source) and any(c in source for c in "*?["):
        return sorted(glob(source)) or [source]
    if is_joined and os.path.isdir(source):
        return files_in(source) or [source]
    return [source]


def _matching_urls(url: str, locate: Callable[[str], Location]) -> Sequence[str]:
    """Return the URLs that match the last part of a URL, from a server that lists objects."""
    address, hash_sign, fragment = url.partition("#")
    folder, _, pattern = address.rpartition("/")
    with contextlib.closing(open_zmap(locate(f"{folder}{hash_sign}{fragment}"))) as zmap:
        names = sorted(fnmatch.filter(zmap.search(""), pattern))
    return [f"{folder}/{name}{hash_sign}{fragment}" for name in names]


def _lines_of(path: str) -> Sequence[str]:
    """Return the lines of a list of files, without blank ones."""
    with storage_errors(path, "read"), open(path, encoding="utf-8") as file:
        lines = file.read(_LONGEST_LIST).splitlines()
    return [line.strip() for line in lines if line.strip()] or [f"@{path}"]


def files_in(folder: str) -> Sequence[str]:
    """Return the netCDF files in a folder that contains nothing else; none if it does."""
    if not os.path.isdir(folder):
        return []
    names = sorted(name for name in os.listdir(folder)[:_LARGEST_FOLDER] if name[:1] != ".")
    if not all(name.lower().endswith(FILES) for name in names):
        return []
    return [os.path.join(folder, name) for name in names]
