"""Errors of requests: whether they may pass, and their messages."""

from __future__ import annotations

import pytest

from ncz.zmap.remote import request_errors as errors
from ncz.zmap.remote.retry_policy import RetryPolicy

ROWS = [
    (errors.NoAnswerError(), True, True, "h did not answer within 60 s"),
    (errors.NoAnswerError("sent nothing"), True, True, "h sent nothing"),
    (TimeoutError(), True, True, "h did not answer within 60 s"),
    (errors.UnreachableError(), True, False, "h cannot be reached"),
    (errors.UnreachableError(is_late=True), True, True, "h cannot be reached within 10 s"),
    (ConnectionRefusedError(), True, False, "h cannot be reached"),
    (errors.BrokenConnectionError(), True, False, "h closed the connection"),
    (
        errors.BrokenConnectionError(is_within=True), True, False,
        "h closed the connection within the object",
    ),
    (ConnectionResetError(), True, False, "h closed the connection"),
    (errors.InvalidResponseError(), True, False, "h sent an invalid response"),
    (errors.UntrustedServerError(), False, False, "the certificate of h is not trusted"),
    (errors.HttpStatusError(404), False, False, "h answered 404"),
    (errors.HttpStatusError(503), True, False, "h answered 503"),
    (errors.HttpStatusError(400, "SlowDown"), True, False, "h answered 400 (SlowDown)"),
    (ValueError("one line\nand another"), False, False, "one line"),
    (KeyError(), False, False, "KeyError"),
]  # fmt: skip
POLICY = RetryPolicy(connect=10, read=60)


@pytest.mark.parametrize(
    ("error", "may_pass", "is_late", "text"), ROWS, ids=[row[3] for row in ROWS]
)
def test_messages(error, may_pass, is_late, text):
    assert errors.is_transient(error) == may_pass
    assert errors.is_timeout(error) == is_late
    found = errors.unreachable(error, "s3://b/k", "read", "h", POLICY)
    assert (found.message, found.location) == (f"cannot read: {text}", "s3://b/k")


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (errors.HttpStatusError(403), "cannot list: h denied access (403)", "give keys"),
        (errors.HttpStatusError(407), "cannot list: h denied access (407)", "give keys"),
        (errors.HttpStatusError(404), "cannot list: h answered 404", None),
        (TimeoutError(), "cannot list: h did not answer within 60 s", errors._LATER),
        (ValueError("https://h/x?Signature=s"), "cannot list: ValueError", None),
    ],
)
def test_a_server_that_refuses(error, message, hint):
    found = errors.server_error(error, "s3://b", "list", "h", POLICY, "give keys")
    assert (found.message, found.hint) == (message, hint)


@pytest.mark.parametrize(
    ("error", "denied"),
    [
        (errors.HttpStatusError(403), True),
        (errors.HttpStatusError(403, "AccessDenied"), True),
        (errors.HttpStatusError(403, "SignatureDoesNotMatch"), False),
        (errors.HttpStatusError(400, "AccessDenied"), True),
        (errors.HttpStatusError(404), False),
        (PermissionError(), True),
        (TimeoutError(), False),
    ],
)
def test_access_that_is_denied(error, denied):
    assert errors.is_denied(error) == denied
