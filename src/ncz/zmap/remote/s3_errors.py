"""The meaning of failed requests to S3."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.remote.credentials import S3Settings, no_alias
from ncz.zmap.remote.library_errors import is_of
from ncz.zmap.remote.request_errors import HttpStatusError, is_denied, unreachable
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.s3_redirects import redirect_of

_WRONG_KEYS = (
    "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "AuthFailure",
    "InvalidSecurity", "TokenRefreshRequired", "NotSignedUp",
)  # fmt: skip
_WRONG_REGION = (
    "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException",
    "301", "307", "TemporaryRedirect",
)  # fmt: skip


def storage_error(
    error: Exception, location: str, action: str, settings: S3Settings, retry_policy: RetryPolicy
) -> ZmapError:
    """Return the error for a response of S3; see `ObjectStore.storage_error`."""
    answer = error if isinstance(error, HttpStatusError) else HttpStatusError(0)
    code = answer.code
    server = settings.endpoint
    other = redirect_of(answer.headers)
    if other and not _region_of(answer):
        return ZmapError(
            f"cannot {action}: {server} redirects to {other}", location,
            "S3 servers that redirect are not read",
        )  # fmt: skip
    # s3://NAME/... may be meant for an alias that does not exist.
    looked = f"; {no_alias(settings, 2)}" if settings.not_alias else ""
    if code == "NoSuchBucket":
        return StoreMissing(
            f"the bucket {settings.bucket} does not exist at {server}", location,
            f"check the name, or create the bucket first{looked}",
        )  # fmt: skip
    if code in _WRONG_KEYS:
        late = " (they have expired)" if code == "ExpiredToken" else ""
        return ZmapError(
            f"{server} rejected the credentials{late}", location, f"check {settings.source}"
        )
    # botocore recurses without end on a redirect that does not name a region.
    if code in _WRONG_REGION or isinstance(error, RecursionError):
        region = _region_of(answer)
        return ZmapError(
            f"the bucket is not in the region {settings.region}", location,
            f"add #aws.region={region or 'REGION'}",
        )  # fmt: skip
    if settings.anonymous and (is_denied(error) or code in ("401", "UnsupportedAlgorithm")):
        return ZmapError(
            f"cannot {action}: {server} denied access without credentials ({code})",
            location,
            "name a profile (#aws.profile=NAME) or set AWS_ACCESS_KEY_ID and"
            f" AWS_SECRET_ACCESS_KEY; a missing object may give the same error{looked}",
        )  # fmt: skip
    if is_denied(error):
        return ZmapError(
            f"cannot {action}: {server} denied access ({code})", location,
            f"check {settings.source}; a missing object may give the same error"
            f"{_of_payer(settings)}{looked}",
        )  # fmt: skip
    if _is_any(error, "NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError"):
        return ZmapError("no credentials were found", location, f"check {settings.source}")
    if _is_any(error, "ParamValidationError") or code == "InvalidBucketName":
        return ZmapError(
            f"{settings.bucket!r} is not a valid bucket name", location,
            f"check the URL{looked}",
        )  # fmt: skip
    if _is_any(error, "ProfileNotFound", "ConfigParseError", "MissingDependencyException"):
        return ZmapError(str(error), location, f"check {settings.source}")
    return unreachable(error, location, action, server, retry_policy)


def _of_payer(settings: S3Settings) -> str:
    """Return the end of a hint for buckets where the requester pays."""
    if settings.requester_pays:
        return ""
    return ", and a bucket whose requester pays needs #aws.requester_pays=true"


def headers_of(answer: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the headers of a response; botocore writes their names in lower case."""
    headers: Mapping[str, str] = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    return headers


def _is_any(error: Exception, *names: str) -> bool:
    """Return whether an error is of one of these classes of botocore."""
    return any(is_of("botocore.exceptions", name, error) for name in names)


def _region_of(answer: HttpStatusError) -> str | None:
    """Return the bucket's region if the response contains it."""
    found = answer.headers.get("x-amz-bucket-region") or answer.details.get("Region")
    stated = re.search(r"expecting '([a-z0-9-]+)'", answer.details.get("Message", ""))
    return found or (stated and stated[1]) or None
