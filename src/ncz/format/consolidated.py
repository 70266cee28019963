"""Consolidated metadata: all documents of a store in one, made from what is there.

Source: the Zarr storage specification version 2 as zarr-python implements it (format 1).
"""

from __future__ import annotations

from collections.abc import Mapping

from ncz.errors import FormatError
from ncz.format.documents import Json, parse_document, print_document
from ncz.format.v2 import ARRAY, ATTRIBUTES, CONSOLIDATED, GROUP
from ncz.zmap import WritableZmap
from ncz.zmap.key import display

_DOCUMENTS = frozenset({GROUP, ATTRIBUTES, ARRAY})


def consolidated(documents: Mapping[str, Json]) -> dict[str, Json]:
    """The `.zmetadata` of documents by their keys: the root's first, then in order of keys."""
    roots = [key for key in (GROUP, ATTRIBUTES, ARRAY) if key in documents]
    rest = sorted(key for key in documents if key not in roots)
    return {
        "metadata": {key: documents[key] for key in (*roots, *rest)},
        "zarr_consolidated_format": 1,
    }


def consolidate_store(zmap: WritableZmap) -> int:
    """Write `.zmetadata` into a store, replacing an old one. Returns the number of documents.

    Raises `FormatError` if there is no store, or a document is broken.
    """
    documents: dict[str, Json] = {}
    for key in zmap.walk():
        if key.rpartition("/")[2] in _DOCUMENTS:
            data = zmap.get(key)
            if data is not None:
                documents[key] = parse_document(data, f"{zmap.url}: {display(key)}")
    if GROUP not in documents and ARRAY not in documents:
        raise FormatError(
            "there is no .zgroup here, so no Zarr V2 store", zmap.url, "give the root of a store"
        )
    zmap.put(CONSOLIDATED, print_document(consolidated(documents)))
    return len(documents)
