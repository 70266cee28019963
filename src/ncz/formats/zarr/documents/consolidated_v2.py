"""Consolidated metadata of Zarr V2: the documents of all nodes in `.zmetadata`, format 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncz.errors import FormatError, Notice, Notify
from ncz.formats.zarr.documents.consolidated_metadata import DOCUMENTS
from ncz.formats.zarr.documents.notes import ANNOTATIONS
from ncz.formats.zarr.json import Json, parse_document
from ncz.record import record
from ncz.zmap.key import ZARR_JSON, order


@record
class ConsolidatedMetadata:
    """The documents by their keys, and the annotations of pure Zarr as JSON."""

    documents: Mapping[str, Json]
    annotations: Json


def read_consolidated(data: bytes, location: str, notify: Notify) -> ConsolidatedMetadata | None:
    """Return the contents of `.zmetadata`; None, with a notice, if it is not well-formed."""
    try:
        document = parse_document(data, location)
    except FormatError as error:
        notify(_damage_notice(error.message, error.location))
        return None
    version, metadata = document.get("zarr_consolidated_format"), document.get("metadata")
    if version != 1 or not isinstance(metadata, dict) or not metadata:
        notify(_damage_notice("not consolidated metadata of format 1", location))
        return None
    documents = {key.strip("/"): member for key, member in metadata.items()}
    return ConsolidatedMetadata(documents, document.get(ANNOTATIONS))


def names_by_node(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the names directly below each node that has any, sorted by their bytes.

    Parameters
    ----------
    keys
        The keys of the documents of all nodes.
    """
    below: dict[str, set[str]] = {}
    for key in keys:
        node, _, name = key.rpartition("/")
        at = node if name in DOCUMENTS or name == ZARR_JSON else key
        while at:
            above, _, name = at.rpartition("/")
            names = below.setdefault(above, set())
            if name in names:
                break
            names.add(name)
            at = above
    return {node: sorted(names, key=order) for node, names in below.items()}


def _damage_notice(fault: str, location: str | None) -> Notice:
    return Notice("consolidated-damaged", f"{fault}; the objects themselves are read", location)
