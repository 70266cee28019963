"""The meaning of failed requests to S3."""

from __future__ import annotations

import pytest

from ncz.errors import StoreMissing
from ncz.record import replace
from ncz.zmap.remote.credentials import S3Settings
from ncz.zmap.remote.request_errors import HttpStatusError, NoAnswerError
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.s3_errors import headers_of, storage_error

SETTINGS = S3Settings(
    endpoint="https://h", bucket="b", prefix="", region="eu-1", source="the profile p"
)


def of(error: Exception, **changes: object) -> tuple[str, str]:
    settings = replace(SETTINGS, **changes)
    found = storage_error(error, "s3://b/k", "read", settings, RetryPolicy(connect=9, read=60))
    assert found.location == "s3://b/k"
    return found.message, str(found.hint)


REGION = {"x-amz-bucket-region": "us-2"}


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (HttpStatusError(403, "ExpiredToken"),
         "https://h rejected the credentials (they have expired)", "check the profile p"),
        (HttpStatusError(403, "SignatureDoesNotMatch"), "https://h rejected the credentials",
         "check the profile p"),
        (HttpStatusError(301, "PermanentRedirect", REGION), "the bucket is not in the region eu-1",
         "add #aws.region=us-2"),
        (HttpStatusError(400, "AuthorizationHeaderMalformed",
                         details={"Message": "the region is wrong; expecting 'ap-3'"}),
         "the bucket is not in the region eu-1", "add #aws.region=ap-3"),
        (RecursionError(), "the bucket is not in the region eu-1", "add #aws.region=REGION"),
        (HttpStatusError(403, "AccessDenied"),
         "cannot read: https://h denied access (AccessDenied)",
         "check the profile p; a missing object may give the same error, and a bucket whose"
         " requester pays needs #aws.requester_pays=true"),
        (HttpStatusError(400, "InvalidBucketName"), "'b' is not a valid bucket name",
         "check the URL"),
        (NoAnswerError(), "cannot read: https://h did not answer within 60 s",
         "try again later, or check the URL"),
    ],
)  # fmt: skip
def test_messages(error, message, hint):
    assert of(error) == (message, hint)


def test_a_bucket_that_does_not_exist():
    error = HttpStatusError(404, "NoSuchBucket")
    found = storage_error(error, "s3://b", "read", SETTINGS, RetryPolicy(connect=9, read=60))
    assert isinstance(found, StoreMissing)
    assert "check the name, or create the bucket first" in str(found.hint)


def test_settings_change_the_hint():
    denied = HttpStatusError(403, "AccessDenied")
    assert "requester" not in of(denied, requester_pays=True)[1]
    message, hint = of(denied, anonymous=True)
    assert "denied access without credentials" in message
    assert "#aws.profile=NAME" in hint


def test_headers_of_a_response():
    answer = {"ResponseMetadata": {"HTTPHeaders": {"etag": "e"}}}
    assert headers_of(answer) == {"etag": "e"}
    assert headers_of({}) == {}
