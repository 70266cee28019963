"""References to sources that have changed, and to local files that are absent or too short."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import NczError
from ncz.formats.changed_sources import changed_sources
from ncz.formats.findings import Finding, finding
from ncz.formats.zarr.check.contents import StoreContents
from ncz.zmap.reference.reader import ReferenceZmap


def check_references(read: StoreContents) -> Iterator[Finding]:
    """Yield sources that have changed, and references to local files that are too short.

    Only the last byte of each reference is read, and none if a source has changed.
    """
    zmap = read.zmap
    if not isinstance(zmap, ReferenceZmap):
        yield from changed_sources(zmap.sources())
        return
    is_read = zmap.survives_fork and zmap.can_list  # each reference is looked at
    changed = [*changed_sources(zmap.sources())] if zmap.is_sealed or not is_read else []
    yield from changed
    if changed or not is_read:
        return
    for key in zmap.walk():
        try:
            size = zmap.size(key)
            if size and zmap.get_range(key, size - 1, 1) == b"":
                yield finding("reference-broken", key, "the target is shorter than the reference")
        except NczError as error:
            yield finding("reference-broken", key, error.message, error.hint)
