"""A dataset as a store of zarr-python: its objects, parts of them, and refusals."""

from __future__ import annotations

import asyncio
import io

import pytest

import ncz
from ncz.errors import ignore_notice

pytest.importorskip("zarr", minversion="3")
from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest

CDL = b"""netcdf s { dimensions: x = 4 ; variables: byte v(x) ; data: v = 1, 2, 3, 4 ;
 group: g { variables: int w ; data: w = 7 ; } }"""


@pytest.fixture
def store():
    ncz.gen(io.BytesIO(CDL), "memory://zarrstore", overwrite=True, notify=ignore_notice)
    store = ncz.open_store("memory://zarrstore", notify=ignore_notice)
    yield store
    store.close()


def read(store, key, part=None):
    found = asyncio.run(store.get(key, byte_range=part))
    return None if found is None else found.to_bytes()


@pytest.mark.parametrize(
    ("part", "data"),
    [
        (None, b"\1\2\3\4"),
        (RangeByteRequest(1, 3), b"\2\3"),
        (OffsetByteRequest(3), b"\4"),
        (OffsetByteRequest(9), b""),
        (SuffixByteRequest(2), b"\3\4"),
        (SuffixByteRequest(9), b"\1\2\3\4"),
    ],
)
def test_objects_and_their_parts(store, part, data):
    assert read(store, "v/0", part) == data


def test_an_object_that_does_not_exist(store):
    for part in (None, RangeByteRequest(0, 1), OffsetByteRequest(0), SuffixByteRequest(1)):
        assert read(store, "v/9", part) is None
    assert not asyncio.run(store.exists("v/9"))
    with pytest.raises(FileNotFoundError):
        asyncio.run(store.getsize("v/9"))
    assert asyncio.run(store.getsize("v/0")) == 4


def test_keys_are_listed_below_a_prefix(store):
    async def listed(keys):
        return sorted([key async for key in keys])

    everything = asyncio.run(listed(store.list()))
    assert {".zgroup", "v/.zarray", "v/0", "g/w/0"} <= {*everything}
    assert asyncio.run(listed(store.list_prefix("v/."))) == ["v/.zarray", "v/.zattrs"]
    assert asyncio.run(listed(store.list_dir("g/"))) == [".zattrs", ".zgroup", "w"]


def test_nothing_is_written_and_the_refusal_says_what_to_do(store):
    for attempt in (lambda: asyncio.run(store.set("a", b"")), store.with_read_only):
        with pytest.raises(ValueError, match=r"read-only; ncz\.copy"):
            attempt()
    with pytest.raises(ValueError, match="read-only"):
        asyncio.run(store.delete("v/0"))
    assert store.with_read_only(True) is store
    with pytest.raises(TypeError, match="a range of bytes is expected, not 5"):
        read(store, "v/0", 5)


def test_stores_are_equal_if_they_are_opened_alike(store):
    other = ncz.open_store("memory://zarrstore", zarr_format=3, notify=ignore_notice)
    assert store == store.with_read_only(True)
    assert store != other
    assert repr(store).startswith("ncz.open_store(")
    other.close()
