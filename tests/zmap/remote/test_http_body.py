"""Bodies of responses, read no further than is needed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import cast

import pytest

from ncz.zmap.remote import http_body
from ncz.zmap.remote.http_body import read_body
from ncz.zmap.remote.http_response import Response
from ncz.zmap.remote.pace import Pace
from ncz.zmap.remote.retry_policy import RetryPolicy

DATA = bytes(range(100))


class Body:
    """A response whose body arrives in pieces of 7 bytes."""

    def __init__(self, data: bytes, encoding: str = "") -> None:
        self.headers = {"content-encoding": encoding} if encoding else {}
        self.data = data
        self.read = 0

    def pieces(self) -> Iterator[bytes]:
        for start in range(0, len(self.data), 7):
            piece = self.data[start : start + 7]
            self.read += len(piece)
            yield piece


def body_of(body: Body, most: int, skip: int = 0) -> bytes:
    return read_body(cast("Response", body), most, Pace(RetryPolicy()), skip)


@pytest.mark.parametrize(("most", "skip"), [(100, 0), (1000, 0), (10, 95), (5, 7), (3, 200)])
def test_a_part_of_a_body(most: int, skip: int):
    assert body_of(Body(DATA), most, skip) == DATA[skip : skip + most]


def test_the_rest_is_not_read():
    body = Body(DATA)
    body_of(body, 10, 5)
    assert body.read == 21


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [("gzip", gzip.compress), (" X-GZIP ", gzip.compress), ("deflate", zlib.compress)],
)
@pytest.mark.parametrize("piece", [1, 8, 1 << 20])
def test_compressed_bytes_are_decompressed(
    encoding: str, compress, piece: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(http_body, "_INFLATED_PIECE", piece)
    assert body_of(Body(compress(DATA), encoding), 50, 20) == DATA[20:70]


def test_a_body_that_inflates_without_end_is_left(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(http_body, "_INFLATED_PIECE", 64)
    body = Body(gzip.compress(bytes(1 << 20)), "gzip")
    assert body_of(body, 100) == bytes(100)
    assert body.read < 100


def test_bytes_with_the_encoding_identity_do_not_change():
    assert body_of(Body(DATA, "identity"), 100) == DATA
