"""The metadata objects of one store: each by its key, or all from `.zmetadata`.

Zarr's consolidated metadata (format 1) spares one request per object and any listing, which is
why it is believed where it is well-formed; where it is not, the objects themselves are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncz.errors import FormatError, Notice, Notify
from ncz.formats.zarr.document.json import Json, parse_document
from ncz.formats.zarr.document.v2 import ARRAY, ATTRIBUTES, CONSOLIDATED
from ncz.zmap import Zmap, child_names, expect, location_of

SMALL = 4096
"""Bytes of a document as most are; of one that is remembered, at most."""


class Metadata:
    """Reads metadata objects; knows what a store says and not what it means."""

    def __init__(self, zmap: Zmap, notify: Notify) -> None:
        self.zmap = zmap
        self._start = location_of(zmap, "")
        self._consolidated = _read_consolidated(zmap, notify)
        self._arrays: dict[bytes, dict[str, Json]] = {}
        """Documents of arrays by their bytes: in a large store most are alike."""

    @property
    def is_consolidated(self) -> bool:
        """True if `.zmetadata` speaks for the whole store."""
        return self._consolidated is not None

    def location(self, key: str, name: str = "") -> str:
        """How messages name an object: the document `name` of the node at `key`."""
        return f"{self._start}{key_of(key, name)}"

    def array_where(self, key: str) -> str:
        """How messages name the document of an array."""
        return self.location(key, ARRAY)

    def attributes_where(self, key: str) -> str:
        """How messages name the attributes of a node."""
        return self.location(key, ATTRIBUTES)

    def expect(self, keys: Iterable[str]) -> None:
        """Say which objects `get` will be asked for, in order: a remote store is asked at once."""
        if self._consolidated is None:
            expect(self.zmap, ((key, SMALL) for key in keys))

    def get(self, key: str, name: str) -> dict[str, Json] | None:
        """The document `name` of the node at `key`; None if there is none.

        It is not to be changed: that of an array may be another's too. Raises `FormatError` if it
        is broken.
        """
        whole = key_of(key, name)
        if self._consolidated is None:
            data = self.zmap.get(whole)
            if data is None:
                return None
            known = self._arrays.get(data)
            if known is None:
                known = parse_document(data, f"{self._start}{whole}")
                if name == ARRAY and len(data) <= SMALL:
                    self._arrays[data] = known
            return known
        document = self._consolidated.get(whole)
        if document is not None and not isinstance(document, dict):
            raise FormatError(
                "a metadata object must be a JSON object",
                f"{self.location(CONSOLIDATED)}: {whole}",
                f"remove {CONSOLIDATED}, and the objects themselves are read",
            )
        return document

    def children(self, prefix: str) -> list[str]:
        """Names below `prefix`, sorted by bytes; only those with metadata if consolidated."""
        if self._consolidated is None:
            return child_names(self.zmap, prefix)
        start = f"{prefix}/" if prefix else ""
        names = {
            key[len(start) :].split("/")[0] for key in self._consolidated if key.startswith(start)
        }
        return sorted(names, key=lambda name: name.encode("utf-8", "surrogateescape"))


def _read_consolidated(zmap: Zmap, notify: Notify) -> Mapping[str, Json] | None:
    data = zmap.get(CONSOLIDATED)
    if data is None:
        return None
    location = location_of(zmap, CONSOLIDATED)
    try:
        document = parse_document(data, location)
    except FormatError as error:
        notify(
            Notice(
                "consolidated-damaged",
                f"{error.message}; the objects themselves are read",
                error.location,
            )
        )
        return None
    version, metadata = document.get("zarr_consolidated_format"), document.get("metadata")
    if version != 1 or not isinstance(metadata, dict) or not metadata:
        notify(
            Notice(
                "consolidated-damaged",
                "not consolidated metadata of format 1; the objects themselves are read",
                location,
            )
        )
        return None
    return {key.strip("/"): member for key, member in metadata.items()}


def key_of(key: str, name: str) -> str:
    """The key of the object `name` in the node at `key`, of which one may be empty."""
    return f"{key}/{name}" if key and name else key or name
