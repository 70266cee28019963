"""The keys that consolidated metadata describes, for servers that cannot list theirs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ncz.errors import FormatError, Notice, Notify, ignore_notice
from ncz.formats.opening import open_keys
from ncz.formats.zarr.document.v2 import CONSOLIDATED
from ncz.formats.zarr.hierarchy.consolidated_v2 import read_consolidated
from ncz.formats.zarr.hierarchy.listing import report_misnamed
from ncz.formats.zarr.json import parse_document
from ncz.zmap import Zmap, can_list, location_of
from ncz.zmap.key import ZARR_JSON, SortedKeys, join_key
from ncz.zmap.limits import LARGEST_DOCUMENT


@contextlib.contextmanager
def open_listed(source: str, notify: Notify) -> Iterator[Zmap]:
    """Open a store for listing; see `ncz.formats.opening.open_keys`.

    If a server cannot list its keys, those of the documents in consolidated metadata are listed,
    with a notice. At the end, documents and chunks that were not listed because their names are not
    keys are reported as lost.
    """
    with open_keys(source) as zmap:
        keys = None if can_list(zmap) else _documents(zmap)
        if keys is None:
            yield zmap
            report_misnamed(zmap, notify)
            return
        notify(
            Notice(
                "keys-not-listed",
                "the server cannot list its keys; only documents are listed, from consolidated"
                " metadata",
                zmap.url,
            )
        )
        yield KnownKeys(zmap, keys)


def _documents(zmap: Zmap) -> list[str] | None:
    """Return the keys of all documents, from consolidated metadata; None if there are none."""
    data = zmap.get(CONSOLIDATED)
    if data is not None:
        found = read_consolidated(data, location_of(zmap, CONSOLIDATED), ignore_notice)
        return None if found is None else [CONSOLIDATED, *found.documents]
    data = zmap.get(ZARR_JSON)
    if data is None:
        return None
    with contextlib.suppress(FormatError, AttributeError):
        document = parse_document(data, location_of(zmap, ZARR_JSON))
        metadata = (document.get("consolidated_metadata") or {}).get("metadata")
        if isinstance(metadata, dict):
            return [ZARR_JSON, *(join_key(key, ZARR_JSON) for key in metadata)]
    return None


class KnownKeys:
    """A store of which only some keys are listed."""

    def __init__(self, zmap: Zmap, keys: list[str]) -> None:
        self._zmap = zmap
        self._keys = SortedKeys(keys)
        self.url = zmap.url

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        return self._zmap.get(key, limit)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        return self._zmap.get_range(key, start, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        return self._zmap.size(key)

    def search(self, prefix: str) -> list[str]:
        """List the known names directly below `prefix`; see `Zmap.search`."""
        return self._keys.search(prefix)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the known keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys.walk(prefix)

    def close(self) -> None:
        """Close the store."""
        self._zmap.close()
