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
    place = ZMETADATA if zarr_format == 2 else ZARR_JSON
    if zarr_format == 2 and ZMETADATA in damaged:
        yield finding("consolidated-damaged", ZMETADATA, "it cannot be parsed", _ADVICE)
    if _whole(documents, zarr_format) is None:
        return
    copied = copied_documents(documents, zarr_format)
    if copied is None:
        yield finding("consolidated-damaged", place, "not valid consolidated metadata", _ADVICE)
        return
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
        else:
            what = "different in the consolidated metadata"
        advice = CREATE_GROUP if key not in own_keys and _is_of_group(key, own_keys) else _ADVICE
        yield finding("consolidated-stale", key, what, advice)


def copied_documents(
    documents: Mapping[str, Json], zarr_format: int
) -> Mapping[str, dict[str, Json]] | None:
    """Return the documents in consolidated metadata by their keys; None if these are not valid."""
    whole = _whole(documents, zarr_format)
    if not isinstance(whole, dict):
        return None
    if zarr_format == 2:
        is_valid = whole.get("zarr_consolidated_format") == 1
    else:
        is_valid = whole.get("kind", "inline") == "inline"
    copies = whole.get("metadata")
    if not is_valid or not isinstance(copies, dict):
        return None
    return {
        join_key(key, *([ZARR_JSON] if zarr_format == 3 else [])): copies[key] for key in copies
    }


def _is_of_group(key: str, own_keys: set[str]) -> bool:
    """Return whether a document is of a group that has members, but no document."""
    folder, _, name = key.rpartition("/")
    group = join_key(folder, ZARR_JSON if name == ZARR_JSON else ZGROUP)
    start = f"{folder}/" if folder else ""
    return group not in own_keys and any(each.startswith(start) for each in own_keys)


def _whole(documents: Mapping[str, Json], zarr_format: int) -> Json:
    """Return the consolidated metadata of a store; None without any."""
    if zarr_format == 2:
        return documents.get(ZMETADATA)
    return documents.get(ZARR_JSON, {}).get("consolidated_metadata")
