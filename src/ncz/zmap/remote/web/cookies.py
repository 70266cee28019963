"""The cookies that web servers set, such as those of a login."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ncz.zmap.remote.web.response import Response

if TYPE_CHECKING:
    from http.cookiejar import CookieJar


class Cookies:
    """The cookies of the servers of one store; few servers set any."""

    def __init__(self) -> None:
        self._jar: CookieJar | None = None
        self._lock = threading.Lock()

    def note(self, response: Response) -> None:
        """Remember the cookies that a response sets."""
        if "set-cookie" not in response.headers:
            return
        from http.cookiejar import CookieJar  # it takes 10 ms to import
        from urllib.request import Request

        with self._lock:
            self._jar = self._jar or CookieJar()
        self._jar.extract_cookies(response.received, Request(response.url))  # type: ignore[arg-type]

    def headers(self, url: str) -> Mapping[str, str]:
        """Return the header with the cookies for a URL, if there are any."""
        if self._jar is None:
            return {}
        from urllib.request import Request

        request = Request(url)
        self._jar.add_cookie_header(request)
        return dict(request.unredirected_hdrs)
