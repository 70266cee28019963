"""List the objects of a bucket with obstore, as far as its answer is certain.

obstore removes a slash at the end of a name, so that an object that represents a folder looks like
an empty object; and it fails for names that it regards as invalid. Such parts of a listing are for
another library, which continues after the last name.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ncz.zmap.remote.requests.objects import Page

_AFTER = "\0after\0"
_MOST_STREAMS = 8
"""The number of listings that can be continued without asking the server to skip names."""


class UncertainListingError(Exception):
    """A part of a listing holds names that obstore may have changed."""


def last_name(token: str | None) -> str | None:
    """Return the name after which a listing continues, if its token comes from `ObstoreListing`."""
    return token.removeprefix(_AFTER) if token and token.startswith(_AFTER) else None


class ObstoreListing:
    """The listings of one bucket; `obstore` is the module, `store` its object for the bucket."""

    def __init__(self, obstore: Any, store: Any) -> None:
        self._obstore = obstore
        self._store = store
        self._streams: dict[str, Iterator[Sequence[Mapping[str, Any]]]] = {}
        self._lock = threading.Lock()

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        """List objects and folders; see `ObjectStore.page`.

        Without `deep`, one page has all names of the folder.

        Raises
        ------
        UncertainListingError
            If obstore may have changed a name.
        """
        if not folder:  # a slash at the start of a name is removed too
            raise UncertainListingError
        if not deep:
            level = self._obstore.list_with_delimiter(self._store, folder)
            return _page(
                folder, level["objects"], [f"{path}/" for path in level["common_prefixes"]]
            )
        after = last_name(token)
        with self._lock:
            stream = self._streams.pop(token or "", None)
        if stream is None:
            named = {"offset": after} if after else {}
            stream = iter(self._obstore.list(self._store, folder, chunk_size=most, **named))
        found: Sequence[Mapping[str, Any]] = next(stream, ())
        if len(found) < most:
            return _page(folder, found)
        token = f"{_AFTER}{found[-1]['path']}"
        with self._lock:
            while len(self._streams) >= _MOST_STREAMS:
                del self._streams[next(iter(self._streams))]
            self._streams[token] = stream
        return _page(folder, found, token=token)


def _page(
    folder: str,
    found: Sequence[Mapping[str, Any]],
    folders: Sequence[str] = (),
    token: str | None = None,
) -> Page:
    paths = [entry["path"] for entry in found]
    sizes = [entry["size"] for entry in found]
    if 0 in sizes:
        paths = [folder if f"{path}/" == folder else path for path in paths]
        if any(not size and path != folder for path, size in zip(paths, sizes, strict=True)):
            raise UncertainListingError
    return Page(paths, folders, token, sizes)
