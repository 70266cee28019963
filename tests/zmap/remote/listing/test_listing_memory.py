"""Memory of the keys of a listing, as docs/development/performance.md says."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import Future
from typing import Any, cast

import pytest

from ncz.zmap.remote import listing
from ncz.zmap.remote.listing import StoreListing
from ncz.zmap.remote.object_store import ListingPage

_PAGE = 1000


class _Server:
    """Lists `count` chunks with their sizes, a page at a time."""

    def __init__(self, count: int, documents: tuple[str, ...] = ()) -> None:
        self.count = count
        self.documents = documents

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> ListingPage:
        first = int(token or 0)
        chunks = (f"v/{n // 1000:03}.{n % 1000:03}" for n in range(first, first + _PAGE))
        documents = () if token else self.documents
        names = tuple(folder + name for name in (*documents, *chunks))
        token = str(first + _PAGE) if first + _PAGE < self.count else None
        return ListingPage(objects=names, token=token, sizes=tuple(range(1000, 1000 + len(names))))

    def attempt(self, action: str, key: str, call: Any) -> Any:
        return call()

    def submit(self, call: Any, *arguments: Any) -> Any:
        done: Future[Any] = Future()
        done.set_result(call(*arguments))
        return done

    def refuse_closed(self) -> None:
        pass


@pytest.mark.parametrize("remembers", [True, False])
def test_a_walk_takes_no_more_memory_for_more_keys(remembers, monkeypatch):
    monkeypatch.setattr(listing, "_RECENT", 1000)

    def peak(count: int) -> int:
        server = cast("Any", _Server(count))
        keys = StoreListing(server, "data.zarr", server, remembers=remembers).walk("")
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        assert sum(1 for _ in keys) == count
        return tracemalloc.get_traced_memory()[1] - before

    tracemalloc.start()
    try:
        few, many = peak(4 * _PAGE), peak(20 * _PAGE)
    finally:
        tracemalloc.stop()
    # Each key would take 180 bytes if it were kept; some garbage waits to be collected.
    assert many - few < 20 * 16 * _PAGE


def test_sizes_of_documents_are_kept(monkeypatch):
    monkeypatch.setattr(listing, "_RECENT", 10)
    server = cast("Any", _Server(2 * _PAGE, documents=("v/.zarray",)))
    listed = StoreListing(server, "data.zarr", server, remembers=True)
    for key in listed.walk(""):
        assert listed.known_size(key) is not None
    assert listed.known_size("v/.zarray") == (1000,)
    assert listed.known_size("v/.zgroup") == (None,)  # the walk would have found it
    assert listed.known_size("v/0.0") is None  # the server is asked again
    assert listed.known_size("v/zarr.json") is None
