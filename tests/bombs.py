"""Run ncz with little memory on stores that were made to fill it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ncz.record import record

MIB = 1 << 20

_PROGRAM = """
import resource, sys
import ncz.cli
from ncz.cli.terminal import run
# What is loaded anyway does not count.
import numcodecs, numpy, ncz.formats.zarr.array.shards, ncz.codec.native, zipfile
def memory(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak starts at what is resident now
before = memory("VmRSS")
try:
    code = run(ncz.cli.ncz, "ncz", sys.argv[1:])
finally:
    print("peak", memory("VmHWM") - before, file=sys.stderr)
sys.exit(code)
"""


@record
class Run:
    """What a command did: exit code, output, errors and the growth of its memory in bytes."""

    code: int
    out: bytes
    error: str
    grown: int


def run(*arguments: str | Path, seconds: int = 60) -> Run:
    """Run ``ncz`` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *map(str, arguments)],
        capture_output=True,
        check=False,
        timeout=seconds,
    )
    *lines, peak = done.stderr.decode().splitlines()
    assert peak.startswith("peak "), done.stderr
    return Run(done.returncode, done.stdout, "\n".join(lines), int(peak.split()[1]))


def is_refused(done: Run, chunk: int = 0) -> bool:
    """Return whether the command ended with one line of error, in the memory that it may have."""
    assert done.code == 1, done
    assert done.error.count("\n") == 0, done.error
    assert done.grown < chunk + 64 * MIB, f"{done.grown >> 20} MiB: {done.error}"
    return True
