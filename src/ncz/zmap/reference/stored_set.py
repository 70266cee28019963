"""Open the set itself at a location: a JSON text, or a folder in the Parquet layout."""

from __future__ import annotations

import os

from ncz.zmap import Zmap
from ncz.zmap.key import LARGEST_SET
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.location import Location
from ncz.zmap.reference.json_set import parse_json, read_json
from ncz.zmap.reference.parquet import ParquetSet
from ncz.zmap.reference.reference_set import KeyedSet, ReferenceSet
from ncz.zmap.reference.seals import MEMBER, hash_of, read_seals
from ncz.zmap.reference.text_compression import decompress_text
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.store import RemoteZmap


def open_set(location: Location) -> ReferenceSet:
    """Open the set at a location, without its targets.

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
        if data is None:
            return ParquetSet(folder)
        document = parse_json(decompress_text(data, url), url)
        version = 1 if "version" in document else 0
        seals = read_seals(document.get(MEMBER))
        references = KeyedSet(read_json(document, url), seals, version, hash_of(data))
    except BaseException:
        folder.close()
        raise
    folder.close()
    return references
