"""One command measured: wall time of the whole process, and its peak memory, children included."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of wall time, and bytes of the largest process at its largest."""

    seconds: float
    memory: int


def measure(command: list[str], output: Path | None = None) -> Measured:
    """Run a command to its end, its output to a file or nowhere. Raises if it fails."""
    with open(output or os.devnull, "wb") as out:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE)
        assert process.stderr is not None
        told = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {told.decode(errors='replace')}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(seconds, used.ru_maxrss * unit)


def best(runs: list[Measured]) -> Measured:
    """The shortest time, and the most memory."""
    return Measured(min(r.seconds for r in runs), max(r.memory for r in runs))
