"""Copy objects from one store to another without decoding them."""

from __future__ import annotations

from ncz.zmap import Check, FileZmap, WritableFileZmap, WritableZmap, Zmap
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
    if isinstance(source, FileZmap) and isinstance(target, WritableFileZmap):
        return target.put_from(to, source, key, check)
    data = source.get(key, limit)
    if data is None:
        return None
    if check is not None:
        check(data)
    target.put(to, data)
    return len(data)
