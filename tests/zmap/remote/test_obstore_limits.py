"""The table of the limits of obstore."""

from __future__ import annotations

import pytest

pytest.importorskip("obstore", reason="obstore is not installed")

from ncz.zmap.remote.checksums import WrongBytesError
from ncz.zmap.remote.credentials import S3Settings
from ncz.zmap.remote.obstore_limits import LIMITS, UncertainListingError, makes, repeats, serves
from ncz.zmap.remote.request_errors import (
    BrokenConnectionError,
    HttpStatusError,
    NoAnswerError,
    UnreachableError,
    UntrustedServerError,
)
from tests.zmap.remote.test_obstore import KNOWN


def test_each_row_says_when():
    for row in LIMITS:
        assert sum(map(bool, (row.settings, row.request, row.answer))) == 1, row.what
        assert row.reason


@pytest.mark.parametrize(
    ("error", "is_repeated"),
    [
        (UncertainListingError(), True),
        (WrongBytesError("ETag"), True),
        (UnreachableError(), True),
        (UnreachableError(is_late=True), False),
        (NoAnswerError(), False),
        (BrokenConnectionError(), False),
        (UntrustedServerError(), False),
        (HttpStatusError(403, "AccessDenied"), False),
        (HttpStatusError(404, "NoSuchBucket"), False),
        (HttpStatusError(503, "SlowDown"), False),
        (HttpStatusError(503), False),
        (HttpStatusError(403), True),
        (HttpStatusError(301, "PermanentRedirect"), True),
        (HttpStatusError(400, "AuthorizationHeaderMalformed"), True),
        (HttpStatusError(501, "NotImplemented"), True),
    ],
)
def test_the_requests_that_s3fs_repeats(error, is_repeated):
    assert repeats(error) is is_repeated


@pytest.mark.parametrize(
    ("action", "path", "is_made"),
    [
        ("read", "a/b.c/.zarray", True),
        ("read", "a b", False),
        ("read", "a//b", False),
        ("read", "a/../b", False),
        ("list", "", False),
        ("list", "a", True),
    ],
)
def test_the_requests_that_obstore_makes(action, path, is_made):
    assert makes(action, path) is is_made


def test_a_token_stays_with_amazon():
    token = KNOWN | {"session_token": "t"}
    other = S3Settings("http://127.0.0.1:9", "b", "", "us-east-1", **token)
    amazon = S3Settings("https://s3.us-east-1.amazonaws.com", "b", "", "us-east-1", **token)
    assert not serves(other, {})
    assert serves(amazon, {})
