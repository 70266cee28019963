"""Create a local store beside its target, claim it, resume it, and remove what a stop left.

A store is built under another name in the target's folder (``.ncz-....partial``) and renamed when
it is complete. Any exception, including an interrupt, removes the unfinished store. On Linux and
macOS, an existing store and the new one change places in one step, and the old one, which has
another name then (``.ncz-....old``), is removed. Elsewhere it is moved aside before the rename. If
the target is a symbolic link, the link is replaced and its destination stays. Nothing is synced to
the disk: a store is complete or absent after errors and signals, but not necessarily after a power
failure.

A creation with a `Claim` can be resumed: the name of the unfinished store follows from the target's
name; see `claimed`.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import IO, BinaryIO

from ncz.errors import (
    NczError,
    StoreExists,
    ZmapError,
    already_exists,
    note_if_interrupted,
    option,
    storage_error,
    storage_errors,
)
from ncz.zmap import WritableZmap
from ncz.zmap.journal import being_changed
from ncz.zmap.local.locks import (
    ASIDE,
    CLAIM,
    IS_WINDOWS,
    PARTIAL,
    claimed_name,
    held,
    lock,
    name_start,
    try_lock,
    unclaimed_name,
    unlock,
)
from ncz.zmap.local.replaceable import first_bytes, outermost, why_not_replaced
from ncz.zmap.local.tree import NO_FOLLOW
from ncz.zmap.local.writable import WritableDirectoryZmap
from ncz.zmap.location import Location
from ncz.zmap.opening import Claim, Leftover

# Claim the place where a local store is built, so that an interrupted creation can be resumed.
#
# The unfinished store has a name that follows from the target's (``.ncz-....partial``). A file next
# to it (``.ncz-....claim``) holds the fingerprint of the creation to which it belongs. That file is
# locked while the store is built, so that two processes cannot build it at once.
#
# A store that exists is locked while it is changed or replaced: its folder or its zip file, or on
# systems that cannot lock these, the same file next to it.


@contextlib.contextmanager
def claimed(partial: str, display: str, claim: Claim, is_file: bool) -> Iterator[bool]:
    """Hold the claim to `partial`.

    Parameters
    ----------
    partial
        The path at which the store is built.
    display
        The target's path, as messages show it.
    claim
        What is being created. Unless it resumes, an unfinished store at `partial` is removed.
    is_file
        Whether the store is one file or a directory.

    Yields
    ------
    bool
        Whether an unfinished store exists that can be resumed.

    Raises
    ------
    ZmapError
        If another process holds the claim, or the unfinished store belongs to another claim.
    """
    path = partial.removesuffix(".partial") + ".claim"
    with storage_errors(display, "write"):
        file = _locked(path, display)
    with _released(partial, path, file):
        file.seek(0)
        found = file.read()
        begun = _is_begun(partial, is_file, display)
        if claim.resume and begun and found != claim.fingerprint:
            raise ZmapError(
                "the unfinished store has another source or other options, so it cannot be resumed",
                display,
                f"leave out {option('resume', True)} to start again",
            )
        with storage_errors(display, "write"):
            if not claim.resume or not begun:
                begun = False
                remove(partial)
                file.truncate(0)
                file.write(claim.fingerprint)
                file.flush()
        yield begun


class _Own(threading.local):
    """The stores that a thread has locked; it may replace what it changes."""

    def __init__(self) -> None:
        self.stores: set[str] = set()


_own = _Own()
if hasattr(os, "register_at_fork"):  # a forked process does not own what its parent has locked
    os.register_at_fork(after_in_child=lambda: _own.stores.clear())


@contextlib.contextmanager
def only_writer(path: str, display: str, *, is_claimed: bool = False) -> Iterator[None]:
    """Keep other processes from changing or replacing a local store during the block.

    Parameters
    ----------
    path
        The store, or a group in it.
    display
        The path as messages show it.
    is_claimed
        Whether the caller holds the claim to the store.

    Raises
    ------
    ZmapError
        If another process, or another thread, changes or replaces the store.
    """
    store = outermost(os.path.realpath(path))
    if store in _own.stores:
        yield
        return
    with contextlib.ExitStack() as stack:
        number = _lock_store(store, display)
        if number is not None:
            stack.callback(unlock, number)
        elif not is_claimed and os.path.lexists(store):
            stack.enter_context(claim_beside(store, display))
        _own.stores.add(store)
        stack.callback(_own.stores.discard, store)
        yield


def _lock_store(store: str, display: str) -> int | None:
    """Lock a directory or a zip file; return None if the system cannot, or nothing is there."""
    if IS_WINDOWS:
        return None  # which does not replace an open file
    flags = os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        try:
            number = os.open(store, flags)
        except OSError:
            return None
        is_same = False
        try:
            locked = try_lock(number)
            if locked is None:
                return None
            if not locked:
                raise being_changed(display)
            with contextlib.suppress(OSError):
                # The process that had the lock may have put another store in its place.
                is_same = os.path.samestat(os.lstat(store), os.fstat(number))
            if is_same:
                return number
        finally:
            if not is_same:
                os.close(number)


@contextlib.contextmanager
def claim_beside(store: str, display: str) -> Iterator[None]:
    """Hold the claim to a store that is not built but changed, if this user may write there."""
    beside = os.path.join(os.path.dirname(store), name_start(store))
    try:
        file = _locked(beside + CLAIM, display)
    except NczError:
        raise
    except OSError:  # a folder in which this user cannot write
        yield
        return
    with _released(beside + PARTIAL, beside + CLAIM, file):
        yield


@contextlib.contextmanager
def _released(partial: str, path: str, file: IO[str]) -> Iterator[None]:
    """Close a claim at the end, and remove it unless the unfinished store at `partial` needs it."""

    def remove_claim() -> None:
        if not os.path.lexists(partial):  # it was moved into place, or removed
            with contextlib.suppress(OSError):
                os.unlink(path)

    try:
        with file:
            try:
                yield
            finally:
                remove_claim()
    finally:
        # Some systems do not remove open files. If another process has claimed the place by then,
        # it has the file open, and removing it fails.
        if IS_WINDOWS:
            remove_claim()


def remove(path: str) -> None:
    """Remove a file or a folder, without following links; do nothing if it does not exist."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil  # most targets are new, and nothing is removed

        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _locked(path: str, display: str) -> IO[str]:
    """Open and lock the claim's file, which another process may be removing.

    A process removes the file while it has the lock. A process that waited for that lock has the
    removed file, and would not notice a third process that creates it again.
    """
    flags = os.O_RDWR | os.O_CREAT | NO_FOLLOW | getattr(os, "O_CLOEXEC", 0)
    while True:
        number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            refuse_planted(os.fstat(number), path, display, is_file=True)
        except BaseException:
            os.close(number)
            raise
        file = open(number, "r+", encoding="utf-8")  # noqa: SIM115 - closed by the caller
        try:
            if not lock(file.fileno()):
                raise ZmapError(
                    "another process is writing this store", display, "wait until it has finished"
                )
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.lstat(path), os.fstat(number)):
                    return file
        except BaseException:
            file.close()
            raise
        file.close()


def _is_begun(partial: str, is_file: bool, display: str) -> bool:
    """Return whether an unfinished store exists that an earlier run of this user made."""
    try:
        status = os.lstat(partial)
    except FileNotFoundError:
        return False
    if not (stat.S_ISREG(status.st_mode) if is_file else stat.S_ISDIR(status.st_mode)):
        return False
    refuse_planted(status, partial, display, is_file)
    return True


def refuse_planted(status: os.stat_result, path: str, display: str, is_file: bool) -> None:
    """Raise `ZmapError` if someone else may have prepared what ncz is going to write into."""
    is_own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    is_plain = not is_file or (stat.S_ISREG(status.st_mode) and status.st_nlink <= 1)
    if not (is_own and is_plain):
        raise ZmapError(
            f"{path} was not created by this user and program",
            display,
            "remove it, or write elsewhere",
        )


Build = Callable[[str, Location, bool, bool], AbstractContextManager[WritableZmap]]
"""Takes the temporary path, the location, whether the path already holds a part of the store, and
whether the creation is claimed."""


@contextlib.contextmanager
def create_local(
    location: Location, build: Build, is_file: bool, overwrite: bool, claim: Claim | None
) -> Iterator[WritableZmap]:
    """Create a local store with `build`; see `ncz.zmap.opening.create_zmap`.

    `is_file` says whether the store is one file or a directory.
    """
    target = os.path.abspath(location.path)
    _check_target(location, overwrite, lambda _: False)
    name = unclaimed_name(target) if claim is None else claimed_name(target)
    partial = os.path.join(os.path.dirname(target), name)
    with contextlib.ExitStack() as stack:
        begun = False
        if claim is not None:
            begun = stack.enter_context(claimed(partial, location.path, claim, is_file))
        stack.enter_context(only_writer(target, location.path, is_claimed=claim is not None))
        try:
            with build(partial, location, begun, claim is not None) as zmap, held(partial):
                yield zmap
            _move_into_place(partial, target, location.path, overwrite)
        except BaseException:
            if claim is None or not claim.resume:
                with contextlib.suppress(OSError):  # must not hide the first error
                    remove(partial)
            raise


@contextlib.contextmanager
def create_file(
    location: Location, *, overwrite: bool, replaces: Callable[[bytes], bool] | None
) -> Iterator[str]:
    """Create a file that is not a store; it appears when the ``with`` block ends without an error.

    Parameters
    ----------
    location
        Where the file will be.
    overwrite
        Whether to replace what exists there: a store, or a dataset in a file that `replaces`
        accepts by its first bytes.
    replaces
        None if any file is replaced, whatever it holds.

    Yields
    ------
    str
        A temporary path in the same folder, at which the block creates the file.
    """
    path = location.path
    target = os.path.abspath(path)
    _check_target(location, overwrite, replaces)
    partial = os.path.join(os.path.dirname(target), unclaimed_name(target))
    # Other files are never changed, only replaced, and HDF5 locks those that it reads.
    is_other = os.path.isfile(target) and (replaces is None or replaces(first_bytes(target)))
    with contextlib.nullcontext() if is_other else only_writer(target, path):
        try:
            yield partial
            _move_into_place(partial, target, path, overwrite)
        except BaseException:
            with contextlib.suppress(OSError):  # must not hide the first error
                remove(partial)
            raise


@contextlib.contextmanager
def create_output(path: str, *, overwrite: bool) -> Iterator[BinaryIO]:
    """Create a text or a picture; it appears when the ``with`` block ends without an error.

    Only a file is replaced, never a folder.
    """
    if os.path.isdir(path):
        raise StoreExists("already exists: it is a directory", path, "use another name")
    location = Location(kind=None, path=path)
    with (
        storage_errors(path, "write"),
        create_file(location, overwrite=overwrite, replaces=None) as partial,
        open(partial, "xb") as file,
    ):
        yield file


@contextlib.contextmanager
def directory_at(
    partial: str, location: Location, begun: bool, is_claimed: bool
) -> Iterator[WritableZmap]:
    """Build a directory at `partial`."""
    if not begun:
        with storage_errors(location.path, "write"):
            os.mkdir(partial)
    zmap = WritableDirectoryZmap(partial, location.path, building=True, resumable=is_claimed)
    zmap.check_names()
    if begun:
        zmap.sweep()
    yield zmap
    zmap.check_complete()
    if begun:
        zmap.remove_others()
    zmap.close()


def _check_target(
    location: Location, overwrite: bool, replaces: Callable[[bytes], bool] | None
) -> None:
    """Raise `ZmapError` if nothing can be written at a location; see `create_file`."""
    target, display = os.path.abspath(location.path), location.path
    parent = os.path.dirname(target)
    if not os.path.lexists(target):
        if not os.path.isdir(parent):
            raise ZmapError(
                f"the folder {parent} does not exist", location=display, hint="create it first"
            )
        return
    if fault := why_not_replaced(location, replaces):
        what = "will not be overwritten" if overwrite else "already exists"
        hint = fault.hint or "move it away, or use another name"
        raise StoreExists(f"{what}: {fault.reason}", display, hint)
    if not overwrite:
        raise already_exists(display)


def _move_into_place(partial: str, target: str, display: str, overwrite: bool) -> None:
    with storage_errors(display, "write"):
        if not os.path.lexists(target):
            os.rename(partial, target)
            return
        if not overwrite:  # it was created in the meantime
            raise already_exists(display)
        _keep_mode(target, partial)
        if os.path.isfile(partial) and not (os.path.isdir(target) and not os.path.islink(target)):
            os.replace(partial, target)
            return
        aside = os.path.join(os.path.dirname(target), unclaimed_name(target, ASIDE))
        if not _exchanged(partial, target, aside):
            os.rename(target, aside)
            try:
                os.rename(partial, target)
            except BaseException:
                os.rename(aside, target)
                raise
    try:
        with note_if_interrupted(
            f"{display} is complete, but the old one remains beside it; run 'ncz clean {display}'"
        ):
            remove(aside)
    except (OSError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise ZmapError(
            f"the new store is in place, but the old one could not be removed: {reason}",
            location=aside,
            hint="remove it",
        ) from error


def _exchanged(partial: str, target: str, aside: str) -> bool:
    """Let the new store and the old one, then `aside`, change places; return False if impossible.

    Its readers find a store at every moment.
    """
    status = os.lstat(partial)
    os.rename(partial, aside)  # no later run may take the old store for one that it can resume
    is_done = False
    try:
        is_done = _exchange(aside, target)
    finally:
        if not is_done and os.path.samestat(os.lstat(aside), status):
            os.rename(aside, partial)
    return is_done


def _exchange(one: str, other: str) -> bool:
    """Exchange the names of two files or folders in one step; return False if impossible."""
    import ctypes  # few stores are replaced

    with contextlib.suppress(AttributeError, OSError, TypeError):  # not in this system's library
        library = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(one), os.fsencode(other)
        if sys.platform == "darwin":
            return bool(library.renamex_np(*names, 2) == 0)
        here = -100  # AT_FDCWD
        return bool(library.renameat2(here, names[0], here, names[1], 2) == 0)
    return False


def _keep_mode(target: str, partial: str) -> None:
    """Give a new store the permissions of the one that it replaces, and its owner if possible."""
    try:
        old, new = os.lstat(target), os.lstat(partial)
    except OSError:
        return  # the rename will tell
    if stat.S_IFMT(old.st_mode) != stat.S_IFMT(new.st_mode):
        return  # a link, or a directory in place of a file
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) and hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(partial, old.st_uid, old.st_gid)
    os.chmod(partial, stat.S_IMODE(old.st_mode))


def remove_local(path: str) -> None:
    """Remove the store or the file at a path: at once for readers, then object by object.

    What a killed process leaves has the name of an unfinished store, so that `clean_local` finds
    it. Raises `ZmapError` if another process changes the store.
    """
    target = os.path.abspath(path)
    with only_writer(target, path), storage_errors(path, "remove"):
        if not os.path.isdir(target):
            os.unlink(target)
            return
        partial = os.path.join(os.path.dirname(target), unclaimed_name(target))
        os.rename(target, partial)
        with note_if_interrupted(f"a part of {path} was removed; run the same command again"):
            remove(partial)


# Remove what a killed or failed creation of a local store left.
#
# Everything that ncz leaves has a name that follows from the target's name, so that nothing else is
# touched: the unfinished store (``.partial``), its ``.claim``, and the old store that was moved
# aside (``.old``). Objects that were being replaced in a store have names of their own.

_OBJECT = re.compile(r"\.ncz-[0-9a-f]{8}\.partial")


def clean_local(
    path: str, dry_run: bool, report: Callable[[str], object] = lambda _: None
) -> list[Leftover]:
    """Remove what was left at a local path; see `ncz.zmap.opening.clean`."""
    target = os.path.abspath(path)
    result = []
    with contextlib.ExitStack() as locks:
        found = list(_beside(target))
        for each in found:
            if not locks.enter_context(held(each)):
                raise ZmapError(
                    "another process is writing this store", path, "wait until it has finished"
                )
        found += [each for each in _within(target) if locks.enter_context(held(each))]
        for each in found:
            refuse_planted(os.lstat(each), each, path, is_file=not os.path.isdir(each))
            result.append(_cleaned(each, target, dry_run, report))
    return result


def _cleaned(path: str, target: str, dry_run: bool, report: Callable[[str], object]) -> Leftover:
    """Remove what was left at `path`, or restore it if it is the only store that there is."""
    is_lost = path.endswith(ASIDE) and not os.path.lexists(target)
    leftover = Leftover(path, "restore" if is_lost else "remove", *extent(path, report))
    if not dry_run:
        with storage_errors(path, leftover.action):
            if is_lost:
                os.rename(path, target)
            else:
                remove(path)
    return leftover


def _beside(target: str) -> Iterator[str]:
    """Yield the paths of what a creation of `target` left beside it, its claim last."""
    folder = os.path.dirname(target)
    start = re.escape(name_start(target))
    ours = re.compile(rf"{start}(-[0-9a-f]{{8}})?({re.escape(PARTIAL)}|{re.escape(ASIDE)})")
    claim = name_start(target) + CLAIM
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    except OSError as error:
        raise storage_error(error, folder, "list") from error
    yield from (os.path.join(folder, name) for name in names if ours.fullmatch(name))
    if claim in names:
        yield os.path.join(folder, claim)


def _within(target: str) -> Iterator[str]:
    """Yield the paths of objects in a store that were being replaced; links are not followed."""
    for folder, folders, names in os.walk(target):
        folders.sort()
        for name in sorted(filter(_OBJECT.fullmatch, names)):
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                yield path


def extent(path: str, report: Callable[[str], object] = lambda _: None) -> tuple[int, int]:
    """Return the number of files at or below a path, and their size in bytes."""
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        return 1, status.st_size
    count = size = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_size
                count += 1
                report(name)
    return count, size
