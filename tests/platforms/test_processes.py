"""Other processes: on systems where a signal would end them, no signal tests whether they run."""

from __future__ import annotations

import os

import pytest

from ncz.errors import ZmapError
from ncz.zmap.journal import mark_of, refuse_running
from tests.platforms.systems import SYSTEMS


def test_nobody_is_signalled_on_windows(tmp_path, monkeypatch):
    other = mark_of("").replace(str(os.getpid()).encode(), b"1")
    SYSTEMS["windows"](monkeypatch, tmp_path)
    sent: list[int] = []
    monkeypatch.setattr(os, "kill", lambda *arguments: sent.append(*arguments))
    with pytest.raises(ZmapError, match=r"process 1 on .* began to write this store") as raised:
        refuse_running(other, "s3://bucket/key", force=False)
    assert str(raised.value).endswith("; use --force if it has ended")
    refuse_running(other, "s3://bucket/key", force=True)
    assert sent == []


def test_elsewhere_a_process_that_runs_cannot_be_forced():
    with pytest.raises(ZmapError, match="process 1 is writing this store"):
        refuse_running(mark_of("").replace(str(os.getpid()).encode(), b"1"), "x", force=True)
