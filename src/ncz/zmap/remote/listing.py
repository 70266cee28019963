"""List the keys of a remote store, and remember the sizes that listings contain."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import ZmapError
from ncz.zmap.key import JOURNAL, check_inside
from ncz.zmap.remote.requests.objects import ObjectStore, Page
from ncz.zmap.remote.requests.retries import Requests

MARK = ".ncz-partial"
"""The key of the object that marks an unfinished store. It is not listed."""

_UNLISTED = (MARK, JOURNAL)

_MOST_EMPTY = 1000
"""Empty pages in a row after which a listing is taken to be endless."""

_PAGE = 1000  # objects in a page of a listing


class Listing:
    """The listings of one store, whose root has the path `root` on its server.

    With `remembers`, sizes are kept; this is right only while the store does not change.
    """

    def __init__(
        self, objects: ObjectStore, root: str, requests: Requests, *, remembers: bool
    ) -> None:
        self._objects = objects
        self._requests = requests
        self._remembers = remembers
        self._start = len(root) + 1 if root else 0
        self._root = root
        self._sizes: dict[str, int | None] = {}  # None for a key without an object
        self._is_complete = False  # every key without a size has no object

    def known_size(self, key: str) -> tuple[int | None] | None:
        """Return the size in bytes (or None without an object) as a tuple; None if unknown."""
        if self._is_complete or key in self._sizes:
            return (self._sizes.get(key),)
        return None

    def names(self, prefix: str) -> set[str]:
        """Return the names directly below `prefix`, with one request for 1,000 names."""
        folder = self._folder(prefix)
        names = set()
        for page in self._pages(prefix, folder, deep=False):
            self._remember(page)
            for path in (*page.objects, *page.folders):
                name = path[len(folder) :].partition("/")[0]
                if name and _is_inside(name) and not (prefix == "" and name in _UNLISTED):
                    names.add(name)
        return names

    def keys(self, prefix: str) -> Iterator[str]:
        """Iterate over the keys below `prefix`, in the server's order."""
        for page in self._pages(prefix, self._folder(prefix), deep=True):
            self._remember(page)
            for path in page.objects:
                key = path[self._start :]
                # An object whose name ends in a slash represents a folder.
                if key and not key.endswith("/") and key not in _UNLISTED and _is_inside(key):
                    yield key
        self._is_complete |= self._remembers and not prefix and bool(self._sizes)

    def holds_something(self) -> bool:
        """Return whether the store has any object, apart from one that represents its folder."""
        folder = self._folder("")
        for page in self._pages("", folder, deep=False, most=10):
            if page.folders or any(path != folder for path in page.objects):
                return True
        return False

    def _folder(self, prefix: str) -> str:
        self._requests.refuse_closed()
        folder = "".join(f"{part}/" for part in (self._root, prefix) if part)
        return folder.encode("utf-8", "replace").decode()

    def _pages(self, prefix: str, folder: str, *, deep: bool, most: int = _PAGE) -> Iterator[Page]:
        token = None
        before: set[str] = set()
        empty = 0
        while True:
            page = self._requests.attempt(
                "list",
                prefix,
                lambda: self._objects.page(folder, deep=deep, token=token, most=most),  # noqa: B023
            )
            yield page
            token = page.token
            if token is None:
                return
            empty = 0 if page.objects or page.folders else empty + 1
            if token in before or empty > _MOST_EMPTY:
                raise ZmapError(
                    "cannot list: the server's listing does not end",
                    self._requests.where(prefix),
                    "the server repeats a page, or sends empty ones",
                )
            before.add(token)

    def _remember(self, page: Page) -> None:
        if not self._remembers or len(page.sizes) != len(page.objects):
            return
        for path in page.folders:
            self._sizes.setdefault(path[self._start :].rstrip("/"), None)
        for path, size in zip(page.objects, page.sizes, strict=True):
            self._sizes[path[self._start :]] = size


def _is_inside(key: str) -> bool:
    """Return whether a listed key stays within the store; others, such as ``a/../b``, do not."""
    try:
        check_inside(key)
    except ZmapError:
        return False
    return True
