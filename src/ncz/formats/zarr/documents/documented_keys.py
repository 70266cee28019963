"""The keys of all documents of a store, from consolidated metadata."""

from __future__ import annotations

import contextlib

from ncz.errors import FormatError, ignore_notice
from ncz.formats.zarr.documents.consolidated_v2 import read_consolidated
from ncz.formats.zarr.documents.document_v2 import ZMETADATA
from ncz.formats.zarr.json import parse_document
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, join_key


def documented_keys(zmap: Zmap) -> list[str] | None:
    """Return the keys of all documents, from consolidated metadata; None if none exist."""
    data = zmap.get(ZMETADATA)
    if data is not None:
        found = read_consolidated(data, zmap.where(ZMETADATA), ignore_notice)
        return None if found is None else [ZMETADATA, *found.documents]
    data = zmap.get(ZARR_JSON)
    if data is None:
        return None
    with contextlib.suppress(FormatError, AttributeError):
        document = parse_document(data, zmap.where(ZARR_JSON))
        metadata = (document.get("consolidated_metadata") or {}).get("metadata")
        if isinstance(metadata, dict):
            return [ZARR_JSON, *(join_key(key, ZARR_JSON) for key in metadata)]
    return None
