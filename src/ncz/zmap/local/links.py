"""Symbolic links in directories that are read: they may not lead out of the store.

A store from someone else may hold a link to any file of its reader, whose content would be printed
or copied as data. Links within the store are followed.
"""

from __future__ import annotations

import os

from ncz.errors import ZmapError


def resolved(root: str, key: str, location: str) -> str:
    """Return the key to which links lead from `key`; it has no links, unless they change.

    `root` is the absolute path of the directory, which may itself be a link. Raises `ZmapError`,
    with `location`, if the links lead out of the directory.
    """
    inside = os.path.realpath(root)
    target = os.path.realpath(os.path.join(root, key))
    if target == inside:
        return ""
    start = os.path.join(inside, "")
    if not target.startswith(start):
        raise ZmapError(
            "a symbolic link leads out of the store",
            location,
            "add #mode=follow-links to the path if you trust the store",
        )
    return target[len(start) :].replace(os.sep, "/")
