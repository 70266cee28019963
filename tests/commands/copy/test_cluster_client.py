"""Connections to a Dask cluster, and the results of its workers."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from ncz.commands.copy.cluster_client import connect, result_of, threads_of
from ncz.errors import CodecError, NczError


def client(error: Exception | None) -> Any:
    """Return a module with a class of clients that fails, or not."""

    def make(address: str, **options: Any) -> tuple[str, dict[str, Any]]:
        if error is not None:
            raise error
        return address, options

    return SimpleNamespace(Client=make)


def test_a_client_does_not_become_the_default(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", client(None))
    address, options = connect("tcp://h:1")
    assert address == "tcp://h:1"
    assert options["set_as_default"] is False


@pytest.mark.parametrize("error", [OSError("timed out"), ValueError("no such protocol")])
def test_a_scheduler_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, error: Exception):
    monkeypatch.setitem(sys.modules, "distributed", client(error))
    with pytest.raises(NczError) as caught:
        connect("tcp://h:1")
    text = f"tcp://h:1: the Dask scheduler does not answer: {error}; check --dask"
    assert str(caught.value) == text


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NczError, match="--dask needs the package distributed; pip install"):
        connect("tcp://h:1")


@pytest.mark.parametrize(("threads", "count"), [({"a": 2, "b": 3}, 5), ({}, 1)])
def test_threads_of_all_workers(threads: dict[str, int], count: int):
    assert threads_of(SimpleNamespace(nthreads=lambda: threads)) == count


def test_a_worker_that_fails_is_an_error_of_its_address():
    def future(error: Exception) -> Any:
        def result() -> None:
            raise error

        return SimpleNamespace(result=result)

    assert result_of(SimpleNamespace(result=lambda: 5), "tcp://h:1") == 5
    with pytest.raises(CodecError, match=r"^damaged$"):
        result_of(future(CodecError("damaged")), "tcp://h:1")
    with pytest.raises(NczError, match="tcp://h:1: a worker failed: MemoryError: too large"):
        result_of(future(MemoryError("too large")), "tcp://h:1")
