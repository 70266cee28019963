"""Amazon's host names for S3, in every partition.

The names of partitions, their regions and their domains come from botocore's table, which is read
without importing botocore, and only for a host that looks like one of Amazon's.

============================================  ============================================
``s3.REGION``, ``s3-REGION``, ``s3``          the bucket is in the path or before the host
``s3-fips.REGION``, ``s3.dualstack.REGION``   the same, by other networks
``s3-accelerate``                             the bucket must be before the host
``NAME-ACCOUNT.s3-accesspoint.REGION``        an access point, which leads to a bucket
``bucket.vpce-ID.s3.REGION.vpce``             an endpoint in a private network
============================================  ============================================

Other endpoints have another protocol or signature and are refused: websites, control, Outposts,
Object Lambda, directory buckets and multi-Region access points.

Source: Amazon S3 User Guide, "Making requests", "Virtual hosting", "Access points",
"PrivateLink"; AWS General Reference, "Amazon S3 endpoints"; botocore's ``partitions.json``.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from ncz.errors import UrlError
from ncz.record import record

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
reason, and a substitute."""

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
    """Return the end of a host name with the kind of its endpoint."""
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
