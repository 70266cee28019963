"""The kinds of keys in a store, from their names and the documents next to and above them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ncz.formats.key_roles import KeyRoles, Kind
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, is_chunk_path, join_key

if TYPE_CHECKING:
    from ncz.model.data import Values

_DOCUMENTS: dict[str, Kind] = {
    ".zgroup": "group", ".nczgroup": "group", ".nczarr": "group",
    ".zarray": "array", ".nczarray": "array",
    ".zattrs": "attributes", ".nczattr": "attributes",
}  # fmt: skip
_NODE_TYPE = rb'"node_type"\s*:\s*"(group|array)"'
_NODE_TYPE_WITHIN = 1 << 20  # bytes at the start of a zarr.json


class StoreRoles(KeyRoles):
    """The kinds of keys, from their names and from the documents next to and above them."""

    def __init__(self, zmap: Zmap) -> None:
        self._zmap = zmap
        self._known: dict[str, Kind | None] = {}

    def kind(self, key: str, *, is_object: bool) -> Kind:
        """Return the kind of an object, or of a prefix of objects."""
        folder, _, name = key.rpartition("/")
        if not is_object:
            return self.folder(key) or ("chunk" if self._is_chunk(key) else "other")
        if name == ZARR_JSON:
            return self.folder(folder) or "other"
        if name in _DOCUMENTS:
            return _DOCUMENTS[name]
        return "chunk" if self._is_chunk(key) else "other"

    def decode(self, key: str) -> Values:
        """Return the elements of a stored chunk; see `stored_chunk.decode_chunk`."""
        from ncz.formats.zarr.arrays.stored_chunk import decode_chunk

        return decode_chunk(self._zmap, key)

    def is_document(self, key: str) -> bool:
        """Return whether an object is JSON text, by its name."""
        name = key.rpartition("/")[2]
        return name.startswith(".") or name == ZARR_JSON

    def documents(self) -> list[str] | None:
        """Return the keys of all documents; see `documented_keys.documented_keys`."""
        from ncz.formats.zarr.documents.documented_keys import documented_keys

        return documented_keys(self._zmap)

    def _is_chunk(self, key: str) -> bool:
        """Return whether `key` is an array's prefix and then chunk indices only."""
        at = len(key)
        while True:
            at = key.rfind("/", 0, at)
            rest = key[at + 1 :]
            if not is_chunk_path(rest):
                return False
            role = self.folder(key[: max(at, 0)])
            if role is not None:
                return role == "array"
            if at < 0:
                return False

    def folder(self, folder: str) -> Kind | None:
        """Return whether a prefix is a group or an array; None without a document."""
        if folder not in self._known:
            self._known[folder] = self._look(folder)
        return self._known[folder]

    def _look(self, folder: str) -> Kind | None:
        for name in (".zarray", ".zgroup", ".nczarray", ".nczgroup"):
            if self._zmap.size(join_key(folder, name)) is not None:
                return _DOCUMENTS[name]
        start = self._zmap.get_range(join_key(folder, ZARR_JSON), 0, _NODE_TYPE_WITHIN)
        if start is None:
            return None
        # Consolidated metadata and attributes may have members of this name too.
        node_types = set(re.findall(_NODE_TYPE, start))
        if len(node_types) > 1 or b"consolidated_metadata" in start:
            return _node_type(self._zmap.get(join_key(folder, ZARR_JSON)) or b"")
        return None if not node_types else "array" if node_types == {b"array"} else "group"


def _node_type(document: bytes) -> Kind | None:
    """Return the type of the node that a whole document describes; None if it is damaged."""
    try:
        node_type = json.loads(document).get("node_type")
    except (ValueError, RecursionError, AttributeError):
        return None
    return node_type if node_type in ("array", "group") else None
