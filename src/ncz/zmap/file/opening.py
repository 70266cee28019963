"""Open a single file at a location: on the disk, on S3, or on a web server."""

from __future__ import annotations

from ncz.zmap import watched
from ncz.zmap.file.local import LocalFile
from ncz.zmap.file.ranges import RangeFile
from ncz.zmap.location import Location


def open_file(location: Location) -> RangeFile:
    """Open the file at a location.

    Raises
    ------
    StoreMissing
        If no file exists there.
    ZmapError
        If the storage refuses access, or cannot read parts of a file.
    """
    if location.kind == "remote":
        from ncz.zmap.file.server import ServerFile

        return watched(ServerFile(location), location.address)
    return watched(LocalFile(location.path), location.address)
