"""Changed files that a dataset refers to, as findings of a check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncz.formats.findings import Finding, finding
from ncz.zmap.source_file import SourceFile


def changed_sources(sources: Iterable[SourceFile]) -> Iterator[Finding]:
    """Yield a finding for each file that is missing or has changed."""
    for source in sources:
        if source.state == "missing":
            text = f"the source {source.url} does not exist"
            hint = "check whether it was moved or deleted"
            yield finding("source-changed", "", text, hint)
        elif source.state == "changed":
            text = f"the source {source.url} has changed: {source.reason}"
            yield finding("source-changed", "", text, "make the references again")
