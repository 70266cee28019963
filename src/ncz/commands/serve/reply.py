"""An object of a store, or the requested part of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ncz.errors import ZmapError
from ncz.record import record
from ncz.transfer.planned_zmap import PlannedZmap
from ncz.zmap.key import check_inside

_LARGEST = 1 << 40
"""Bytes of an object; reads of a source have a limit that follows from its metadata."""

_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{1,18})?|-(\d{1,18}))\Z")


@record(kw_only=True)
class Reply:
    """The answer for an object of `size` bytes.

    `part` is the requested range; empty if it is beyond the end, and None for all.
    """

    size: int
    data: bytes = b""
    part: range | None = None

    @property
    def length(self) -> int:
        """Bytes of the answer."""
        return self.size if self.part is None else len(self.part)

    @property
    def content_range(self) -> str:
        """The header with the range that is sent."""
        part = self.part
        return f"bytes {part[0]}-{part[-1]}/{self.size}" if part else f"bytes */{self.size}"


RangeOf = Callable[[int], range]
"""A function that returns the bytes wanted of an object of some size."""


def range_of(headers: Mapping[str, str], etag: str) -> RangeOf | None:
    """Return the requested range; None for all, as for several ranges."""
    if headers.get("If-Range", etag) != etag:
        return None
    match = _RANGE.match(headers.get("Range", "").replace(" ", ""))
    if match is None:
        return None
    first, last, suffix = (None if part is None else int(part) for part in match.groups())
    if suffix is not None:
        return lambda size: range(max(0, size - suffix), size)
    if first is None or (last is not None and last < first):
        return None
    return lambda size: range(first, size if last is None else min(size, last + 1))


def read_object(
    zmap: PlannedZmap, key: str, wanted: RangeOf | None, sizes_only: bool
) -> Reply | None:
    """Read an object or a part of it; None if it does not exist."""
    if wanted is None and not sizes_only:
        data = zmap.get(key, _LARGEST)
        return None if data is None else Reply(size=len(data), data=data)
    size = zmap.size(key)
    if size is None:
        # Only reading distinguishes a missing chunk from a removed one.
        data = zmap.get(key, _LARGEST)
        if data is None:
            return None
        size = len(data)
    if wanted is None:
        return Reply(size=size)
    part = wanted(size)
    if sizes_only or not part:
        return Reply(size=size, part=part)
    data = zmap.get_range(key, part[0], len(part))
    if data is None or len(data) != len(part):
        from ncz.system_errors import changed_object_error

        raise changed_object_error(zmap.where(key))
    return Reply(size=size, data=data, part=part)


def is_legal(key: str) -> bool:
    """Return whether a store can have such a key; one with ``..`` could lead out of it."""
    try:
        return check_inside(key) == key
    except ZmapError:
        return False
