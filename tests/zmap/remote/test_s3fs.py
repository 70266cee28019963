"""Stores on S3 that are collected as garbage: nothing waits for the end of their connections."""

from __future__ import annotations

import gc
import sys
import threading

import pytest

from ncz.zmap.location import parse_location
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.s3fs import S3Objects

s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed")


@pytest.mark.parametrize("closes", [True, False])
def test_a_collected_store_is_not_waited_for(s3, monkeypatch, closes):
    """A finalizer of s3fs would wait for a loop that may wait for a lock of this thread."""
    waited = []
    monkeypatch.setattr(s3fs.S3FileSystem, "close_session", lambda *args: waited.append(args))
    monkeypatch.setitem(sys.modules, "obstore", None)  # s3fs alone
    objects = connect(parse_location(f"{s3}#mode=s3"), RetryPolicy())[0]
    assert isinstance(objects, S3Objects)
    assert objects.get("nothing", 10) is None
    client, closed = objects._client, threading.Event()
    close = client.close

    async def closing():
        await close()
        closed.set()

    client.close = closing
    if closes:
        objects.close()
    del objects
    gc.collect()
    assert closed.wait(60)
    assert waited == []
