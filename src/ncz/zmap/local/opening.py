"""Open and create directories and zip files."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from ncz.errors import ZmapError
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.kinds import Opener
from ncz.zmap.local.directory import DirectoryZmap, WritableDirectoryZmap
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.zmap.claim import Claim

# The header of a directory is printed often, and needs neither zip files nor creation: both are
# imported where they are used.


def _open_zip(location: Location) -> Zmap:
    from ncz.zmap.local.zip.reader import ZipZmap

    return ZipZmap(location.path, location.address, inside=location.inside or "")


def refuse_zip_change(url: str) -> ZmapError:
    """Return the error for changing a zip file in place."""
    return ZmapError(
        "a zip file cannot be changed in place",
        url,
        "write a changed copy with 'ncz copy' (for example with --consolidated)",
    )


def _open_zip_to_write(location: Location) -> WritableZmap:
    raise refuse_zip_change(location.path)


def _create_directory(
    location: Location, overwrite: bool, claim: Claim | None
) -> AbstractContextManager[WritableZmap]:
    from ncz.zmap.local.creation import create_local, directory_at

    return create_local(location, directory_at, False, overwrite, claim)


def _create_zip(
    location: Location, overwrite: bool, claim: Claim | None
) -> AbstractContextManager[WritableZmap]:
    from ncz.zmap.local.creation import create_local, zip_at

    if location.inside:
        from ncz.zmap.local.zip.reader import group_in_zip

        raise group_in_zip(location.address)
    return create_local(location, zip_at, True, overwrite, claim)


DIRECTORY = Opener(
    open=lambda location: DirectoryZmap(
        location.path, follow_links="follow-links" in location.modes
    ),
    open_to_write=lambda location: WritableDirectoryZmap(location.path),
    create=_create_directory,
)
"""The functions of stores that are directories."""

ZIP = Opener(open=_open_zip, open_to_write=_open_zip_to_write, create=_create_zip)
"""The functions of stores that are zip files."""
