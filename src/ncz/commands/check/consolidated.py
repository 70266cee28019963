"""Consolidated metadata compared with every document of a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncz.commands.check.finding import Finding, finding
from ncz.formats.zarr.document.v2 import ARRAY, ATTRIBUTES, CONSOLIDATED, GROUP
from ncz.formats.zarr.hierarchy.listing import canonical_text
from ncz.formats.zarr.json import Json
from ncz.zmap.key import ZARR_JSON, join_key

_ADVICE = "run ncz consolidate"
_COPIED = (GROUP, ARRAY, ATTRIBUTES)


def has_own_documents(keys: list[str]) -> bool:
    """Return whether a store has documents besides consolidated ones."""
    return any(key.rpartition("/")[2] in (*_COPIED, ZARR_JSON) for key in keys)


def check_consolidated(
    documents: Mapping[str, Json], zarr_format: int, damaged: set[str]
) -> Iterator[Finding]:
    """Yield how consolidated metadata differ from the documents of the store.

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
        whole = documents.get(CONSOLIDATED)
        if CONSOLIDATED in damaged:
            yield finding("consolidated-damaged", CONSOLIDATED, "it cannot be parsed", _ADVICE)
        if whole is None:
            return
        is_valid = whole.get("zarr_consolidated_format") == 1
        copies, place = whole.get("metadata"), CONSOLIDATED
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
    own = _COPIED if zarr_format == 2 else (ZARR_JSON,)
    own_keys = {k for k in documents if k.rpartition("/")[2] in own}
    if zarr_format == 3:
        own_keys.discard(ZARR_JSON)
    for key in sorted((own_keys | copied.keys()) - damaged):
        if key not in copied:
            what = "missing in the consolidated metadata"
        elif key not in own_keys:
            what = "consolidated, but missing in the store"
        elif canonical_text(copied[key]) != canonical_text(documents[key]):
            what = "different in the consolidated metadata"
        else:
            continue
        yield finding("consolidated-stale", key, what, _ADVICE)
