"""The forms of URLs of S3: the bucket, the key, the server and the region.

=============  =====================================================================
s3             ``s3://BUCKET/KEY``
path           ``https://s3.REGION.amazonaws.com/BUCKET/KEY``
virtual        ``https://BUCKET.s3.REGION.amazonaws.com/KEY``
other          ``https://HOST:PORT/BUCKET/KEY``
Google         ``https://storage.googleapis.com/BUCKET/KEY``
gs3            ``gs3://BUCKET/KEY``
=============  =====================================================================

A host ``BUCKET.s3.REGION.example.com`` is virtual too. If the URL has no region, it comes
from the fragment's ``aws.region``, then from the environment, and is us-east-1 by default.

Source: netcdf-c's internals, "S3 Rebuild", and the host names of Amazon and Google.
"""

from __future__ import annotations

import os
import re

from ncz.errors import UrlError
from ncz.zmap.amazon_hosts import amazon_host, amazon_name, is_amazon

GOOGLE = "storage.googleapis.com"
_LIKE_S3 = re.compile(r"(?:(?P<bucket>.+)\.)?(?P<host>s3\.[a-z0-9-]+\..+)", re.IGNORECASE)
_REGION = re.compile(r"[A-Za-z0-9_-]+")


def is_google(host: str) -> bool:
    """Return whether `host` is Google's object store."""
    return host == GOOGLE or host.endswith("." + GOOGLE)


def names_no_server(url: str) -> bool:
    """Return whether `url` is ``s3://BUCKET/KEY`` or ``gs3://BUCKET/KEY``, without a host."""
    protocol, _, rest = url.partition("://")
    host = rest.partition("/")[0].lower().partition(":")[0]
    return protocol in ("s3", "gs3") and not (is_amazon(host) or is_google(host))


def check_region(region: str, location: str) -> str:
    """Return the region if it can be part of a host name; raise `UrlError` otherwise."""
    if not _REGION.fullmatch(region):
        raise UrlError("the region is not valid", location, "a region is a name such as us-east-1")
    return region


def path_form(url: str, region: str | None, location: str) -> str:
    """Convert an S3 URL without a query to the path form; a trailing slash is removed.

    The key of ``s3://BUCKET/KEY`` is taken unchanged, as other programs take it: ``%20`` is not a
    space. The key of an ``https:`` URL is encoded.

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
        If the URL has no bucket, or its host is not an endpoint for objects.
    """
    protocol, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    region = check_region(region or _region(), location)
    if names_no_server(url):
        from urllib.parse import quote

        bucket, path = host, quote(path, safe="/:,@+~ ", errors="surrogateescape")
        host = GOOGLE if protocol == "gs3" else amazon_name(region)
    else:
        bucket, host = _split_host(host, region, location)
    address = re.sub("/+", "/", f"{bucket}/{path}").strip("/")
    if not address:
        raise UrlError("the URL has no bucket", location, "write s3://bucket/key")
    scheme = "http" if protocol == "http" else "https"
    return f"{scheme}://{host}/{address}"


def _split_host(host: str, region: str, location: str) -> tuple[str, str]:
    """Return the bucket in the host, or "", and the host without it."""
    name, colon, port = host.partition(":")
    if is_google(name.lower()):
        return name[: -len(GOOGLE)].rstrip("."), GOOGLE
    amazon = amazon_host(name.lower(), region, location)
    if amazon:
        return name[: len(amazon.bucket)], f"{amazon.host}{colon}{port}"
    like = _LIKE_S3.fullmatch(name)
    if like:
        return like["bucket"] or "", f"{like['host']}{colon}{port}"
    return "", host


def _region() -> str:
    named = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    return named or "us-east-1"
