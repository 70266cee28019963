"""Freed memory that glibc keeps in a worker of Dask."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import pytest

from ncz.commands.copy import glibc
from ncz.commands.copy.glibc import keep_freed_memory

Calls = list[tuple[int, int]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """The calls to glibc."""
    calls: Calls = []
    monkeypatch.setattr(glibc, "_mallopt", lambda: lambda *call: calls.append(call))
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    monkeypatch.delenv("MALLOC_MMAP_THRESHOLD_", raising=False)
    return calls


def test_limits_are_raised_and_afterwards_set_as_by_dask(calls: Calls):
    with keep_freed_memory():
        assert calls == [(-3, 32 << 20), (-1, 64 << 20)]
        calls.clear()
    assert calls == [(-3, 128 << 10), (-1, 65536)]


def test_limits_are_restored_after_an_error(calls: Calls):
    def fail() -> None:
        with keep_freed_memory():
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert calls[-1] == (-1, 65536)


@pytest.mark.parametrize(
    ("trim", "mmap"), [(None, None), ("", None), ("-1", None), ("65536", "131072")]
)
def test_limits_of_others_stay(calls: Calls, monkeypatch, trim: str | None, mmap: str | None):
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_")
    for name, value in (("TRIM", trim), ("MMAP", mmap)):
        if value is not None:
            monkeypatch.setenv(f"MALLOC_{name}_THRESHOLD_", value)
    with keep_freed_memory():
        pass
    assert calls == []


def test_another_c_library_has_no_limits(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    glibc._mallopt.cache_clear()
    assert glibc._mallopt() is None
    with keep_freed_memory():
        pass
    glibc._mallopt.cache_clear()
