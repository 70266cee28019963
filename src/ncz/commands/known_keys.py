"""The keys that consolidated metadata describes, for servers that cannot list theirs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ncz.errors import Notice, Notify
from ncz.formats.opening import key_roles, open_keys
from ncz.zmap import DelegatingZmap, Zmap, report_misnamed_objects
from ncz.zmap.key import SortedKeys
from ncz.zmap.location import Location


@contextlib.contextmanager
def open_for_listing(source: Location, notify: Notify) -> Iterator[Zmap]:
    """Open a store for listing; see `ncz.formats.opening.open_keys`.

    If a server cannot list its keys, the keys of documents in consolidated metadata are listed,
    with a notice. At the end, documents and chunks that were not listed because their names are not
    keys are reported as lost.
    """
    with open_keys(source) as zmap:
        keys = None if zmap.can_list else key_roles(zmap).documents()
        if keys is None:
            yield zmap
            report_misnamed_objects(zmap, notify)
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


class KnownKeys(DelegatingZmap):
    """A store that lists only some keys."""

    def __init__(self, zmap: Zmap, keys: list[str]) -> None:
        super().__init__(zmap)
        self._keys = SortedKeys(keys)

    def search(self, prefix: str) -> list[str]:
        """List the known names directly below `prefix`; see `Zmap.search`."""
        return self._keys.search(prefix)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the known keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys.walk(prefix)
