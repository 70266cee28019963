"""Entries of a zip file that readers see differently."""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from collections.abc import Iterator

from ncz.formats.findings import Finding, finding
from ncz.zmap import Zmap
from ncz.zmap.local.zip import ZipZmap
from ncz.zmap.location import Location

_LOCAL_HEADER = 30


def check_archive(zmap: Zmap, location: Location) -> Iterator[Finding]:
    """Yield the errors of a local zip file; nothing for other stores."""
    if not isinstance(zmap, ZipZmap) or not os.path.isfile(location.path):
        return
    for name in zmap.ignored:
        if name.startswith("/") or ".." in name.replace("\\", "/").split("/"):
            yield finding(
                "zip-name-unsafe", name.lstrip("/"), "the name of the entry leads out of the store"
            )
    with zipfile.ZipFile(location.path) as archive:
        entries = archive.infolist()
        end = archive.start_dir
    for name, count in Counter(entry.filename for entry in entries).items():
        if count > 1:
            yield finding(
                "zip-duplicate",
                name,
                f"{count} entries have this name; the last one is used",
                "write a new file with ncz copy",
            )
    for entry in entries:
        if entry.header_offset + _LOCAL_HEADER + entry.compress_size > end:
            yield finding(
                "zip-entry-damaged",
                entry.filename,
                "the entry ends after the end of the data of the zip file",
                "restore the file from a copy",
            )
