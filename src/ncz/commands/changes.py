"""Change an existing store: all of a plan or nothing, and only one process at a time.

All commands that change a store open it with `open_to_change`, which locks it before anything is
read, and carry out their plans with `OpenStore.apply`. `ncz.zmap.journal` has the plan, the lock
of stores on servers, and the journal of changes in place.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

from ncz.errors import NO_PROGRESS, Progress, ZmapError, note_on_interrupt
from ncz.model.chunks import LARGEST_CHUNK
from ncz.record import record, replace
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.journal import Changes, apply_changes, commit_changes, only_change, refuse_interrupted
from ncz.zmap.key import JOURNAL, is_document
from ncz.zmap.local.claims import only_writer
from ncz.zmap.local.hard_links import link_object
from ncz.zmap.local.opening import store_folder
from ncz.zmap.local.zip import ZipZmap
from ncz.zmap.location import Location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.staged_chunks import stage


@record(kw_only=True)
class OpenStore:
    """A store that can be changed.

    Attributes
    ----------
    zmap
        The store, opened to read.
    location
        Where it is.
    target
        The store, opened to write; None for a zip file, which is written again, and if nothing
        changes.
    check_alone
        Raises `ZmapError` if another process changes the store too.
    """

    zmap: Zmap
    location: Location
    target: WritableZmap | None
    check_alone: Callable[[], None]

    def apply(self, changes: Changes, *, pure: bool, progress: Progress = NO_PROGRESS) -> None:
        """Change the store: completely or not at all.

        A store that is atomic gets all changes in one step. A zip file, and a directory whose names
        change, are written again next to the old one, and then replace it. In other stores each
        document is replaced as a whole, and after an error the old ones are written back; chunks
        that replace others are put next to them, and moved while nothing opens as a dataset.

        Parameters
        ----------
        changes
            The changes.
        pure
            Whether the store is pure Zarr, and not NCZarr.
        progress
            Receives each object of a store that is written again.

        Raises
        ------
        ZmapError
            If the store cannot be changed, or a document that was read has changed.
        """
        with note_on_interrupt(f"{self.location.display} was not changed"):
            self._check_unchanged()
            if self.target is None:
                self._rebuild(replace(self.location, kind="zip"), changes, pure, progress)
            elif self.target.is_atomic:
                self._check_unchanged()
                commit_changes(self.target, changes)
            elif changes.is_structural and is_local(self.location):
                path = store_folder(self.location.path)
                place = replace(self.location, kind="directory", path=path)
                self._rebuild(place, changes, pure, progress)
            elif changes.is_structural and changes.new is not None:
                with stage(self.target, changes.new) as chunks:
                    self._check_unchanged()
                    apply_changes(self.target, changes.settle(), chunks)
            else:
                if changes.new is not None:
                    changes.new.write(self.target)
                    self._check_unchanged()
                apply_changes(self.target, changes.settle())

    def _check_unchanged(self) -> None:
        """Raise `ZmapError` if the plan was made from documents that are no longer there."""
        self.zmap.check_unchanged()
        self.check_alone()

    def _rebuild(
        self, location: Location, changes: Changes, pure: bool, progress: Progress
    ) -> None:
        """Build the new store next to the old one; files of a directory are linked if possible."""
        modes = (location.modes - {"zarr", "nczarr"}) | {"zarr" if pure else "nczarr"}
        # A symbolic link to the store stays.
        place = replace(location, path=os.path.realpath(location.path), modes=modes)
        with create_zmap(place, overwrite=True) as target:
            written = set()
            new_keys: frozenset[str] = frozenset()
            if changes.new is not None:
                changes.new.write(target)
                new_keys, changes = changes.new.keys, changes.settle()
            keys = sorted(self.zmap.walk(), key=is_document)
            progress.expect(len(keys), "objects")
            for key in keys:
                progress.advance(f"/{key}", 1, 0)
                new = changes.key_of(key)
                if new is None or new in new_keys or key == JOURNAL:
                    continue
                if new in changes.documents:
                    target.put(new, changes.documents[new])
                    written.add(new)
                else:
                    link_object(self.zmap, key, target, new, LARGEST_CHUNK)
            for key, data in changes.documents.items():
                if key not in written:
                    target.put(key, data)
            if isinstance(self.zmap, ZipZmap):
                self.zmap.close()  # an open file cannot be replaced on Windows


@contextlib.contextmanager
def open_to_change(
    location: Location, *, dry_run: bool = False, check: Callable[[Zmap], None] = lambda _: None
) -> Iterator[OpenStore]:
    """Open a store, and keep other processes from changing or replacing it during the block.

    With `dry_run` the store is only read, and `OpenStore.apply` must not be called. `check` is
    called with the store before it is opened to write, and raises for one that is not to be
    changed in this way.

    Raises
    ------
    StoreMissing
        If no store exists at the location.
    ZmapError
        If the store cannot be changed, or another process changes it.
    """
    with contextlib.ExitStack() as stack:
        if not dry_run:
            stack.enter_context(alone_here(location))
        zmap = stack.enter_context(contextlib.closing(open_zmap(location)))
        check(zmap)
        if dry_run:
            refuse_interrupted(zmap)
            yield OpenStore(zmap=zmap, location=location, target=None, check_alone=_nobody)
            return
        if isinstance(zmap, ZipZmap):
            if location.inside or not is_local(location):
                raise ZmapError(
                    "a zip file can only be edited as a whole and on this computer", zmap.url
                )
            yield OpenStore(zmap=zmap, location=location, target=None, check_alone=_nobody)
            return
        target = stack.enter_context(contextlib.closing(open_zmap(location, write=True)))
        check_alone: Callable[[], None] = _nobody
        if target.is_atomic:  # which finds out itself whether another process changed it
            pass
        elif location.kind == "remote":
            check_alone = stack.enter_context(only_change(target))
        elif refuse_interrupted(target) is not None:
            target.delete(JOURNAL)
        yield OpenStore(zmap=zmap, location=location, target=target, check_alone=check_alone)


@contextlib.contextmanager
def alone_here(location: Location) -> Iterator[None]:
    """Keep other processes on this computer from changing or replacing a store during the block."""
    if is_local(location):
        with only_writer(location.path, location.display):
            yield
    else:
        yield


def is_local(location: Location) -> bool:
    """Return whether a store is on the local disk, so that it can be built again next to it."""
    return location.kind not in ("remote", "memory")


def _nobody() -> None:
    """Do nothing: the lock of a local store keeps others away."""
