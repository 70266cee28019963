"""The requested part of an object."""

from __future__ import annotations

import pytest

from ncz.commands.serve.reply import Reply, is_legal, range_of


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-3", range(4)),
        ("bytes=2-", range(2, 10)),
        ("bytes = 4 - 100", range(4, 10)),
        ("bytes=-3", range(7, 10)),
        ("bytes=-30", range(10)),
        ("bytes=10-", range(10, 10)),
    ],
)
def test_the_range_of_a_request(header, part):
    wanted = range_of({"Range": header}, "etag")
    assert wanted is not None
    assert wanted(10) == part


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Range": "bytes=3-1"},
        {"Range": "bytes=-"},
        {"Range": "bytes=0-1,3-4"},
        {"Range": "items=0-1"},
        {"Range": f"bytes=0-{'9' * 19}"},
        {"Range": "bytes=0-1", "If-Range": "an older etag"},
    ],
)
def test_all_bytes_are_the_answer_to_other_headers(headers):
    assert range_of(headers, "etag") is None


@pytest.mark.parametrize(
    ("reply", "length", "content_range"),
    [
        (Reply(size=10, part=range(2, 5)), 3, "bytes 2-4/10"),
        (Reply(size=10, part=range(10, 10)), 0, "bytes */10"),
        (Reply(size=10), 10, "bytes */10"),
    ],
)
def test_the_headers_of_an_answer(reply, length, content_range):
    assert (reply.length, reply.content_range) == (length, content_range)


@pytest.mark.parametrize(
    ("key", "legal"), [("a/b/0.0", True), (".zgroup", True), ("a/../b", False), ("../b", False)]
)
def test_a_key_does_not_lead_out_of_a_store(key, legal):
    assert is_legal(key) is legal
