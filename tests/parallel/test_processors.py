"""The number of threads."""

from __future__ import annotations

import os

from ncz.parallel.processors import cores, threads_for


def test_more_threads_wait_for_a_server_than_compute(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 5}, raising=False)
    assert (cores(), threads_for(is_remote=False), threads_for(is_remote=True)) == (3, 3, 32)


def test_systems_without_affinity_count_all_processors(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert cores() == 5
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1
