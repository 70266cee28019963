"""Errors of obstore as errors of ncz."""

from __future__ import annotations

import pytest

from ncz.zmap.remote.obstore_errors import is_of_obstore, own_error
from ncz.zmap.remote.request_errors import (
    BrokenConnectionError,
    HttpStatusError,
    NoAnswerError,
    UnreachableError,
    UntrustedServerError,
)

exceptions = pytest.importorskip("obstore.exceptions")

GENERIC = exceptions.GenericError
MISSING = "status: 404 Not Found <Error><Code>{}</Code><Message>gone</Message></Error>"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("error sending request ... kind: Timeout", NoAnswerError),
        ("Os { code: 110, kind: TimedOut }", NoAnswerError),
        ("invalid peer certificate: UnknownIssuer", UntrustedServerError),
        ("HttpError { kind: Connect, source: refused }", UnreachableError),
        ("HttpError { kind: Interrupted, source: closed }", BrokenConnectionError),
    ],
)
def test_the_text_decides_the_error(text: str, kind: type):
    assert type(own_error(GENERIC(text), is_s3=True)) is kind


@pytest.mark.parametrize(
    ("text", "is_within"), [("kind: Request IncompleteMessage", True), ("kind: Request", False)]
)
def test_a_connection_that_ends_within_an_object(text: str, is_within: bool):
    error = own_error(GENERIC(text), is_s3=True)
    assert isinstance(error, BrokenConnectionError)
    assert error._is_within == is_within


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (GENERIC("server error, status code: 503 Slow Down"), 503),
        (exceptions.PermissionDeniedError("no"), 403),
        (exceptions.UnauthenticatedError("no"), 401),
    ],
)
def test_a_status_is_kept(error: Exception, status: int):
    found = own_error(error, is_s3=False)
    assert isinstance(found, HttpStatusError)
    assert found.status == status


def test_only_a_missing_object_is_a_missing_file():
    for code in ("NoSuchKey", ""):
        found = own_error(FileNotFoundError(MISSING.format(code)), is_s3=True)
        assert type(found) is FileNotFoundError
    bucket = own_error(FileNotFoundError(MISSING.format("NoSuchBucket")), is_s3=True)
    assert isinstance(bucket, HttpStatusError)
    assert (bucket.code, bucket.details["Message"]) == ("NoSuchBucket", "gone")
    elsewhere = own_error(FileNotFoundError(MISSING.format("NoSuchBucket")), is_s3=False)
    assert type(elsewhere) is FileNotFoundError


def test_other_errors_stay():
    for error in (ValueError("status: 500"), GENERIC("something else")):
        assert own_error(error, is_s3=True) is error
    assert is_of_obstore(GENERIC("x"))
    assert not is_of_obstore(ValueError("x"))
