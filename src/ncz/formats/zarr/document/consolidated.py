"""Consolidated metadata: all documents of a store in one, made from what is there.

Source: zarr-python, which keeps it in `.zmetadata` for Zarr V2 (format 1), and in the root's
document for V3 (kind "inline").
"""

from __future__ import annotations

from collections.abc import Mapping

from ncz.errors import FormatError
from ncz.formats.zarr.document.json import Json, parse_document, print_document
from ncz.formats.zarr.document.v2 import ARRAY, ATTRIBUTES, CONSOLIDATED, GROUP
from ncz.formats.zarr.document.v3 import DOCUMENT
from ncz.zmap import WritableZmap, location_of

_DOCUMENTS = frozenset({GROUP, ATTRIBUTES, ARRAY})


def consolidated(documents: Mapping[str, Json]) -> dict[str, Json]:
    """The `.zmetadata` of documents by their keys: the root's first, then in order of keys."""
    roots = [key for key in (GROUP, ATTRIBUTES, ARRAY) if key in documents]
    rest = sorted(key for key in documents if key not in roots)
    return {
        "metadata": {key: documents[key] for key in (*roots, *rest)},
        "zarr_consolidated_format": 1,
    }


def inline(documents: Mapping[str, Json]) -> dict[str, Json]:
    """The member `consolidated_metadata` of a V3 root, of the documents of nodes by their keys."""
    return {
        "kind": "inline",
        "must_understand": False,
        "metadata": {key: documents[key] for key in sorted(documents) if key},
    }


def consolidate_store(zmap: WritableZmap) -> int:
    """Write consolidated metadata into a store, replacing an old one; the number of documents.

    Raises `FormatError` if there is no store, or a document is broken.
    """
    documents: dict[str, Json] = {}
    nodes: dict[str, Json] = {}
    for key in zmap.walk():
        folder, _, name = key.rpartition("/")
        if name in _DOCUMENTS or name == DOCUMENT:
            data = zmap.get(key)
            if data is not None:
                document = parse_document(data, location_of(zmap, key))
                if name == DOCUMENT:
                    nodes[folder] = document
                else:
                    documents[key] = document
    if GROUP in documents or ARRAY in documents:
        zmap.put(CONSOLIDATED, print_document(consolidated(documents)))
        return len(documents)
    if nodes.get("", {}).get("node_type") == "group":
        root = {k: v for k, v in nodes[""].items() if k != "consolidated_metadata"}
        root["consolidated_metadata"] = inline(nodes)
        zmap.put(DOCUMENT, print_document(root))
        return len(nodes)
    raise FormatError(
        "there is no .zgroup or zarr.json of a group here", zmap.url, "give the root of a store"
    )
