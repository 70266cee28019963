"""Keys of a server that cannot list them, from consolidated metadata."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ncz.commands import known_keys
from ncz.commands.known_keys import KnownKeys, open_for_listing
from ncz.errors import Notice
from ncz.zmap.location import parse_location
from ncz.zmap.memory import MemoryZmap

DOCUMENTS = {".zgroup": {"zarr_format": 2}, "g/.zgroup": {"zarr_format": 2}, "v/.zarray": {}}
OBJECTS = {
    **{key: json.dumps(document).encode() for key, document in DOCUMENTS.items()},
    ".zmetadata": json.dumps({"metadata": DOCUMENTS, "zarr_consolidated_format": 1}).encode(),
    "v/0": b"chunk",
}


class Server(MemoryZmap):
    """A store that cannot list its keys, or can."""

    def __init__(self, objects: dict[str, bytes], *, lists: bool) -> None:
        super().__init__(objects, "https://h/a.zarr")
        self.can_list = lists


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch):
    """Return the keys that are listed, and the codes of notices."""

    def keys_of(server: Server) -> tuple[list[str], list[str]]:
        @contextlib.contextmanager
        def open_keys(_: Any) -> Iterator[Server]:
            yield server

        monkeypatch.setattr(known_keys, "open_keys", open_keys)
        notices: list[Notice] = []
        with open_for_listing(parse_location("https://h/a.zarr"), notices.append) as zmap:
            return [*zmap.walk()], [notice.code for notice in notices]

    return keys_of


def test_a_server_that_lists_its_keys_needs_no_metadata(listed):
    assert listed(Server(OBJECTS, lists=True)) == (sorted(OBJECTS), [])


def test_only_documents_are_known_without_a_listing(listed):
    keys, codes = listed(Server(OBJECTS, lists=False))
    assert keys == [".zgroup", ".zmetadata", "g/.zgroup", "v/.zarray"]
    assert codes == ["keys-not-listed"]


def test_known_keys_are_searched_and_objects_are_read():
    zmap = KnownKeys(MemoryZmap(OBJECTS), ["v/.zarray", "g/.zgroup"])
    assert zmap.search("") == ["g", "v"]
    assert zmap.search("v") == [".zarray"]
    assert [*zmap.walk("v")] == ["v/.zarray"]
    assert zmap.get("v/0") == b"chunk"
