"""Add groups and variables to a draft, from the documents of a store of the same form."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZGROUP, ZMETADATA
from ncz.formats.zarr.documents.notes import ANNOTATIONS, GROUP, parse_notes
from ncz.formats.zarr.edit.draft import Draft
from ncz.formats.zarr.edit.note_names import merge_group, note_of
from ncz.formats.zarr.json import Json, parse_document
from ncz.zmap.key import ZARR_JSON


def add_planned_store(draft: Draft, planned: Mapping[str, bytes]) -> None:
    """Add the nodes of a planned store to a draft.

    Its arrays replace arrays of the same name. An existing group gets missing members of its note.
    """
    nodes: dict[str, dict[str, dict[str, Json]]] = {}
    whole: Mapping[str, Json] = {}
    for key, data in planned.items():
        folder, _, name = key.rpartition("/")
        document = parse_document(data, key)
        if key == ZMETADATA:
            whole = document
            continue
        if key == ZARR_JSON:
            consolidated = document.pop("consolidated_metadata", None)
            whole = consolidated if isinstance(consolidated, dict) else {}
        nodes.setdefault(folder, {})[name] = document
    annotations = whole.get(ANNOTATIONS)
    noted = annotations.get("nodes", {}) if isinstance(annotations, dict) else {}
    for key in sorted(nodes):
        documents = nodes[key]
        for document in documents.values():
            parse_notes(document)
            if isinstance(attributes := document.get("attributes"), dict):
                parse_notes(attributes)
        if _is_group(documents) and key in draft.nodes:
            note = draft.nodes[key].note(GROUP)
            merge_group(note, _group_note(documents, noted.get(key)))
        else:
            draft.add(key, documents, noted.get(key))


def _is_group(documents: Mapping[str, Mapping[str, Json]]) -> bool:
    is_of_v3 = documents.get(ZARR_JSON, {}).get("node_type") == "group"
    return is_of_v3 or (ZGROUP in documents and ZARRAY not in documents)


def _group_note(documents: Mapping[str, Mapping[str, Json]], annotation: Json) -> dict[str, Json]:
    """Return the note of a planned group, in its attributes or in its annotation."""
    if isinstance(annotation, dict):
        group = annotation.get("group")
        return group if isinstance(group, dict) else {}
    attributes = (document.get("attributes") for document in documents.values())
    places = [*documents.values(), *(each for each in attributes if isinstance(each, dict))]
    return note_of(GROUP, places)
