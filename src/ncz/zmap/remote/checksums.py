"""Compare the bytes of whole objects with the checksums that a server states.

S3 states the MD5 of an object that was sent in one piece as its ETag, unless a key of the user or
of a key service encrypts it. Some servers state other checksums in headers.

Sources: Amazon S3's API reference ("Object", "Checking object integrity"); Google Cloud Storage's
"x-goog-hash"; RFC 1864 for Content-MD5.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Mapping

from ncz.zmap.remote.request_errors import InvalidResponseError
from ncz.zmap.remote.retry_policy import RetryPolicy

_MD5 = re.compile(r"[0-9a-f]{32}")
_KEYED = ("aws:kms", "aws:kms:dsse")


class WrongBytesError(InvalidResponseError):
    """An object's bytes do not have the checksum that the server states."""

    hint = (
        "restore the object; for a server with ETags that are not MD5 checksums, add #checksums=off"
    )

    def __init__(self, name: str) -> None:
        super().__init__(f"the bytes do not match the {name} that the server states")

    def reason(self, server: str, policy: RetryPolicy) -> str:
        """Return a message; see `RequestError.reason`."""
        return str(self)


def md5_of(value: bytes) -> bytes:
    """Return the MD5 of an object, which is a checksum here and protects nothing."""
    return hashlib.md5(value, usedforsecurity=False).digest()


def is_md5(etag: str) -> bool:
    """Return whether an ETag has the form of an MD5; an object in parts has another form."""
    return bool(_MD5.fullmatch(etag.strip('"')))


def matches_etag(value: bytes, etag: str) -> bool:
    """Return False if an ETag has the form of an MD5, but is not the MD5 of the bytes."""
    return not is_md5(etag) or md5_of(value).hex() == etag.strip('"')


def check_s3(value: bytes, headers: Mapping[str, str], bucket: str) -> None:
    """Raise `WrongBytesError` if a whole object of S3 contradicts the headers of its response.

    Names of headers are in lower case.
    """
    encryption = headers.get("x-amz-server-side-encryption", "")
    has_md5 = (
        encryption not in _KEYED
        and "x-amz-server-side-encryption-customer-algorithm" not in headers
        and not bucket.endswith("--x-s3")  # the ETags of directory buckets are random
    )
    if has_md5 and not matches_etag(value, headers.get("etag", "")):
        raise WrongBytesError("ETag")
    check_headers(value, headers)


def check_headers(value: bytes, headers: Mapping[str, str]) -> None:
    """Raise `WrongBytesError` if a whole object contradicts a checksum in its headers."""
    for name, compute, stated in _checksums(headers):
        try:
            expected = base64.b64decode(stated, validate=True)
        except ValueError:
            continue  # the checksum of the parts, or nothing known
        if compute(value) != expected:
            raise WrongBytesError(name)


def _checksums(
    headers: Mapping[str, str],
) -> Iterator[tuple[str, Callable[[bytes], bytes], str]]:
    for name, compute in (
        ("content-md5", md5_of),
        ("x-amz-checksum-crc32", _crc32),
        ("x-amz-checksum-crc32c", _crc32c),
    ):
        if name in headers:
            yield name, compute, headers[name]
    for part in headers.get("x-goog-hash", "").split(","):
        kind, _, stated = part.strip().partition("=")
        if kind == "crc32c":
            yield "x-goog-hash", _crc32c, stated


def _crc32(value: bytes) -> bytes:
    return zlib.crc32(value).to_bytes(4, "big")


def _crc32c(value: bytes) -> bytes:
    import google_crc32c

    return int(google_crc32c.value(value)).to_bytes(4, "big")
