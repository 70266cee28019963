"""List the keys of a remote store, in the order of `Zmap.walk`, and remember their sizes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import repeat

from ncz.errors import ZmapError
from ncz.zmap.key import JOURNAL, MARK, STAGED, check_inside, is_document, is_part_of_node, order
from ncz.zmap.remote.key_order import Entry, InKeyOrder
from ncz.zmap.remote.object_store import ListingPage, ObjectStore
from ncz.zmap.remote.requests import Requests
from ncz.zmap.remote.waits import result_of

_UNLISTED = (MARK, JOURNAL, STAGED)

_MOST_EMPTY = 1000
"""Limit of consecutive pages without a new object; above it, a listing is considered endless.

The same applies if these pages take longer than the timeout.
"""

_PAGE = 1000  # objects in a page of a listing

_RECENT = 1 << 15
"""The number of objects of a walk whose sizes are remembered, besides the sizes of all documents.

Twice as many are at most.
"""


_MOST_MISNAMED = 5
"""The number of misnamed objects that are remembered; one is enough to report a loss."""


class StoreListing:
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
        self._recent: dict[str, int] = {}  # the keys of a walk
        self._older: dict[str, int] = {}
        self._walked: tuple[str, str] | None = None  # the prefix of a walk, and its last key
        self.misnamed: dict[str, None] = {}
        """Documents and chunks whose names are not keys, as far as listings showed some."""
        self._is_complete = False  # every key without a size has no object
        self._leaves: set[str] = set()  # documents that are not also folders

    def known_size(self, key: str) -> tuple[int | None] | None:
        """Return the size in bytes (or None without an object) as a tuple; None if unknown."""
        if key in self._sizes:
            return (self._sizes[key],)
        for sizes in (self._recent, self._older):
            if key in sizes:
                return (sizes[key],)
        if self._is_complete or self._was_passed(key) or self.is_below_document(key):
            return (None,)
        return None

    def is_below_document(self, key: str) -> bool:
        """Return whether a key is below a document, according to a listing.

        A reader that takes every name in a group for a child requests such keys.
        """
        return key.rpartition("/")[0] in self._leaves

    def _was_passed(self, key: str) -> bool:
        """Return whether a walk would have found a document with this key."""
        if self._walked is None or not is_document(key):
            return False
        prefix, last = self._walked
        return key.startswith(f"{prefix}/" if prefix else "") and order(key) <= order(last)

    def names(self, prefix: str) -> set[str]:
        """Return the names directly below `prefix`, with one request for 1,000 names."""
        objects, folders = self.level(prefix)
        if self._remembers:
            documents = filter(is_document, objects - folders)
            self._leaves.update(f"{prefix}/{name}" if prefix else name for name in documents)
        return (objects | folders).difference(() if prefix else _UNLISTED)

    def level(self, prefix: str) -> tuple[set[str], set[str]]:
        """Return the names of the objects and of the folders directly below `prefix`."""
        folder = self._folder(prefix)
        objects: set[str] = set()
        folders: set[str] = set()
        for page in self._pages(prefix, folder, deep=False):
            self._remember(page)
            for path in (*page.objects, *page.folders):
                name, slash, _ = path[len(folder) :].partition("/")
                if name and _is_inside(name):
                    (folders if slash else objects).add(name)
            for path in page.folders:
                if not _is_inside(path[len(folder) :].removesuffix("/") or "/"):
                    self._look_into(path)
        return objects, folders

    def _look_into(self, folder: str) -> None:
        """Remember the first misnamed object in a folder whose name cannot be part of a key."""
        for page in self._pages("", folder, deep=True):
            for path in page.objects:
                if self._is_misnamed(path[self._start :]):
                    return

    def _is_misnamed(self, key: str) -> bool:
        """Return whether a name that is not a key names a document or a chunk; remember it."""
        found = is_part_of_node(key)
        if found and len(self.misnamed) < _MOST_MISNAMED:
            self.misnamed[key] = None
        return found

    def keys(self, prefix: str) -> Iterator[str]:
        """Iterate over the keys below `prefix`, in the server's order."""
        return (key for key, _ in self._entries(prefix))

    def walk(self, prefix: str) -> Iterator[str]:
        """Iterate over the keys below `prefix` in the order of `Zmap.walk`, while they arrive."""
        start = len(prefix) + 1 if prefix else 0
        entries = InKeyOrder(self._entries(prefix), self._entries, start)
        if not self._remembers:
            for key, _ in entries:
                yield key
            return
        sizes = self._sizes
        recent = self._recent = {}
        self._older = {}
        forgot = False
        for key, size in entries:
            if size is not None:
                (sizes if is_document(key) else recent)[key] = size
                if len(recent) > _RECENT:
                    # To drop the first of a dict again and again takes ever longer.
                    forgot |= bool(self._older)
                    self._older = recent
                    recent = self._recent = {}
            self._walked = (prefix, key) if size is not None and entries.is_sorted else None
            yield key
        self._is_complete |= not (prefix or forgot) and bool(sizes or recent)

    def _entries(self, prefix: str) -> Iterator[Entry]:
        """List the keys below `prefix` with their sizes, in the server's order."""
        for page in self._pages(prefix, self._folder(prefix), deep=True):
            count = len(page.objects)
            sizes = page.sizes if len(page.sizes) == count else repeat(None, count)
            for path, size in zip(page.objects, sizes, strict=True):
                key = path[self._start :]
                if is_object(key):
                    yield key, size
                elif not _is_inside(key):
                    self._is_misnamed(key)

    def everything(self) -> Iterator[tuple[str, int, float | None]]:
        """Yield each object, also the mark and the journal: its key, size and time of change.

        The key of an object that represents a folder ends in a slash.
        """
        for page in self._pages("", self._folder(""), deep=True):
            count = len(page.objects)
            sizes = page.sizes if len(page.sizes) == count else repeat(0, count)
            times = page.modified if len(page.modified) == count else repeat(None, count)
            for path, size, modified in zip(page.objects, sizes, times, strict=True):
                yield path[self._start :], size, modified

    def holds_something(self) -> bool:
        """Return whether the store has any object, apart from one that represents its folder."""
        folder = self._folder("")
        for page in self._pages("", folder, deep=True, most=10):
            if any(path != folder for path in page.objects):
                return True
        return False

    def _folder(self, prefix: str) -> str:
        self._requests.refuse_closed()
        folder = "".join(f"{part}/" for part in (self._root, prefix) if part)
        return folder.encode("utf-8", "replace").decode()

    def _pages(
        self, prefix: str, folder: str, *, deep: bool, most: int = _PAGE
    ) -> Iterator[ListingPage]:
        def request_page(token: str | None) -> ListingPage:
            return self._requests.attempt(
                "list",
                prefix,
                lambda: self._objects.page(folder, deep=deep, token=token, most=most),
            )

        page = last = request_page(None)
        before: set[str] = set()
        empty, waited = 0, 0.0
        while True:
            # From the second page on, the next one is requested while this one is used.
            token = page.token
            coming = self._requests.submit(request_page, token) if before and token else None
            yield page
            if token is None:
                return
            has_news = before and (page.objects, page.folders) != (last.objects, last.folders)
            if has_news and (page.objects or page.folders):
                empty, waited = 0, 0.0
            else:
                empty += 1
            is_late = empty > 1 and waited > self._requests.retry_policy.timeout
            if token in before or empty > _MOST_EMPTY or is_late:
                raise ZmapError(
                    "cannot list: the server's listing does not end",
                    self._requests.where(prefix),
                    "the server repeats a page, or sends empty ones",
                )
            before.add(token)
            last, start = page, time.monotonic()
            page = result_of(coming) if coming else request_page(token)
            waited += time.monotonic() - start

    def _remember(self, page: ListingPage) -> None:
        if not self._remembers or len(page.sizes) != len(page.objects):
            return
        for path in page.folders:
            self._sizes.setdefault(path[self._start :].rstrip("/"), None)
        for path, size in zip(page.objects, page.sizes, strict=True):
            self._sizes[path[self._start :]] = size


def is_object(key: str) -> bool:
    """Return whether a listed key names an object of a store, and not its folder."""
    # An object whose name ends in a slash represents a folder.
    return bool(key) and not key.endswith("/") and key not in _UNLISTED and _is_inside(key)


def _is_inside(key: str) -> bool:
    """Return whether a listed key stays within the store, unlike ``a/../b``."""
    try:
        check_inside(key)
    except ZmapError:
        return False
    return True
