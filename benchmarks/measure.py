"""Measure the wall time and the peak memory of a command with its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_LONGEST = 1800
"""The time limit of a command, in seconds."""

_START = """import os, sys, time
out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
begun = time.perf_counter()
pid = os.posix_spawnp(
    sys.argv[2], sys.argv[2:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)]
)
_, status, used = os.wait4(pid, 0)
seconds = time.perf_counter() - begun
print(seconds, used.ru_maxrss, os.waitstatus_to_exitcode(status))
"""
"""Starts a command, and prints its time, its memory and its exit code.

A new process counts the memory of the one that starts it as its own, until it runs another program.
So a small process of about 10 MB starts each command, and no figure is smaller than that.
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """Wall time in seconds, and peak memory of the largest process in bytes."""

    seconds: float
    memory: int


def measure(command: list[str], output: Path | None = None) -> Measured:
    """Run a command, with its output in a file or discarded. Raise an error if it fails."""
    start = [sys.executable, "-I", "-S", "-c", _START, str(output or os.devnull), *command]
    with subprocess.Popen(
        start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            told, errors = process.communicate(timeout=_LONGEST)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)  # the command too
            raise
    seconds, memory, code = told.split() or (b"0", b"0", b"1")
    if int(code):
        raise RuntimeError(f"{' '.join(command)} failed: {errors.decode(errors='replace')[-2000:]}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(float(seconds), int(memory) * unit)


def best(runs: list[Measured]) -> Measured:
    """Return the shortest time and the largest memory."""
    return Measured(min(r.seconds for r in runs), max(r.memory for r in runs))
