"""Open a store that is there, whatever it is; create one, whole or not at all.

Opening decides by looking; what the location says may only agree. A directory that holds no store
is opened all the same: its keys can be listed, and the format says what is wrong.

A store is built under another name in the target's folder (``.ncz-....partial``) and renamed when
it is complete. Any exception, an interrupt too, removes what was begun. An old store is moved aside
before the rename and removed after it; a zip replaces a zip in one step. A target that is a
symbolic link is replaced itself, and what it points to is left alone. (Remote stores cannot rename;
what they do instead is in `ncz.zmap.remote.creation`.) Nothing is synced to the
disk: "whole" holds against errors and signals, not against a power cut.

A creation with a `Claim` can be gone on with: what is built has a name that follows from the
target's, and holds the claim. See `ncz.zmap.claim`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, overload

from ncz.errors import NczError, StoreExists, StoreMissing, UrlError, ZmapError
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.local.directory import DirectoryZmap, WritableDirectoryZmap, partial_name
from ncz.zmap.location import Location
from ncz.zmap.os_errors import storage_error

if TYPE_CHECKING:
    from ncz.zmap.claim import Claim

_ZIP = (b"PK\3\4", b"PK\5\6", b"PK\7\x08")  # an entry, no entry, a part of several
_OTHERS = {
    b"CDF": "a netCDF-3 file",
    b"\x89HDF": "a netCDF-4 or HDF5 file",
    b"\x0e\x03\x13\x01": "an HDF4 file",
}


@overload
def open_zmap(location: Location, *, write: Literal[False] = False) -> Zmap: ...
@overload
def open_zmap(location: Location, *, write: Literal[True]) -> WritableZmap: ...
def open_zmap(location: Location, *, write: bool = False) -> Zmap:
    """Open the store at `location`, for reading, or for changing it in place with `write`.

    Raises `StoreMissing`, `UrlError` if the location says what is not so or what this version
    cannot open, `ZmapError` if the storage refuses.
    """
    if location.kind == "remote":
        from ncz.zmap.remote.opening import open_remote, open_remote_to_write

        return open_remote_to_write(location) if write else open_remote(location)
    if location.kind == "memory":
        return _open_memory(location)
    found = _look(location.path)
    if location.kind is not None and found != location.kind:
        said = "file" if location.kind == "directory" else "zip"
        raise UrlError(
            f"mode={said} is said, but this is a {'zip file' if found == 'zip' else 'directory'}",
            location=location.path,
            hint="leave the mode out: ncz looks for itself",
        )
    if found == "directory":
        return (WritableDirectoryZmap if write else DirectoryZmap)(location.path)
    if write:
        raise ZmapError(
            "a zip cannot be changed in place", location.path, "write a new one from it"
        )
    from ncz.zmap.local.zip import ZipZmap

    return ZipZmap(location.path)


def _look(path: str) -> Literal["directory", "zip"]:
    if os.path.isdir(path):
        return "directory"
    if not os.path.exists(path):
        what = "the link leads nowhere" if os.path.islink(path) else "there is no such store"
        raise StoreMissing(what, location=path, hint="check the path")
    if not os.path.isfile(path):
        raise ZmapError("this is neither a directory nor a zip file", location=path)
    magic = _magic(path)
    if magic.startswith(_ZIP):
        return "zip"
    other = next((name for start, name in _OTHERS.items() if magic.startswith(start)), None)
    if other:
        raise ZmapError(f"this is {other}, not a Zarr store", path, "use netCDF's own ncdump")
    what = "this file is empty" if not magic else "this is neither a directory nor a zip file"
    raise ZmapError(what, location=path, hint="give the store's directory or its zip file")


def _magic(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(4)
    except OSError as error:
        raise storage_error(error, path, "read") from error


def _open_memory(location: Location) -> WritableZmap:
    from ncz.zmap.memory import STORES, MemoryZmap

    if location.path not in STORES:
        raise StoreMissing("there is no such store in this process", location=location.display)
    return MemoryZmap(STORES[location.path], location.display)


@contextlib.contextmanager
def create_zmap(
    location: Location, *, overwrite: bool = False, claim: Claim | None = None
) -> Iterator[WritableZmap]:
    """Give a zmap to write a new store into; it is at `location` when the block ends well.

    With a `claim` that resumes, objects that an earlier run put are there already, and those that
    are put stay if the block ends with an error.

    A zip file is made if the location says ``mode=zip`` or its name ends in ``.zip``, and a
    directory otherwise. Raises `StoreExists` if something is there and `overwrite` is not set, or
    if what is there does not look like a store.
    """
    if location.kind == "remote":
        from ncz.zmap.remote.opening import create_remote

        with create_remote(location, overwrite=overwrite, claim=claim) as zmap:
            yield zmap
        return
    if location.kind == "memory":
        with _create_memory(location, overwrite) as zmap:
            yield zmap
        return
    named_zip = location.path.lower().endswith(".zip")
    if named_zip and location.kind == "directory":
        raise UrlError(
            "mode=file makes a directory, but the name ends in .zip",
            location=location.display,
            hint="say mode=zip, or use another name",
        )
    as_zip = named_zip or location.kind == "zip"
    target = os.path.abspath(location.path)
    _check_target(target, location.path, overwrite)
    if claim is not None:
        from ncz.zmap.claim import claimed_name

        partial = os.path.join(os.path.dirname(target), claimed_name(target))
    else:
        partial = os.path.join(os.path.dirname(target), partial_name())
    with contextlib.ExitStack() as stack:
        begun = False
        if claim is not None:
            from ncz.zmap.claim import claimed

            begun = stack.enter_context(claimed(partial, location.path, claim, as_zip))
        try:
            building = _zip_in if as_zip else _directory_in
            with building(partial, location, begun, claim is not None) as zmap:
                yield zmap
            _move_into_place(partial, target, location.path, overwrite)
        except BaseException:
            if claim is None or not claim.resume:
                with contextlib.suppress(OSError):  # the error under way is the one to tell
                    _remove(partial)
            raise


@contextlib.contextmanager
def _create_memory(location: Location, overwrite: bool) -> Iterator[WritableZmap]:
    from ncz.zmap.memory import STORES, MemoryZmap

    if location.path in STORES and not overwrite:
        raise StoreExists("is there already", location.display, "use --overwrite to replace it")
    objects: dict[str, bytes] = {}
    zmap = MemoryZmap(objects, location.display)
    yield zmap
    zmap.close()
    STORES[location.path] = objects


@contextlib.contextmanager
def _directory_in(
    partial: str, location: Location, begun: bool, is_claimed: bool
) -> Iterator[WritableZmap]:
    if not begun:
        try:
            os.mkdir(partial)
        except OSError as error:
            raise storage_error(error, location.path, "write") from error
    # An object that may be found by a later run must be whole if it is there.
    zmap = WritableDirectoryZmap(partial, location.path, building=not is_claimed)
    if begun:
        zmap.sweep()
    yield zmap
    zmap.close()


@contextlib.contextmanager
def _zip_in(partial: str, location: Location, begun: bool, _: bool) -> Iterator[WritableZmap]:
    from ncz.zmap.local.zip import ZipWriter, layout_prefix

    zmap = ZipWriter(partial, location.path, prefix=layout_prefix(location), begun=begun)
    try:
        yield zmap
        zmap.close()
    except BaseException:
        zmap.discard()
        raise


def _check_target(target: str, shown: str, overwrite: bool) -> None:
    parent = os.path.dirname(target)
    if not os.path.lexists(target):
        if not os.path.isdir(parent):
            raise ZmapError(f"there is no folder {parent}", location=shown, hint="make it first")
        return
    if not overwrite:
        raise StoreExists("is there already", location=shown, hint="use --overwrite to replace it")
    reason = _why_not_replace(target)
    if reason:
        raise StoreExists(
            f"will not be overwritten: {reason}",
            shown,
            "move it away yourself, or use another name",
        )


def _why_not_replace(target: str) -> str | None:
    """Why what is at `target` must not be removed, or None if it is a store or as good as empty."""
    if target == os.path.dirname(target) or os.path.ismount(target):
        return "it is the root of a file system"
    if os.path.isdir(target):
        here = os.path.join(os.path.realpath(os.getcwd()), "")
        if here.startswith(os.path.join(os.path.realpath(target), "")):
            return "it is, or contains, the current folder"
        try:
            names = os.listdir(target)
        except OSError as error:
            return f"it cannot be read ({error.strerror})"
        if names and not set(names).intersection(ROOT_DOCUMENTS):
            return "it is a directory of other things, not a store"
    elif os.path.isfile(target):
        if os.path.getsize(target) and not _magic(target).startswith(_ZIP):
            return "it is a file of another kind, not a zip"
    elif not os.path.islink(target):
        return "it is neither a file nor a directory"
    return None


def _move_into_place(partial: str, target: str, shown: str, overwrite: bool) -> None:
    try:
        if not os.path.lexists(target):
            os.rename(partial, target)
            return
        if not overwrite:  # it came while we wrote
            raise StoreExists(
                "is there already", location=shown, hint="use --overwrite to replace it"
            )
        if os.path.isfile(partial) and not (os.path.isdir(target) and not os.path.islink(target)):
            os.replace(partial, target)
            return
        aside = os.path.join(os.path.dirname(target), partial_name())
        os.rename(target, aside)
        try:
            os.rename(partial, target)
        except BaseException:
            os.rename(aside, target)
            raise
    except NczError:
        raise
    except OSError as error:
        raise storage_error(error, shown, "write") from error
    try:
        _remove(aside)
    except (OSError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ZmapError(
            f"the new store is in place, but the old one could not be removed: {reason}",
            location=aside,
            hint="remove it yourself",
        ) from error


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        from shutil import rmtree  # it does not follow links

        rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def survives_fork(zmap: Zmap) -> bool:
    """Whether a forked process can go on reading a store: connections it cannot share."""
    return isinstance(zmap, DirectoryZmap) or getattr(zmap, "survives_fork", False) is True
