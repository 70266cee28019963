"""Redirects of web servers that fsspec follows."""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace

import pytest

from ncz.zmap.remote.fsspec_redirects import only_redirects_to

aiohttp = pytest.importorskip("aiohttp")


@pytest.mark.parametrize(
    ("target", "checked"),
    [
        ("https://other.org/b", "https://other.org/b"),
        ("/b?c=1", "https://example.org/b?c=1"),
        ("b", "https://example.org/folder/b"),
        ("", "https://example.org/folder/a"),
    ],
)
def test_the_target_is_checked_before_it_is_asked(target: str, checked: str):
    import yarl

    seen: list[str] = []
    options = only_redirects_to(seen.append)
    (trace,) = options["client_kwargs"]["trace_configs"]  # type: ignore[index]
    trace.freeze()
    headers = {"Location": target} if target else {}
    response = SimpleNamespace(url=yarl.URL("https://example.org/folder/a"), headers=headers)
    parameters = SimpleNamespace(response=response)
    asyncio.run(trace.on_request_redirect.send(None, None, parameters))
    assert seen == [checked]


def test_without_aiohttp_there_is_nothing_to_check(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    assert only_redirects_to(lambda _: None) == {}
