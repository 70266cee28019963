"""Documents that are written for a draft: changed ones, new names, consolidated metadata."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.formats.zarr.documents.document_v2 import ZMETADATA
from ncz.formats.zarr.documents.hierarchy import Root
from ncz.formats.zarr.documents.notes import ANNOTATIONS
from ncz.formats.zarr.edit.draft import Draft
from ncz.formats.zarr.json import Json, parse_document, print_document
from ncz.zmap import Zmap
from ncz.zmap.journal import Changes
from ncz.zmap.key import ZARR_JSON


def changes_of(zmap: Zmap, draft: Draft, root: Root, *, is_structural: bool) -> Changes:
    """Return the plan of the changes."""
    documents = draft.changed_documents()
    places = draft.places()
    plan = Changes(places=places, is_structural=is_structural)
    if root.metadata.has_consolidated and (documents or places or draft.has_other_sums):
        _consolidate(zmap, draft, documents, plan, root.metadata.zarr_format)
    ordered = sorted(documents, key=lambda key: (-key.count("/"), key))
    return Changes(
        documents={key: print_document(documents[key]) for key in ordered},
        places=places,
        is_structural=is_structural,
    )


def _consolidate(
    zmap: Zmap, draft: Draft, documents: dict[str, dict[str, Json]], plan: Changes, version: int
) -> None:
    """Add the document with consolidated metadata to the changed ones."""
    if version == 2:
        data = zmap.get(ZMETADATA)
        assert data is not None
        whole = parse_document(data, zmap.where(ZMETADATA))
        if isinstance(whole.get("metadata"), dict):
            copies = {**_renamed_documents(whole["metadata"], plan), **documents}
            documents[ZMETADATA] = {**whole, "metadata": copies, **_annotations(draft)}
        return
    document = draft.nodes[""].documents[ZARR_JSON]
    found = document["consolidated_metadata"]
    copies = _renamed_documents(found["metadata"], plan)
    for key, changed in documents.items():
        if key != ZARR_JSON:
            copies[key.removesuffix(f"/{ZARR_JSON}")] = changed
    changed = {**found, "metadata": copies, **_annotations(draft)}
    documents[ZARR_JSON] = {**document, "consolidated_metadata": changed}


def _annotations(draft: Draft) -> dict[str, Json]:
    annotations = draft.annotations()
    return {} if annotations is None else {ANNOTATIONS: annotations}


def _renamed_documents(copies: Mapping[str, Json], plan: Changes) -> dict[str, Json]:
    """Return consolidated documents under their new keys."""
    documents = ((plan.key_of(key), document) for key, document in copies.items())
    return {key: document for key, document in documents if key is not None}
