"""Errors of aiohttp and botocore as errors of ncz."""

from __future__ import annotations

import pytest

from ncz.zmap.remote.library_errors import own_error
from ncz.zmap.remote.request_errors import (
    BrokenConnectionError,
    HttpStatusError,
    InvalidResponseError,
    NoAnswerError,
    UnreachableError,
)

aiohttp = pytest.importorskip("aiohttp", reason="aiohttp is not installed (make setup)")
botocore = pytest.importorskip("botocore.exceptions", reason="botocore is not installed")
URL = "https://example.org"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (aiohttp.ServerTimeoutError(), NoAnswerError),
        (aiohttp.ConnectionTimeoutError(), UnreachableError),
        (aiohttp.ClientPayloadError(), BrokenConnectionError),
        (aiohttp.ServerDisconnectedError(), BrokenConnectionError),
        (botocore.ReadTimeoutError(endpoint_url=URL), NoAnswerError),
        (botocore.ConnectTimeoutError(endpoint_url=URL), UnreachableError),
        (botocore.EndpointConnectionError(endpoint_url=URL), UnreachableError),
        (botocore.IncompleteReadError(actual_bytes=1, expected_bytes=2), BrokenConnectionError),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_errors_of_connections(error, kind):
    assert type(own_error(error)) is kind


def test_the_error_that_botocore_wraps_counts():
    wrapped = botocore.HTTPClientError(error=aiohttp.ServerTimeoutError())
    assert type(own_error(wrapped)) is NoAnswerError


def test_an_answer_that_cannot_be_parsed():
    parsers = pytest.importorskip("botocore.parsers")
    assert type(own_error(parsers.ResponseParserError("no XML"))) is InvalidResponseError


def test_an_error_that_s3_answers_has_its_status_and_its_code():
    response = {
        "ResponseMetadata": {"HTTPStatusCode": 503, "HTTPHeaders": {"retry-after": "2"}},
        "Error": {"Code": "SlowDown", "Message": "wait"},
    }
    found = own_error(botocore.ClientError(response, "GetObject"))
    assert isinstance(found, HttpStatusError)
    assert (found.status, found.code, found.may_pass) == (503, "SlowDown", True)


def test_an_error_with_a_status_is_one_of_http_and_others_are_unchanged():
    error = OSError("no")
    assert own_error(error) is error
    error.status = 404  # type: ignore[attr-defined]
    found = own_error(error)
    assert isinstance(found, HttpStatusError)
    assert found.status == 404
