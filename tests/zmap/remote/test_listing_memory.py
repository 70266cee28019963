"""What the keys of a listing take in memory, as docs/performance.md says."""

from __future__ import annotations

import tracemalloc
from typing import Any, cast

import pytest

from ncz.zmap.key import SortedKeys
from ncz.zmap.remote.listing import Listing
from ncz.zmap.remote.requests.objects import Page

_PAGE = 1000


class _Server:
    """Lists `count` chunks with their sizes, a page at a time."""

    def __init__(self, count: int) -> None:
        self.count = count

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> Page:
        first = int(token or 0)
        names = tuple(f"{folder}v/{n // 1000}.{n % 1000}" for n in range(first, first + _PAGE))
        token = str(first + _PAGE) if first + _PAGE < self.count else None
        return Page(objects=names, token=token, sizes=tuple(range(1000, 1000 + _PAGE)))

    def attempt(self, action: str, key: str, call: Any) -> Any:
        return call()

    def refuse_closed(self) -> None:
        pass


@pytest.mark.parametrize(("remembers", "most"), [(True, 200), (False, 90)])
def test_a_listed_key_takes_less_than_200_bytes(remembers, most):
    def held(count: int) -> int:
        server = cast("Any", _Server(count))
        listing = Listing(server, "data.zarr", server, remembers=remembers)
        keys = SortedKeys(listing.keys(""))
        assert next(keys.walk("")) == "v/0.0"
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        few, many = held(_PAGE), held(20 * _PAGE)
    finally:
        tracemalloc.stop()
    assert many - few < most * 19 * _PAGE
