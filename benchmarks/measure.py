"""Measure the wall time of a command, and its peak memory including that of its children."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measured:
    """Wall time in seconds, and peak memory of the largest process in bytes."""

    seconds: float
    memory: int


def measure(command: list[str], output: Path | None = None) -> Measured:
    """Run a command, with its output in a file or discarded. Raise an error if it fails."""
    with open(output or os.devnull, "wb") as out:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE)
        assert process.stderr is not None
        told = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {told.decode(errors='replace')[-2000:]}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(seconds, used.ru_maxrss * unit)


def best(runs: list[Measured]) -> Measured:
    """Return the shortest time and the largest memory."""
    return Measured(min(r.seconds for r in runs), max(r.memory for r in runs))
