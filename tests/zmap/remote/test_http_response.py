"""Responses of web servers, and errors of urllib3."""

from __future__ import annotations

import http.client
import io
from typing import Any

import pytest
from urllib3 import HTTPResponse, exceptions

from ncz.zmap.remote import request_errors as errors
from ncz.zmap.remote.http_response import Response, own_errors

POOL: Any = None


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (exceptions.SSLError("x"), errors.UntrustedServerError),
        (exceptions.NewConnectionError(POOL, "x"), errors.UnreachableError),
        (exceptions.ConnectTimeoutError("x"), errors.UnreachableError),
        (exceptions.ReadTimeoutError(POOL, "u", "x"), errors.NoAnswerError),
        (exceptions.LocationValueError("x"), http.client.InvalidURL),
        (exceptions.ProtocolError("x", OSError()), errors.BrokenConnectionError),
        (exceptions.ProtocolError("x", http.client.IncompleteRead(b"")),
         errors.BrokenConnectionError),
        (exceptions.ProtocolError("x", http.client.BadStatusLine("x")),
         errors.InvalidResponseError),
        (exceptions.DecodeError("x"), errors.InvalidResponseError),
    ],
)  # fmt: skip
def test_errors_of_the_library(error, expected):
    with pytest.raises(expected), own_errors():
        raise error


def test_whether_a_server_is_late():
    with pytest.raises(errors.UnreachableError) as caught, own_errors():
        raise exceptions.ConnectTimeoutError("x")
    assert caught.value.is_late


def response(body: bytes) -> Response:
    received = HTTPResponse(
        io.BytesIO(body), {"Content-Length": str(len(body)), "ETag": "e"}, 200,
        preload_content=False, request_method="GET",
    )  # fmt: skip
    return Response("https://h/x", received)


def test_a_body_is_read_piece_by_piece():
    body = bytes(range(256)) * 2000
    found = response(body)
    assert (found.status, found.size, found.headers["etag"]) == (200, len(body), "e")
    pieces = list(found.pieces())
    assert b"".join(pieces) == body
    assert len(pieces) > 1
    found.close()


@pytest.mark.parametrize(("size", "is_read"), [(100, True), (1 << 20, False)])
def test_little_of_a_body_is_read_to_keep_the_connection(size, is_read):
    body = io.BytesIO(bytes(size))
    received = HTTPResponse(
        body, {"Content-Length": str(size)}, 200, preload_content=False, request_method="GET"
    )
    Response("https://h/x", received).close()
    assert (received.length_remaining == 0) == is_read
