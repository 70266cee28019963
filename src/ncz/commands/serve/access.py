"""Requests that a server on this machine answers.

A page of any other site can send requests to the loopback address, and with a name in DNS that
leads there (DNS rebinding) it could read the answers. So the name that a request was sent to is
checked, and the site that it comes from. A server that other machines can reach has a token.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable

from ncz.errors import NczError, option
from ncz.record import record

LOOPBACK = "127.0.0.1"

_PORT = re.compile(r":\d{1,5}\Z")
_ORIGIN = re.compile(r"null|[a-z][a-z0-9+.-]*://[^/\s?#]+", re.IGNORECASE)


class AccessError(NczError, ValueError):
    """An address or an origin that is not valid."""

    exit_code = 2


@record(kw_only=True)
class Access:
    """Who may read.

    Attributes
    ----------
    names
        The names of the server, in lower case. Addresses in numbers are not names.
    is_open
        Whether other machines can reach the server.
    token
        The first part of the path of every request; None if none exists.
    origins
        The sites besides its own whose scripts may read the server's answers.
    """

    names: frozenset[str]
    is_open: bool = False
    token: str | None = None
    origins: frozenset[str] = frozenset()

    def allows_host(self, host: str) -> bool:
        """Return whether a request to this host, with or without a port, is for the server."""
        name = _PORT.sub("", host.lower()).removesuffix(".")
        if name in self.names:
            return True
        address = _address(name.removeprefix("[").removesuffix("]"))
        return address is not None and (self.is_open or address.is_loopback)

    def allows_origin(self, origin: str, host: str) -> bool:
        """Return whether a page of this site may read; a page of the server itself may."""
        return origin in self.origins or origin.lower() == f"http://{host.lower()}"

    def allows_token(self, token: str) -> bool:
        """Return whether this is the token, in a time that does not depend on where it differs."""
        return self.token is None or hmac.compare_digest(token.encode(), self.token.encode())


def access_for(host: str | None, origins: Iterable[str] = (), *, has_token: bool = False) -> Access:
    """Return the permitted readers of a server that listens at an address.

    Parameters
    ----------
    host
        The name or the address that the user gave; None is the loopback address. With any other
        there is a token.
    origins
        The sites whose scripts may read.
    has_token
        Whether there is a token at the loopback address too.

    Raises
    ------
    AccessError
        If an origin is not valid.
    """
    allowed = tuple(origins)
    for origin in allowed:
        if not _ORIGIN.fullmatch(origin):
            raise AccessError(
                f"{option('allow_origin')} {origin!r} is not an origin",
                hint="write https://example.org, without a path",
            )
    is_open = host is not None and not is_loopback(host)
    names = {"localhost"}
    if is_open:
        import socket

        names |= {str(host).lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
    return Access(
        names=frozenset(names),
        is_open=is_open,
        token=secrets.token_urlsafe(24) if has_token or is_open else None,
        origins=frozenset(allowed),
    )


def is_loopback(host: str) -> bool:
    """Return whether only programs on this machine can reach a server at this address."""
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
