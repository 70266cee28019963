"""Open a store whose chunks and documents change, for reading and for writing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.commands.changes import OpenStore, is_local, open_to_change
from ncz.commands.joining.error import JoinError
from ncz.formats.kinds import OpenedDataset, OpenOptions
from ncz.formats.opening import maintenance, open_dataset
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.zmap.journal import NewObjects

if TYPE_CHECKING:
    from ncz.errors import Notice, Progress
    from ncz.formats.store_draft import StoreDraft
    from ncz.zmap import WritableZmap, Zmap
    from ncz.zmap.location import Location

_REPLACED = ("remote", "memory")
"""Kinds of stores whose objects can be replaced, by a journal or in this process only."""


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
        Receives the notices about unreadable parts.
    """

    store: OpenStore
    draft: StoreDraft
    opened: OpenedDataset
    readers: contextlib.ExitStack
    unread: list[Notice]

    def require_replaceable(self, hint: str) -> None:
        """Raise `JoinError` for a store whose chunks cannot be replaced together."""
        location = self.store.location
        if not (self.store.zmap.is_atomic or is_local(location) or location.kind in _REPLACED):
            raise JoinError(
                "values of this kind of store cannot be replaced in one step",
                self.store.zmap.url,
                hint,
            )

    def apply(
        self,
        keys: frozenset[str],
        write: Callable[[WritableZmap, ThreadPool], None],
        *,
        replaces: bool,
        memory: int,
        threads: int,
        description: str,
        progress: Progress,
        finish: Callable[[], None] | None = None,
    ) -> None:
        """Write chunks, and then the edited documents: all of them, or none.

        Parameters
        ----------
        keys
            The keys of the chunks.
        write
            Writes them to a store, with threads.
        replaces
            Whether values of the store are replaced, so that it is built again.
        memory, threads
            Bytes that the chunks may take, and the number of threads.
        description
            A sentence for the history of stores that have one.
        progress
            Receives each object that is written.
        finish
            Changes documents of the draft that depend on the chunks, once these are written.
        """
        is_rewritten = self.store.target is None or replaces

        def write_all(target: WritableZmap) -> None:
            self.opened.check_unchanged()
            is_ordered = self.store.target is None or self.store.target.keeps_order
            with ThreadPool(memory, 1 if is_ordered else threads) as writers:
                write(target, writers)
            if is_rewritten:
                self.readers.close()

        def documents() -> Mapping[str, bytes]:
            assert finish is not None
            finish()
            return self.draft.changes(is_structural=replaces).documents

        plan = self.draft.changes(is_structural=replaces)
        plan = replace(
            plan, new=NewObjects(keys=keys, write=write_all), description=description,
            late=None if finish is None else documents,
        )  # fmt: skip
        self.store.apply(plan, pure=self.draft.is_pure, progress=progress)


@contextlib.contextmanager
def opened_change(
    location: Location, *, dry_run: bool, check: Callable[[Zmap], None] = lambda _: None
) -> Iterator[OpenedChange]:
    """Open a store to change values of it; see `ncz.commands.changes.open_to_change`."""
    unread: list[Notice] = []
    with (
        open_to_change(location, dry_run=dry_run, check=check) as store,
        contextlib.ExitStack() as readers,
    ):
        draft = maintenance().draft(store.zmap, location, False)
        opened = readers.enter_context(
            open_dataset(location, OpenOptions(consolidated=False), notify=unread.append)
        )
        yield OpenedChange(store=store, draft=draft, opened=opened, readers=readers, unread=unread)
