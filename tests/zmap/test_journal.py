"""Marks of stores that a process has begun to write."""

from __future__ import annotations

import os
import time

import pytest

from ncz.errors import ZmapError
from ncz.zmap.journal import begun_at, mark_of, refuse_running


def test_a_mark_says_who_began_and_when():
    before = time.time_ns()
    mark = mark_of("print")
    assert before <= begun_at(mark) <= time.time_ns()
    refuse_running(mark, "x.zarr", False)  # by this process itself
    other = mark.replace(str(os.getpid()).encode(), str(os.getppid()).encode())
    with pytest.raises(ZmapError, match=f"process {os.getppid()} is writing this store"):
        refuse_running(other, "x.zarr", True)


@pytest.mark.parametrize("end", [b"", b"x", b"9" * 5000, "²".encode(), b"-1"])
def test_a_mark_that_others_wrote_says_nothing(end: bytes):
    assert begun_at(b"print\nhost 1\n" + end) == 0
    mark = b"print\nhost " + end + b"\n1"
    refuse_running(mark, "x.zarr", True)
    with pytest.raises(ZmapError, match="may still do so"):
        refuse_running(mark, "x.zarr", False)
