"""Objects of a new directory that are the files of an old one, under a second name."""

from __future__ import annotations

from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.key import LARGEST_DOCUMENT
from ncz.zmap.local.writable import WritableDirectoryZmap


def link_object(
    source: Zmap, key: str, target: WritableZmap, to: str, limit: int = LARGEST_DOCUMENT
) -> None:
    """Make an object available in another store, with a hard link if the file system has them.

    Otherwise it is copied; see `WritableZmap.put_from` for the parameters. The source must be
    removed afterwards, because a write into one of the files would change both.
    """
    if isinstance(target, WritableDirectoryZmap):
        place = source.place(key)
        if place is not None and place.offset == 0 and target.put_link(to, place.url):
            return
    target.put_from(to, source, key, limit)
