"""Consolidated metadata compared with every document of a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncz.errors import CONSOLIDATE
from ncz.formats.findings import Finding, finding
from ncz.formats.zarr.check.document_names import CONSOLIDATED_V2
from ncz.formats.zarr.documents.document_v2 import ZGROUP, ZMETADATA
from ncz.formats.zarr.documents.meaning import means_same
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.opening.lost_root import CREATE_GROUP
from ncz.zmap.key import ZARR_JSON, join_key

_ADVICE = f"run {CONSOLIDATE}"


def has_own_documents(documents: Mapping[str, Json]) -> bool:
    """Return whether a store has documents besides consolidated ones.

    In Zarr V3, the root's own document has the documents of all other nodes.
    """
    names = (*CONSOLIDATED_V2, ZARR_JSON)
    own = {key for key in documents if key.rpartition("/")[2] in names}
    root = documents.get(ZARR_JSON) or {}
    consolidated = root.get("consolidated_metadata")
    nodes = consolidated.get("metadata") if isinstance(consolidated, dict) else None
    return bool(own - {ZARR_JSON} if nodes else own)


def check_consolidated(
    documents: Mapping[str, Json], zarr_format: int, damaged: set[str]
) -> Iterator[Finding]:
    """Yield the differences between consolidated metadata and the documents of the store.

    Parameters
    ----------
    documents
        All documents by key.
    zarr_format
        The version of Zarr.
    damaged
        The keys of documents that cannot be parsed, which are not compared.
    """
    if zarr_format == 2:
        whole = documents.get(ZMETADATA)
        if ZMETADATA in damaged:
            yield finding("consolidated-damaged", ZMETADATA, "it cannot be parsed", _ADVICE)
        if whole is None:
            return
        is_valid = whole.get("zarr_consolidated_format") == 1
        copies, place = whole.get("metadata"), ZMETADATA
    else:
        found = documents.get(ZARR_JSON, {}).get("consolidated_metadata")
        if found is None:
            return
        is_valid = isinstance(found, dict) and found.get("kind", "inline") == "inline"
        copies, place = found.get("metadata") if is_valid else None, ZARR_JSON
    if not is_valid or not isinstance(copies, dict):
        yield finding("consolidated-damaged", place, "not valid consolidated metadata", _ADVICE)
        return
    copied = {
        join_key(key, *([ZARR_JSON] if zarr_format == 3 else [])): value
        for key, value in copies.items()
    }
    own = CONSOLIDATED_V2 if zarr_format == 2 else (ZARR_JSON,)
    own_keys = {k for k in documents if k.rpartition("/")[2] in own}
    if zarr_format == 3:
        own_keys.discard(ZARR_JSON)
    for key in sorted((own_keys | copied.keys()) - damaged):
        if means_same(copied.get(key), documents.get(key), key.rpartition("/")[2]):
            continue
        if key not in copied:
            what = "missing in the consolidated metadata"
        elif key not in own_keys:
            what = "consolidated, but missing in the store"
            if key.rpartition("/")[2] == ZGROUP:
                yield finding("consolidated-stale", key, what, CREATE_GROUP)
                continue
        else:
            what = "different in the consolidated metadata"
        yield finding("consolidated-stale", key, what, _ADVICE)
