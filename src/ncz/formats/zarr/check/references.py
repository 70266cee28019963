"""References to sources that have changed, and to local files that are absent or too short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncz.errors import NczError
from ncz.formats.findings import Finding, finding
from ncz.formats.zarr.check.contents import StoreContents
from ncz.zmap.reference.reader import ReferenceZmap
from ncz.zmap.source_file import SourceFile


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


def changed_sources(sources: Iterable[SourceFile]) -> Iterator[Finding]:
    """Yield a finding for each file that is missing, or is not what it was."""
    for source in sources:
        if source.state == "missing":
            text = f"the source {source.url} does not exist"
            hint = "check whether it was moved or deleted"
            yield finding("source-changed", "", text, hint)
        elif source.state == "changed":
            text = f"the source {source.url} has changed: {source.reason}"
            yield finding("source-changed", "", text, "make the references again")
