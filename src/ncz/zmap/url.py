"""URLs: what is wrong with one, what in it is secret, and the forms and hosts of S3.

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

import functools
import os
import re
from typing import Any

from ncz.errors import UrlError
from ncz.record import record
from ncz.zmap.kinds import KIND_OF_PROTOCOL, TRANSPORTS

# What is wrong with a URL, and what in it is secret.

_PROTOCOLS = ("file", *KIND_OF_PROTOCOL)
_MISSPELLED = r"(.+\.)?s2\.([a-z0-9-]+\.amazonaws\.com(?:\.cn)?)"
"""Hosts of S3 as the documents of NCZarr have them."""
_USER = r"(?<=://)[^/?#]*@"
_PASSWORD = r"(?s)(?<=://)[^/?#@\[\]]*:(?!\d*(?:[/?#:]|\Z)).*"


def fault(protocol: str, address: str, *, chained: bool) -> tuple[str, str | None] | None:
    """Return why a URL cannot be that of a store, with a hint; None if it can.

    Parameters
    ----------
    protocol
        Its protocol, in lower case.
    address
        The URL without its fragment.
    chained
        Whether it is a chain of URLs that fsspec understands.
    """
    if protocol in ("reference", "zip") and not chained:
        hint = "write zip://GROUP::URL" if protocol == "zip" else "give the URL of the store"
        return f"{protocol}: is not a store of its own", hint
    if not (protocol in _PROTOCOLS or protocol in TRANSPORTS or _fsspec_knows(protocol)):
        known = f"use {', '.join(_PROTOCOLS)}, or a protocol of fsspec"
        return f"unknown protocol {protocol!r}", known
    if KIND_OF_PROTOCOL.get(protocol) == "memory":
        return None
    rest = address[len(protocol) + 3 :]
    host = host_of(rest)
    if not host and (protocol in _PROTOCOLS or not rest):
        return "the URL has no host or bucket", None
    if misspelled := re.fullmatch(_MISSPELLED, host):
        bucket, rest = misspelled.groups()
        return f"Amazon has no host s2.{rest}", f"write {bucket or ''}s3.{rest}"
    if _has_password(address, any_user=protocol in _PROTOCOLS):
        return "a URL cannot contain a password", "use a credentials file"
    if protocol in ("http", "https") and host.count("[") != host.count("]"):
        return "the host of the URL is not valid", None
    return None


def host_of(rest: str) -> str:
    """Return the host, with its port, of a URL without its protocol."""
    return re.split("[/?]", rest, maxsplit=1)[0].lower()


def without_user(text: str) -> str:
    """Return a URL, which need not be valid, without its user, password, query and fragment."""
    text = re.sub(_PASSWORD, "***", text) if "@" in text else text
    return re.sub(_USER, "***@", re.split("[?#]", text, maxsplit=1)[0])


def _has_password(address: str, *, any_user: bool) -> bool:
    """Return whether a URL of a chain has a password, or with `any_user` a user."""
    for part in address.split("::"):
        authority = re.sub(r"\A.*?://", "", part)
        authority = re.split("[/?]", authority, maxsplit=1)[0]
        user, at, _ = authority.rpartition("@")
        if at and (any_user or ":" in user):
            return True
        if "@" in part and re.search(_PASSWORD, part):
            return True
    return False


def _fsspec_knows(protocol: str) -> bool:
    try:
        from fsspec.registry import known_implementations, registry
    except ImportError:
        return False
    name = protocol.removeprefix("fsspec+")
    return name in known_implementations or name in registry


# Amazon's host names for S3, in every partition.
#
# The names of partitions, their regions and their domains come from botocore's table, which is read
# without importing botocore, and only for a host that looks like one of Amazon's.
#
# ============================================  ============================================
# ``s3.REGION``, ``s3-REGION``, ``s3``          the bucket is in the path or before the host
# ``s3-fips.REGION``, ``s3.dualstack.REGION``   the same, by other networks
# ``s3-accelerate``                             the bucket must be before the host
# ``NAME-ACCOUNT.s3-accesspoint.REGION``        an access point, which stands for a bucket
# ``bucket.vpce-ID.s3.REGION.vpce``             an endpoint in a private network
# ============================================  ============================================
#
# Other endpoints have another protocol or signature and are refused: websites, control, Outposts,
# Object Lambda, directory buckets and multi-Region access points.
#
# Source: Amazon S3 User Guide, "Making requests", "Virtual hosting", "Access points",
# "PrivateLink"; AWS General Reference, "Amazon S3 endpoints"; botocore's ``partitions.json``.

_DEFAULT = "amazonaws.com"
_MARK = re.compile(r"(?:^|\.)s3(?:$|[.-]|express)")
_REFUSED = {
    "s3-website": ("a website endpoint serves pages, not the S3 API", "use s3://BUCKET/KEY"),
    "s3-control": ("this endpoint manages buckets and has no objects", "use s3://BUCKET/KEY"),
    "control.vpce": ("this endpoint manages buckets and has no objects", "use bucket.vpce-..."),
    "s3-object-lambda": ("S3 Object Lambda is not supported", "use the bucket's own endpoint"),
    "s3-outposts": ("S3 on Outposts is not supported", "copy the objects to a bucket of a region"),
    "s3express": ("directory buckets (S3 Express) are not supported", "use a general bucket"),
    "s3-global": (
        "multi-Region access points are not supported, because they need signatures of type 4A",
        "use a bucket or an access point of one region",
    ),
}
"""The endpoints that are not for objects, or need another signature: a part of the name, the
reason, and what to use."""

_PATTERNS = (
    # The parts are the bucket, the host without the domain, and the region.
    r"(?:(?P<bucket>.+)\.)?(?P<host>s3(?:-fips)?(?:\.dualstack)?\.(?P<region>[a-z0-9-]+))",
    r"(?:(?P<bucket>.+)\.)?(?P<legacy>s3)",
    r"(?:(?P<bucket>.+)\.)?(?P<host>s3-accelerate(?:\.dualstack)?)",
    r"(?:(?P<bucket>.+)\.)?"
    r"(?P<host>s3-accesspoint(?:-fips)?(?:\.dualstack)?\.(?P<region>[a-z0-9-]+))",
    r"(?:(?P<bucket>.+)\.)?"
    r"(?P<host>(?:bucket|accesspoint)\.vpce-[a-z0-9-]+\.s3\.(?P<region>[a-z0-9-]+)\.vpce)",
    r"(?:(?P<bucket>.+)\.)?(?P<legacy>s3-(?P<fips>fips-)?(?P<region>[a-z0-9-]+))",
)


@record
class AmazonHost:
    """A host of Amazon's: the bucket before it, the endpoint, and the region that it names.

    `path_style` is false if the bucket must be before the host. `region` is None if the host does
    not name it.
    """

    host: str
    bucket: str = ""
    region: str | None = None
    path_style: bool = True


def is_amazon(host: str) -> bool:
    """Return whether `host` is one of Amazon's hosts for S3, supported or not."""
    host = host.lower()
    return bool(_MARK.search(host)) and _domain(host) is not None


def amazon_name(region: str) -> str:
    """Return the host of S3 in a region."""
    if re.fullmatch(r"(us|eu|ap|sa|ca|me|af|il|mx)-\w+-\d", region):  # spares reading the table
        return f"s3.{region}.{_DEFAULT}"
    partition = next((p for p in _partitions() if p.has(region)), None)
    return f"s3.{region}.{partition.domain if partition else _DEFAULT}"


def amazon_host(host: str, region: str, location: str) -> AmazonHost | None:
    """Parse a host of Amazon's; None if it is not one.

    Parameters
    ----------
    host
        The host in lower case, without a port.
    region
        The region if the host does not name one.
    location
        The location in messages.

    Raises
    ------
    UrlError
        If the host is not an endpoint for objects, or names a region that does not exist.
    """
    partition = _domain(host) if _MARK.search(host) else None
    if partition is None:
        return None
    name = host.removesuffix(f".{partition.domain}")
    last = _last_part(name)
    for part, (reason, hint) in _REFUSED.items():
        if part in last:
            raise UrlError(reason, location, hint)
    for pattern in _PATTERNS:
        found = re.fullmatch(pattern, name)
        if found:
            break
    else:
        raise UrlError("this is not a known endpoint of Amazon S3", location, "use s3://BUCKET/KEY")
    parts = found.groupdict()
    named = parts.get("region")
    if parts.get("legacy"):
        if named == "external-1":
            named = "us-east-1"
        kind = "s3-fips" if parts.get("fips") else "s3"
        endpoint = f"{kind}.{named or region}"
    else:
        endpoint = parts["host"]
    if (named or parts.get("legacy")) and not partition.has(named or region):
        raise UrlError(
            f"{partition.domain} has no region {named or region!r}", location,
            "check the host name, or add #aws.region=REGION",
        )  # fmt: skip
    return AmazonHost(
        host=f"{endpoint}.{partition.domain}",
        bucket=parts["bucket"] or "",
        region=named or (region if parts.get("legacy") else None),
        path_style=not endpoint.startswith(("s3-accelerate", "s3-accesspoint", "accesspoint.")),
    )


def _last_part(name: str) -> str:
    """Return the end of a host name that says what kind of endpoint it is."""
    # A bucket's name may contain anything, so the search begins at the last part of its kind.
    vpce = re.search(r"[a-z]+\.vpce-[a-z0-9-]+\.s3\.[a-z0-9-]+\.vpce\Z", name)
    if vpce:
        return vpce[0]
    starts = [found.start() for found in _MARK.finditer(name)]
    return name[starts[-1] :] if starts else name


@record
class _Partition:
    domain: str
    regions: frozenset[str]
    pattern: str

    def has(self, region: str) -> bool:
        return region in self.regions or bool(re.fullmatch(self.pattern, region))


def _domain(host: str) -> _Partition | None:
    """Return the partition of a host; the pattern of a region decides between equal domains."""
    fitting = [p for p in _partitions() if host.endswith(f".{p.domain}")]
    named = set(re.split(r"[.]|s3-(?:fips-)?", host))
    return next(
        (p for p in fitting if any(p.has(part) for part in named)), fitting[0] if fitting else None
    )


@functools.cache
def _partitions() -> tuple[_Partition, ...]:
    """Read botocore's table of partitions, without importing botocore."""
    import json
    import os
    from importlib.util import find_spec

    spec = find_spec("botocore")
    for folder in (spec and spec.submodule_search_locations) or ():
        try:
            with open(os.path.join(folder, "data", "partitions.json"), encoding="utf-8") as file:
                table: Any = json.load(file)
            return tuple(
                _Partition(
                    entry["outputs"]["dnsSuffix"],
                    frozenset(name for name in entry["regions"] if not name.endswith("-global")),
                    entry["regionRegex"].strip("^$"),
                )
                for entry in table["partitions"]
            )
        except (OSError, ValueError, KeyError):
            continue
    return (
        _Partition(_DEFAULT, frozenset(), r"[a-z]{2}-(?:gov-)?\w+-\d+"),
        _Partition(f"{_DEFAULT}.cn", frozenset(), r"cn-\w+-\d+"),
    )


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

    The key of ``s3://BUCKET/KEY`` is taken as it is, as other programs take it: ``%20`` is not a
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
