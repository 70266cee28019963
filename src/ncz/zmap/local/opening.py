"""Open and create directories and zip files.

The header of a directory is printed often, and needs neither zip files nor creation: both are
imported when they are used.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NoReturn

from ncz.errors import ZmapError, command, option
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.key import JOURNAL, ROOT_DOCUMENTS
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.location import Location
from ncz.zmap.opening import Opener

if TYPE_CHECKING:
    from ncz.zmap.claim import Claim, Leftover


def _open_zip(location: Location) -> Zmap:
    from ncz.zmap.local.zip import ZipZmap

    return ZipZmap(location.path, location.address, inside=location.inside or "")


def refuse_zip_change(url: str) -> ZmapError:
    """Return the error for changing a zip file in place."""
    return ZmapError(
        "a zip file cannot be changed in place",
        url,
        f"write a changed copy with {command('copy')}"
        f" (for example with {option('modes', 'consolidated')})",
    )


def _open_to_write(location: Location) -> WritableZmap:
    from ncz.zmap.local.writable import WritableDirectoryZmap

    return WritableDirectoryZmap(store_folder(location.path))


def _open_zip_to_write(location: Location) -> WritableZmap:
    raise refuse_zip_change(location.path)


def _open_tar(location: Location) -> Zmap:
    from ncz.zmap.local.tar import TarZmap

    return TarZmap(location.path, location.address, inside=location.inside or "")


def _refuse_tar(location: Location, *_: object) -> NoReturn:
    raise ZmapError(
        "a tar archive can only be read", location.address,
        f"copy it to a store with {command('copy')}",
    )  # fmt: skip


def store_folder(path: str) -> str:
    """Return the directory of the store at `path`: itself, or the only store in it.

    Folders above a store are skipped in zip files too. Hidden files, such as ``.DS_Store``, do not
    count. A symbolic link is not followed. An unfinished store, whose root has no document yet, is
    itself the store, with any contents.
    """
    if _is_store(path) or path.endswith(".partial"):
        return path
    try:
        with os.scandir(path) as entries:
            found = [entry for entry in entries if not entry.name.startswith(".")][:2]
    except OSError:  # opening the directory reports it
        return path
    alone = len(found) == 1 and found[0].is_dir(follow_symlinks=False)
    return found[0].path if alone and _is_store(found[0].path) else path


def _is_store(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, name)) for name in ROOT_DOCUMENTS)


def _create_directory(
    location: Location, overwrite: bool, claim: Claim | None
) -> AbstractContextManager[WritableZmap]:
    from ncz.zmap.local.creation import create_local, directory_at

    return create_local(location, directory_at, False, overwrite, claim)


def _create_zip(
    location: Location, overwrite: bool, claim: Claim | None
) -> AbstractContextManager[WritableZmap]:
    from ncz.zmap.local.creation import create_local
    from ncz.zmap.local.zip import group_in_zip
    from ncz.zmap.local.zip_writer import zip_at

    if location.inside:
        raise group_in_zip(location.address)
    return create_local(location, zip_at, True, overwrite, claim)


def _clean(
    location: Location, dry_run: bool, force: bool, report: Callable[[str], object]
) -> list[Leftover]:
    from ncz.zmap.local.leftovers import clean_local

    found = clean_local(location.path, dry_run, report)
    folder = store_folder(location.path)
    if os.path.lexists(os.path.join(folder, JOURNAL)):
        from ncz.zmap.journal import complete
        from ncz.zmap.local.writable import WritableDirectoryZmap

        found += complete(WritableDirectoryZmap(folder), dry_run=dry_run, force=force)
    return found


DIRECTORY = Opener(
    open=lambda location: DirectoryZmap(
        store_folder(location.path), follow_links="follow-links" in location.modes
    ),
    open_to_write=_open_to_write,
    create=_create_directory,
    clean=_clean,
)
"""The functions of stores that are directories."""

TAR = Opener(open=_open_tar, open_to_write=_refuse_tar, create=_refuse_tar)
"""The functions of stores in tar archives, which can only be read."""

ZIP = Opener(open=_open_zip, open_to_write=_open_zip_to_write, create=_create_zip, clean=_clean)
"""The functions of stores that are zip files."""
