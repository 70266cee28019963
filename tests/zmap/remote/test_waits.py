"""Waits for other threads end."""

from __future__ import annotations

import threading

import pytest

from ncz.zmap.remote.waits import result_within


def test_a_call_that_does_not_end_is_left_to_itself():
    end = threading.Event()
    with pytest.raises(TimeoutError):
        result_within(0.05, end.wait)
    end.set()


def test_a_call_gives_its_result_or_its_error():
    assert result_within(10, lambda: 7) == 7
    with pytest.raises(ValueError, match="invalid literal"):
        result_within(10, lambda: int("x"))
