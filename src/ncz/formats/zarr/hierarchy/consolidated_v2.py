"""Consolidated metadata of Zarr V2: the documents of all nodes in `.zmetadata`, format 1."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.errors import FormatError, Notice, Notify
from ncz.formats.zarr.json import Json, parse_document


def read_consolidated(data: bytes, location: str, notify: Notify) -> Mapping[str, Json] | None:
    """Return the documents by their keys; None, with a notice, if they are not well-formed."""
    try:
        document = parse_document(data, location)
    except FormatError as error:
        notify(_ignored(error.message, error.location))
        return None
    version, metadata = document.get("zarr_consolidated_format"), document.get("metadata")
    if version != 1 or not isinstance(metadata, dict) or not metadata:
        notify(_ignored("not consolidated metadata of format 1", location))
        return None
    return {key.strip("/"): member for key, member in metadata.items()}


def _ignored(fault: str, location: str | None) -> Notice:
    return Notice("consolidated-damaged", f"{fault}; the objects themselves are read", location)
