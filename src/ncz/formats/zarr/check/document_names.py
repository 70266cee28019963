"""Names of metadata documents, and the keys of a store that have them."""

from __future__ import annotations

from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZATTRS, ZGROUP, ZMETADATA
from ncz.formats.zarr.documents.notes import OBJECTS
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON

NODES = frozenset({ZARRAY, ZGROUP, ZARR_JSON})
"""The documents of nodes; every node has one of them."""

DOCUMENTS_V2 = frozenset({ZARRAY, ZGROUP, ZATTRS, ZMETADATA, *OBJECTS.values()})
"""The names of the metadata documents of Zarr V2."""

DOCUMENTS = DOCUMENTS_V2 | {ZARR_JSON}
"""The names of all metadata documents."""

CONSOLIDATED_V2 = (ZGROUP, ZARRAY, ZATTRS)
"""The documents that consolidated metadata of Zarr V2 contains."""


def document_keys(zmap: Zmap) -> list[str]:
    """Return the keys of all metadata documents. Raises `ZmapError`."""
    return [key for key in zmap.walk() if is_document(key)]


def is_document(key: str) -> bool:
    """Return whether a key names a metadata document."""
    return key.rpartition("/")[2] in DOCUMENTS
