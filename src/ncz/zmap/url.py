"""Errors in URLs, and secrets that messages must not show."""

from __future__ import annotations

import re

from ncz.zmap.kinds import KIND_OF_PROTOCOL, TRANSPORTS

_PROTOCOLS = ("file", *KIND_OF_PROTOCOL)
_MISSPELLED = r"(.+\.)?s2\.([a-z0-9-]+\.amazonaws\.com(?:\.cn)?)"
"""Hosts of S3 as the documents of NCZarr have them."""
_USER = r"(?<=://)[^/?#]*@"
_PASSWORD = r"(?s)(?<=://)[^/?#@\[\]]*:(?!\d*(?:[/?#:]|\Z)).*"


def fault(protocol: str, address: str, *, chained: bool) -> tuple[str, str | None] | None:
    """Return the reason that a URL cannot name a store, with a hint; None if it can.

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
        return f"{protocol}: is not a store by itself", hint
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
