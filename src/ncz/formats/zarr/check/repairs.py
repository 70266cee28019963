"""Repairs of documents without any loss. Chunks are never changed."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterator, Mapping

from ncz.formats.findings import Finding, Repair
from ncz.formats.zarr.check.consolidation import copied_documents
from ncz.formats.zarr.check.document_names import CONSOLIDATED_V2
from ncz.formats.zarr.check.documents import ordered_byte, unquoted_texts, zero_element_sizes
from ncz.formats.zarr.documents.consolidated_metadata import (
    consolidate_documents,
    inline,
    kept_annotations,
)
from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZATTRS, ZGROUP, ZMETADATA
from ncz.formats.zarr.documents.notes import ANNOTATIONS
from ncz.formats.zarr.json import Json, print_document
from ncz.formats.zarr.opening.annotation_merge import renewed_document
from ncz.zmap.key import ZARR_JSON, join_key

_SIZED = re.compile(r"[<>|=]?[iufcb]([0-9]+)")

_GROUPS: Mapping[int, tuple[str, dict[str, Json]]] = {
    2: (ZGROUP, {"zarr_format": 2}),
    3: (ZARR_JSON, {"zarr_format": 3, "node_type": "group", "attributes": {}}),
}
"""The document of a new group in each version of Zarr."""


def repairs(
    documents: Mapping[str, Json], findings: Collection[Finding], zarr_format: int
) -> list[Repair]:
    """Return the repairs that lose nothing, the documents of the root last.

    Parameters
    ----------
    documents
        All documents of the store that can be parsed, by key.
    findings
        The findings of the check.
    zarr_format
        The version of Zarr.
    """
    mended = {key: copy.deepcopy(document) for key, document in documents.items()}
    done: dict[str, list[str]] = {}
    for key, document in mended.items():
        done[key] = list(_mend(key, document))
    for found in findings:
        if found.code == "document-not-strict" and found.key in done:
            done[found.key].append("write strict JSON")
        elif found.code == "group-missing":
            for key, document in _group(found.key, documents, zarr_format):
                mended[key], done[key] = document, ["create the document of the group"]
    _consolidate(mended, done, findings, zarr_format)
    changed = sorted((k for k, what in done.items() if what), key=lambda k: (-k.count("/"), k))
    return [
        Repair(key=key, what=", ".join(done[key]), document=print_document(mended[key]))
        for key in changed
    ]


def _group(
    node: str, documents: Mapping[str, Json], zarr_format: int
) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield documents for a group without them: consolidated copies, or new ones."""
    name, new = _GROUPS[zarr_format]
    copies = copied_documents(documents, zarr_format) or {}
    yield join_key(node, name), {**(copies.get(join_key(node, name)) or new)}
    attributes = join_key(node, ZATTRS)
    if attributes in copies and attributes not in documents:
        yield attributes, {**copies[attributes]}


def _mend(key: str, document: dict[str, Json]) -> Iterator[str]:
    """Mend a document in place; yield the changes."""
    name = key.rpartition("/")[2]
    if name == ZARRAY:
        size = _SIZED.fullmatch(str(document.get("dtype")))
        filters = zero_element_sizes(document)
        if filters and size is not None:
            for shuffle in filters:
                shuffle["elementsize"] = int(size[1])
            yield f"set elementsize to {size[1]}"
        dtype = ordered_byte(document)
        if dtype is not None:
            document["dtype"] = dtype
            yield f"set dtype to {dtype}"
    elif name == ZATTRS:
        for attribute, text in list(unquoted_texts(document)):
            document[attribute] = text
            yield f"write attribute {attribute} as text"


def _consolidate(
    documents: dict[str, Json],
    done: dict[str, list[str]],
    findings: Collection[Finding],
    zarr_format: int,
) -> None:
    """Consolidate again if that is needed, and no document is damaged or only consolidated."""
    place = ZMETADATA if zarr_format == 2 else ZARR_JSON
    root = documents.get(ZARR_JSON, {})
    has_copies = any(f.key == ZMETADATA for f in findings) or ZMETADATA in documents
    if zarr_format == 3:
        has_copies = root.get("consolidated_metadata") is not None
    codes = {f.code for f in findings if f.key != ZMETADATA}
    is_old = any(f.code.startswith(("consolidated-", "annotation-outdated")) for f in findings)
    is_changed = any(done.values()) or is_old
    is_lost = any(f.code == "consolidated-stale" and f.key not in documents for f in findings)
    if not has_copies or not is_changed or is_lost or "document-damaged" in codes:
        return
    names = CONSOLIDATED_V2 if zarr_format == 2 else (ZARR_JSON,)
    own = {key: d for key, d in documents.items() if key.rpartition("/")[2] in names}
    if zarr_format == 2:
        before = documents.get(ZMETADATA, {}).get(ANNOTATIONS)
        annotations = kept_annotations(before, {key.rpartition("/")[0] for key in own})
        documents[place] = consolidate_documents(own, annotations)
    else:
        nodes = {key.rpartition("/")[0]: document for key, document in own.items()}
        annotations = kept_annotations(root["consolidated_metadata"].get(ANNOTATIONS), nodes)
        documents[place] = {**root, "consolidated_metadata": inline(nodes, annotations)}
    documents[place] = renewed_document(place, documents[place])
    done.setdefault(place, []).append("consolidate metadata")
