"""The programs keep freed memory, so that the next arrays need no new pages of the system."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

FAULTS = """
import resource
import ncz.cli

ncz.cli._begin()
for _ in range(5):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [bytearray(b"x") * (1 << 20) for _ in range(10)]
    del arrays
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has this limit")
def test_freed_memory_is_used_again() -> None:
    """Ten objects of 1 MiB, 2,560 pages, take their memory from the ten before."""
    asked = [sys.executable, "-c", FAULTS]
    # Dask sets limits of glibc for processes that it starts, and leaves them in the environment.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    done = subprocess.run(
        asked, capture_output=True, text=True, check=True, timeout=60, env=environment
    )
    assert int(done.stdout) < 50
