"""Let s3fs follow no redirects, as boto3 does.

aiohttp would follow them to any server. It removes the signature, but sends the token of temporary
credentials along, and the response of the other server would be taken for data of the store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

_SERVER = re.compile(r"(https?://)(?:[^/?#@]*@)?([\w.:\[\]-]+)", re.ASCII | re.IGNORECASE)


class _Direct:
    """A session of aiohttp that follows no redirects."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def request(self, *arguments: Any, **named: Any) -> Any:
        return self._session.request(*arguments, **named, allow_redirects=False)


@cache
def no_redirects() -> dict[str, Any]:
    """Return options of aiobotocore's configuration; none if it is too old for them."""
    import inspect

    from aiobotocore.config import AioConfig  # type: ignore[import-untyped]
    from aiobotocore.httpsession import AIOHTTPSession  # type: ignore[import-untyped]

    can_choose = "http_session_cls" in inspect.signature(AioConfig.__init__).parameters
    if not (can_choose and hasattr(AIOHTTPSession, "_get_session")):
        return {}

    class DirectSession(AIOHTTPSession):  # type: ignore[misc]
        async def _get_session(self, proxy_url: str | None) -> _Direct:
            return _Direct(await super()._get_session(proxy_url))

    return {"http_session_cls": DirectSession}


def redirect_of(headers: Mapping[str, str]) -> str | None:
    """Return the server of a redirect, without user, path and query."""
    found = _SERVER.match(headers.get("location", ""))
    return f"{found[1]}{found[2]}" if found else None
