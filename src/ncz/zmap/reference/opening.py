"""Open reference sets, and create them: a JSON text, or a folder in the Parquet layout."""

from __future__ import annotations

import os

from ncz.errors import ZmapError, command
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.key import LARGEST_SET
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.location import SEALS, Location
from ncz.zmap.opening import Opener
from ncz.zmap.reference.creation import create_references
from ncz.zmap.reference.json_set import parse_json, read_json
from ncz.zmap.reference.parquet import ParquetSet
from ncz.zmap.reference.reader import ReferenceZmap
from ncz.zmap.reference.reference_set import KeyedSet, ReferenceSet
from ncz.zmap.reference.seals import read_seals
from ncz.zmap.reference.targets import Targets
from ncz.zmap.reference.text_compression import decompressed
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.store import RemoteZmap


def open_references(location: Location) -> Zmap:
    """Open the reference set at a location: a JSON text, or a folder in the Parquet layout.

    Raises
    ------
    StoreMissing
        If nothing exists at the location.
    FormatError
        If it is not a reference set.
    ZmapError
        If it cannot be read.
    """
    url = location.address
    folder: Zmap
    if location.kind == "remote":
        folder = remote = RemoteZmap(*connect(location))
        data = remote.whole_file(LARGEST_SET)
    elif os.path.isdir(location.path):
        folder, data = DirectoryZmap(location.path), None
    else:
        name = os.path.basename(location.path)
        folder = DirectoryZmap(os.path.dirname(os.path.abspath(location.path)), follow_links=True)
        data = folder.get(name, LARGEST_SET)
    try:
        references: ReferenceSet
        if data is None:
            references = ParquetSet(folder)
        else:
            document = parse_json(decompressed(data, url), url)
            references = KeyedSet(read_json(document, url), read_seals(document))
            folder.close()
        is_sealed = location.options.get(SEALS) != "off"
        targets = Targets(location, url, seals=references.seals if is_sealed else {})
        return ReferenceZmap(references, targets, url)
    except BaseException:
        folder.close()
        raise


def _refuse_change(location: Location) -> WritableZmap:
    raise ZmapError(
        "a reference set cannot be changed in place", location.address,
        f"write a changed copy with {command('copy')}",
    )  # fmt: skip


REFERENCE = Opener(open=open_references, open_to_write=_refuse_change, create=create_references)
"""The functions of reference sets."""
