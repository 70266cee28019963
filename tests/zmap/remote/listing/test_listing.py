"""Listings that never end, or name keys outside of the store."""

from __future__ import annotations

import itertools
import time
import tracemalloc

import pytest

from ncz.errors import ZmapError
from ncz.zmap.remote.object_store import ListingPage
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.store import RemoteZmap


class Server:
    """A server whose pages follow from their number."""

    can_list = True
    retry_policy = RetryPolicy()
    serves_ranges = True

    def __init__(self, pages):
        self.pages = iter(pages)
        self.asked = 0

    def page(self, folder, *, deep, token, most):
        self.asked += 1
        return next(self.pages)

    def size(self, path):
        return None

    def close(self):
        pass


@pytest.fixture
def listed():
    opened = []

    def of(pages):
        zmap = RemoteZmap(Server(pages), "root", "s3://bucket/root")  # type: ignore[arg-type]
        opened.append(zmap)
        return zmap

    yield of
    for zmap in opened:
        zmap.close()


ENDLESS = {
    "one token": lambda n: ListingPage(["root/a"], (), "same", [1]),
    "two tokens": lambda n: ListingPage([f"root/{n}"], (), str(n % 2), [1]),
    "empty pages": lambda n: ListingPage([], (), str(n)),
    "one object": lambda n: ListingPage(["root/"], (), str(n), [0]),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_listing_that_never_ends(listed, kind):
    for walk in (lambda zmap: list(zmap.walk()), lambda zmap: zmap.search("")):
        with pytest.raises(ZmapError, match="the server's listing does not end"):
            walk(listed(map(ENDLESS[kind], itertools.count())))


def test_slow_pages_without_an_object_end_with_the_timeout(listed, monkeypatch):
    """1,000 of them would take hours."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def slow():
        nonlocal now
        for n in itertools.count():
            now += 20
            yield ListingPage([], (), str(n))

    zmap = listed(slow())
    with pytest.raises(ZmapError, match="the server's listing does not end"):
        list(zmap.walk())
    assert now < 200


def test_slow_pages_with_objects_do_not(listed, monkeypatch):
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def slow():
        nonlocal now
        for n in range(30):
            now += 50
            yield ListingPage([f"root/{n:02}"], (), str(n) if n < 29 else None)

    assert len(list(listed(slow()).walk())) == 30


def test_a_long_listing_with_some_empty_pages(listed):
    pages = [
        ListingPage([f"root/{n:04}"] if n % 500 == 0 else [], (), str(n) if n < 2000 else None)
        for n in range(2001)
    ]
    assert list(listed(pages).walk()) == ["0000", "0500", "1000", "1500", "2000"]


def test_keys_outside_of_the_store_are_left_out(listed):
    paths = ["root/../x", "root/a/../../y", "root/a//b", "root/./c", "root/v/0"]
    zmap = listed([ListingPage(paths)])
    assert list(zmap.walk()) == ["v/0"]
    assert zmap.misnamed_objects == ()
    page = ListingPage(["root/..", "root/a"], ["root/../", "root/./", "root//", "root/v/"])
    within = [
        ListingPage(["root/../x"]),
        ListingPage(["root/./x"]),
        ListingPage(["root//notes", "root//b/.zarray"]),
    ]
    zmap = listed([page, *within])
    assert zmap.search("") == ["a", "v"]
    assert zmap.misnamed_objects == ("/b/.zarray",)


def test_documents_and_chunks_outside_of_the_store_are_remembered(listed):
    paths = ["root/a//b/.zarray", "root/a//b/0", "root/./c/zarr.json", "root/v//c/0", "root/v/0"]
    zmap = listed([ListingPage(paths)])
    assert list(zmap.walk()) == ["v/0"]
    assert zmap.misnamed_objects == ("a//b/.zarray", "a//b/0", "./c/zarr.json", "v//c/0")


def test_a_walk_takes_little_memory_for_each_key(listed):
    """The sizes of the objects that were listed last are remembered."""
    count = 50

    def page(n: int) -> ListingPage:
        names = [f"root/temperature/{n}.{m}" for m in range(1000)]
        return ListingPage(names, (), str(n) if n < count - 1 else None, [100] * 1000)

    zmap = listed(map(page, range(count)))
    tracemalloc.start()
    try:
        assert sum(1 for _ in zmap.walk()) == count * 1000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 320 * count * 1000
