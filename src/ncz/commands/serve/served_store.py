"""A store that is served."""

from __future__ import annotations

from collections.abc import Callable

from ncz.record import record
from ncz.transfer.planned import PlannedZmap


@record(kw_only=True)
class ServedStore:
    """A store, and what says that its source is no longer what was opened."""

    zmap: PlannedZmap
    summary: str
    check: Callable[[], None]
