"""Files that are sent as a single object."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from ncz.errors import StoreExists, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.remote import single_object
from ncz.zmap.remote.single_object import refuse_existing, sent_file
from ncz.zmap.remote.store import WritableRemoteZmap

LOCATION = parse_location("https://example.org/b/a.nc#mode=s3")


class Server:
    """The place of an object: the object, and whether others are below it."""

    url = LOCATION.address

    def __init__(self, data: bytes | None = None, *, has_others: bool = False) -> None:
        self.data = data
        self.has_others = has_others

    def file_size(self) -> int | None:
        return None if self.data is None else len(self.data)

    def first_bytes(self, count: int) -> bytes:
        return (self.data or b"")[:count]

    def holds_something(self) -> bool:
        return self.has_others

    def put_file(self, data: bytes) -> None:
        self.data = data


def place(server: Server) -> WritableRemoteZmap:
    return cast("WritableRemoteZmap", server)


def check(server: Server, *, overwrite: bool = True) -> None:
    refuse_existing(
        place(server), LOCATION, overwrite=overwrite,
        replaces=lambda start: start == b"ABCD", first=4, what="a file of this kind",
    )  # fmt: skip


def test_a_missing_or_empty_object_is_written():
    check(Server(), overwrite=False)
    check(Server(b""))


def test_an_object_is_replaced_only_on_request_and_if_it_is_of_the_kind():
    with pytest.raises(StoreExists, match="already exists"):
        check(Server(b"ABCD"), overwrite=False)
    with pytest.raises(StoreExists, match="it is an object, but not a file of this kind"):
        check(Server(b"else"))


def test_a_store_below_the_name_is_not_hidden():
    with pytest.raises(StoreExists, match="a store that is not a file of this kind exists here"):
        check(Server(has_others=True))


def test_a_file_is_sent_with_one_request_at_the_end():
    server = Server()
    with sent_file(place(server), "the file") as path:
        Path(path).write_bytes(b"data")
        before = server.data
    assert before is None
    assert server.data == b"data"
    assert not Path(path).exists()


def test_a_file_that_is_not_complete_or_too_large_is_not_sent(monkeypatch: pytest.MonkeyPatch):
    server = Server()
    with pytest.raises(FileNotFoundError), sent_file(place(server), "the file") as path:
        Path(f"{path}s/data").write_bytes(b"data")
    monkeypatch.setattr(single_object, "_LARGEST_OBJECT", 3)
    with (
        pytest.raises(ZmapError, match="the file has 4 bytes, too many for one request"),
        sent_file(place(server), "the file") as path,
    ):
        Path(path).write_bytes(b"data")
    assert server.data is None
    assert not Path(path).exists()
