"""Copy objects from one store to another without decoding them."""

from __future__ import annotations

import functools
from typing import cast

from ncz.zmap import FileZmap, WritableFileZmap, WritableZmap, Zmap
from ncz.zmap.byte_range import Check
from ncz.zmap.limits import LARGEST_DOCUMENT


def move_object(
    source: Zmap,
    key: str,
    target: WritableZmap,
    to: str,
    limit: int = LARGEST_DOCUMENT,
    check: Check | None = None,
) -> int | None:
    """Copy an object from one store to another.

    Between directories the operating system copies, and may share the blocks on the disk.

    Parameters
    ----------
    source, key
        The store and the key of the object.
    target, to
        The store and the key of the copy.
    limit
        The most bytes of an object that must be held in memory.
    check
        Called with the object before it is copied; what it raises stops the copy.

    Returns
    -------
    int or None
        The number of bytes; None if no object has this key, in which case nothing changes.

    Raises
    ------
    ZmapError
        If the object cannot be read or written.
    """
    if are_files(type(source), type(target)):
        return cast("WritableFileZmap", target).put_from(to, cast("FileZmap", source), key, check)
    data = source.get(key, limit)
    if data is None:
        return None
    if check is not None:
        check(data)
    target.put(to, data)
    return len(data)


@functools.cache
def are_files(source: type, target: type) -> bool:
    """Return whether stores of two classes copy files; asking for every chunk takes long."""
    return issubclass(source, FileZmap) and issubclass(target, WritableFileZmap)
