"""Consolidated metadata: all documents of a store in one.

Source: zarr-python, which keeps it in `.zmetadata` for Zarr V2 (format 1), and in the root's
document for V3 (kind "inline").
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping

from ncz.errors import NO_PROGRESS, FormatError, Progress
from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZATTRS, ZGROUP, ZMETADATA
from ncz.formats.zarr.documents.notes import ANNOTATIONS
from ncz.formats.zarr.json import Json, parse_document
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON

DOCUMENTS = frozenset({ZGROUP, ZATTRS, ZARRAY})
"""The names of the documents of Zarr V2."""


def consolidate_documents(
    documents: Mapping[str, Json], annotations: Json = None
) -> dict[str, Json]:
    """Return the `.zmetadata` of documents by key: the root's first, then sorted by key.

    `annotations` belong to pure Zarr; None if none exist.
    """
    roots = [key for key in (ZGROUP, ZATTRS, ZARRAY) if key in documents]
    rest = sorted(key for key in documents if key not in roots)
    return {
        "metadata": {key: documents[key] for key in (*roots, *rest)},
        "zarr_consolidated_format": 1,
        **({} if annotations is None else {ANNOTATIONS: annotations}),
    }


def inline(documents: Mapping[str, Json], annotations: Json = None) -> dict[str, Json]:
    """Return the member `consolidated_metadata` of a V3 root, from documents by the node's key."""
    return {
        "kind": "inline",
        "must_understand": False,
        "metadata": {key: documents[key] for key in sorted(documents) if key},
        **({} if annotations is None else {ANNOTATIONS: annotations}),
    }


def kept_annotations(annotations: Json, keys: Collection[str]) -> Json:
    """Return the annotations of the nodes at `keys`; None if none exist."""
    nodes = annotations.get("nodes") if isinstance(annotations, dict) else None
    if not isinstance(nodes, dict):
        return None
    return {**annotations, "nodes": {key: node for key, node in nodes.items() if key in keys}}


def consolidate_store(
    zmap: Zmap, progress: Progress = NO_PROGRESS
) -> tuple[int, str, dict[str, Json]]:
    """Consolidate the metadata of a store, or consolidate them again.

    Annotations of pure Zarr are kept for the nodes that still exist.

    Returns
    -------
    count : int
        Number of documents that were consolidated.
    key : str
        The key of the document to write.
    document : dict
        What to write.

    Raises
    ------
    FormatError
        If the root is not a group, or a document is broken.
    """
    documents: dict[str, Json] = {}
    nodes: dict[str, Json] = {}
    before: dict[str, Json] = {}
    progress.expect(None, "documents")
    for key in zmap.walk():
        folder, _, name = key.rpartition("/")
        if name in DOCUMENTS or name == ZARR_JSON:
            data = zmap.get(key)
            if data is not None:
                progress.advance(f"/{key}", 1, len(data))
                document = parse_document(data, zmap.where(key))
                if name == ZARR_JSON:
                    nodes[folder] = document
                else:
                    documents[key] = document
    if ZGROUP in documents or ZARRAY in documents:
        data = zmap.get(ZMETADATA)
        if data is not None:
            with contextlib.suppress(FormatError):
                before = parse_document(data, ZMETADATA)
        keys = {key.rpartition("/")[0] for key in documents}
        annotations = kept_annotations(before.get(ANNOTATIONS), keys)
        whole = consolidate_documents(documents, annotations)
        return len(documents), ZMETADATA, whole
    if nodes.get("", {}).get("node_type") == "group":
        root = {k: v for k, v in nodes[""].items() if k != "consolidated_metadata"}
        old = nodes[""].get("consolidated_metadata")
        annotations = kept_annotations(old and old.get(ANNOTATIONS), nodes)
        root["consolidated_metadata"] = inline(nodes, annotations)
        return len(nodes), ZARR_JSON, root
    raise FormatError("no Zarr group exists here", zmap.url, "give the root of a store")
