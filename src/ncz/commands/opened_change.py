"""Open a store whose chunks and documents change: as it is read, and as it is written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.commands.changes import OpenStore, open_to_change
from ncz.formats.kinds import OpenedDataset, OpenOptions
from ncz.formats.opening import maintenance, open_dataset
from ncz.record import record

if TYPE_CHECKING:
    from ncz.errors import Notice
    from ncz.formats.store_draft import StoreDraft
    from ncz.zmap.location import Location


@record(kw_only=True)
class OpenedChange:
    """A store that changes.

    Attributes
    ----------
    store
        The store, for writing.
    draft
        Its documents, with no edits yet.
    opened
        Its dataset, for reading.
    readers
        Closes the dataset: Windows does not replace an open file.
    unread
        Receives the notices about what cannot be read.
    """

    store: OpenStore
    draft: StoreDraft
    opened: OpenedDataset
    readers: contextlib.ExitStack
    unread: list[Notice]


@contextlib.contextmanager
def opened_change(location: Location, *, dry_run: bool) -> Iterator[OpenedChange]:
    """Open a store to change values of it; see `ncz.commands.changes.open_to_change`."""
    unread: list[Notice] = []
    with (
        open_to_change(location, dry_run=dry_run) as store,
        contextlib.ExitStack() as readers,
    ):
        draft = maintenance().draft(store.zmap, location, False)
        opened = readers.enter_context(
            open_dataset(location, OpenOptions(consolidated=False), notify=unread.append)
        )
        yield OpenedChange(store=store, draft=draft, opened=opened, readers=readers, unread=unread)
