"""Objects from one store to another without a look at what they hold."""

from __future__ import annotations

from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.local.directory import DirectoryZmap, WritableDirectoryZmap


def move_object(source: Zmap, key: str, target: WritableZmap, to: str) -> int | None:
    """Copy the object `key` of `source` to `to` in `target`.

    Returns its bytes; None, and does nothing, if there is no such object. Between directories
    the system copies, and may share what is on the disk.
    """
    if isinstance(source, DirectoryZmap) and isinstance(target, WritableDirectoryZmap):
        return target.put_from(to, source, key)
    data = source.get(key)
    if data is None:
        return None
    target.put(to, data)
    return len(data)
