"""The keys that consolidated metadata describes, for servers that cannot list theirs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ncz.errors import FormatError, Notice, Notify, ignore_notice
from ncz.formats.opening import open_keys
from ncz.zmap import DelegatingZmap, Zmap, report_misnamed
from ncz.zmap.key import ZARR_JSON, SortedKeys, join_key
from ncz.zmap.location import Location


@contextlib.contextmanager
def open_listed(source: Location, notify: Notify) -> Iterator[Zmap]:
    """Open a store for listing; see `ncz.formats.opening.open_keys`.

    If a server cannot list its keys, those of the documents in consolidated metadata are listed,
    with a notice. At the end, documents and chunks that were not listed because their names are not
    keys are reported as lost.
    """
    with open_keys(source) as zmap:
        keys = None if zmap.can_list else _documents(zmap)
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
    from ncz.formats.zarr.consolidated_v2 import read_consolidated
    from ncz.formats.zarr.document_v2 import ZMETADATA
    from ncz.formats.zarr.json import parse_document

    data = zmap.get(ZMETADATA)
    if data is not None:
        found = read_consolidated(data, zmap.where(ZMETADATA), ignore_notice)
        return None if found is None else [ZMETADATA, *found.documents]
    data = zmap.get(ZARR_JSON)
    if data is None:
        return None
    with contextlib.suppress(FormatError, AttributeError):
        document = parse_document(data, zmap.where(ZARR_JSON))
        metadata = (document.get("consolidated_metadata") or {}).get("metadata")
        if isinstance(metadata, dict):
            return [ZARR_JSON, *(join_key(key, ZARR_JSON) for key in metadata)]
    return None


class KnownKeys(DelegatingZmap):
    """A store of which only some keys are listed."""

    def __init__(self, zmap: Zmap, keys: list[str]) -> None:
        super().__init__(zmap)
        self._keys = SortedKeys(keys)

    def search(self, prefix: str) -> list[str]:
        """List the known names directly below `prefix`; see `Zmap.search`."""
        return self._keys.search(prefix)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the known keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys.walk(prefix)
