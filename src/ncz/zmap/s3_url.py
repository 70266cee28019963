"""The forms of S3 URLs, and their conversion to the path form ``https://HOST/BUCKET/KEY``.

There are four forms, and two of Google's:

=========  ===================================================
virtual    ``https://BUCKET.s3.REGION.amazonaws.com/KEY``
path       ``https://s3.REGION.amazonaws.com/BUCKET/KEY``
s3         ``s3://BUCKET/KEY``
other      ``https://HOST:PORT/BUCKET/KEY``
Google     ``https://storage.googleapis.com/BUCKET/KEY``
gs3        ``gs3://BUCKET/KEY``
=========  ===================================================

A host ``BUCKET.s3.REGION.example.com`` is virtual too. If the URL has no region, it comes from the
fragment's ``aws.region``, then from the environment, and is us-east-1 by default.

Source: netcdf-c's internals, "S3 Rebuild", and the host names of Amazon and Google.
"""

from __future__ import annotations

import os
import re

from ncz.errors import UrlError

GOOGLE = "storage.googleapis.com"
_S3 = re.compile(r"(?:(?P<bucket>.+)\.)?s3[.-](?:(?P<region>[a-z0-9-]+)\.)?amazonaws\.com")
_LIKE_S3 = re.compile(r"(?:(?P<bucket>.+)\.)?(?P<host>s3\.[a-z0-9-]+\..+)", re.IGNORECASE)


def is_google(host: str) -> bool:
    """Return whether `host` is Google's object store."""
    return host == GOOGLE or host.endswith("." + GOOGLE)


def is_s3_host(host: str) -> bool:
    """Return whether `host` belongs to Amazon."""
    return host.endswith(".amazonaws.com")


def names_no_server(url: str) -> bool:
    """Return whether `url` is ``s3://BUCKET/KEY`` or ``gs3://BUCKET/KEY``, without a host."""
    protocol, _, rest = url.partition("://")
    host = rest.partition("/")[0].lower().partition(":")[0]
    return protocol in ("s3", "gs3") and not (is_s3_host(host) or is_google(host))


def path_form(url: str, region: str | None, location: str) -> str:
    """Convert an S3 URL to the path form; the query is kept, a trailing slash is removed.

    Parameters
    ----------
    url
        The URL in any form.
    region
        The region of the fragment, if it has one.
    location
        The location in messages.

    Raises
    ------
    UrlError
        If the URL has no bucket.
    """
    url, question, query = url.partition("?")
    protocol, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    if names_no_server(url):
        bucket = host
        host = GOOGLE if protocol == "gs3" else f"s3.{region or _region()}.amazonaws.com"
    else:
        bucket, host = _split_host(host, region)
    address = re.sub("/+", "/", f"{bucket}/{path}").strip("/")
    if not address:
        raise UrlError("the URL has no bucket", location, "write s3://bucket/key")
    scheme = "http" if protocol == "http" else "https"
    return f"{scheme}://{host}/{address}{question}{query}"


def _split_host(host: str, region: str | None) -> tuple[str, str]:
    """Return the bucket in the host, or "", and the host without it."""
    name, colon, port = host.partition(":")
    if is_google(name.lower()):
        return name[: -len(GOOGLE)].rstrip("."), GOOGLE
    amazon = _S3.fullmatch(name.lower())
    if amazon:
        found = amazon["region"] or region or _region()
        return name[: len(amazon["bucket"] or "")], f"s3.{found}.amazonaws.com{colon}{port}"
    like = _LIKE_S3.fullmatch(name)
    if like:
        return like["bucket"] or "", f"{like['host']}{colon}{port}"
    return "", host


def _region() -> str:
    named = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    return named or "us-east-1"
