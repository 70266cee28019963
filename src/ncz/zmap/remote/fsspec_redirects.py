"""Check redirects of web servers that fsspec reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def only_redirects_to(check: Callable[[str], None]) -> dict[str, object]:
    """Return options of fsspec's file system for HTTP that let `check` permit each redirect.

    Parameters
    ----------
    check
        Called with the URL of each redirect; raises for one that is not permitted.
    """
    try:
        from aiohttp import TraceConfig
    except ImportError:
        return {}  # the file system cannot be opened either

    async def check_redirect(session: object, context: object, parameters: Any) -> None:
        check(str(_target(parameters.response)))

    trace = TraceConfig()
    trace.on_request_redirect.append(check_redirect)
    return {"client_kwargs": {"trace_configs": [trace]}}


def _target(response: Any) -> Any:
    """Return the target of a redirect."""
    import yarl

    return response.url.join(yarl.URL(response.headers.get("Location", "")))
