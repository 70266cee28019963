"""The proxies and passwords that the user's environment names for web servers."""

from __future__ import annotations

import base64
import os
import sys
from urllib.parse import SplitResult, unquote, urlsplit

from ncz.errors import ZmapError
from ncz.record import record

PORTS = {"http": 80, "https": 443}


@record
class Proxy:
    """A proxy: its host and port, and the user's authorization."""

    host: str
    port: int
    authorization: str | None

    @property
    def url(self) -> str:
        """The URL of the proxy, without the password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def headers(self) -> dict[str, str]:
        """The headers of requests to the proxy."""
        return {"Proxy-Authorization": self.authorization} if self.authorization else {}


def find_proxy(scheme: str, host: str) -> Proxy | None:
    """Return the proxy for a server, as the environment or the system names it; None for none."""
    is_set = any(name.lower().endswith("_proxy") for name in os.environ)
    if not is_set and sys.platform not in ("darwin", "win32"):  # these have separate settings
        return None
    from urllib.request import getproxies, proxy_bypass  # it takes 10 ms to import

    url = getproxies().get(scheme)
    if not url or proxy_bypass(host):
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        named, port = parts.hostname, parts.port or PORTS["http"]
    except ValueError:
        named, port = None, 0
    if parts.scheme != "http" or not named:
        raise ZmapError(
            f"the proxy for {scheme}: cannot be used", f"{parts.scheme}://{named or ''}",
            f"set {scheme.upper()}_PROXY to a URL that starts with http://",
        )  # fmt: skip
    return Proxy(named, port, _basic_of(parts))


def authorization(parts: SplitResult) -> str | None:
    """Return the ``Authorization`` for a URL, from the URL itself or from the netrc file."""
    return _basic_of(parts) or _from_netrc(parts)


def _basic_of(parts: SplitResult) -> str | None:
    if parts.username is None and parts.password is None:
        return None
    return _basic(unquote(parts.username or ""), unquote(parts.password or ""))


def _from_netrc(parts: SplitResult) -> str | None:
    """Return the entry of the netrc file for a host; None if the file cannot be read.

    NETRC names the file, or else HTTP.NETRC in netcdf-c's files in the home folder.
    """
    from ncz.zmap.rc_files import NETRC, read_rc_files

    host = parts.hostname or ""
    name = "_netrc" if sys.platform == "win32" else ".netrc"
    named = os.environ.get("NETRC") or read_rc_files(parts.geturl(), os.environ).values.get(NETRC)
    path = os.path.expanduser(named or os.path.join("~", name))
    if not os.path.isfile(path):
        return None
    import netrc

    try:
        found = netrc.netrc(path).authenticators(host)
    except (OSError, ValueError, netrc.NetrcParseError):
        return None
    return _basic(found[0] or found[1] or "", found[2] or "") if found else None


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
