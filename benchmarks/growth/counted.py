"""Counts of a command's work: steps of Python, processor time, bytes that it reads, and reads.

The command runs in a fork of a process that has imported the modules of commands, so that start-up,
which does not grow, hides nothing.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import resource
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import ncz

_LONGEST = 100
"""The limit for the processor time of a command, in seconds."""

_TOOL = 4
"""The number of this tool in `sys.monitoring`."""

_LATE = ("numpy", "numpy.ma", "h5py", "numcodecs", "rich.console")


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of a command, with its child processes except for the steps."""

    steps: int
    """Calls and jumps of Python, which are the same in every run."""
    seconds: float
    """Processor time."""
    read: int
    """Bytes that were read, from files and from servers."""
    reads: int
    """System calls that read."""


def import_all() -> None:
    """Import all modules of ncz, and the packages that they import late."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for module in pkgutil.walk_packages(ncz.__path__, "ncz."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)


def count(words: list[str], *, steps: bool = True) -> Counted:
    """Run a command of ncz, and return its counts. Raise `RuntimeError` if it fails.

    Steps are counted in Python 3.12 and later, unless `steps` is False, as it takes a few times as
    long.
    """
    source, sink = os.pipe()
    with tempfile.TemporaryFile() as errors:
        sys.stdout.flush()
        process = os.fork()
        if not process:
            _in_child(words, sink if steps else None, errors.fileno())
        os.close(sink)
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
        lines = Path(f"/proc/{process}/io").read_text().splitlines()
        told = dict(line.split(": ") for line in lines)
        _, status, used = os.wait4(process, 0)
        done = int(os.read(source, 32) or b"0")
        os.close(source)
        code = os.waitstatus_to_exitcode(status)
        if code:
            errors.seek(0)
            text = errors.read().decode(errors="replace")[-500:]
            raise RuntimeError(f"exit code {code}: {text}")
    seconds = used.ru_utime + used.ru_stime
    return Counted(done, seconds, int(told["rchar"]), int(told["syscr"]))


def _in_child(words: list[str], sink: int | None, errors: int) -> None:
    """Run a command without input and output, write the number of its steps, and end."""
    from ncz.cli import ncz as group
    from ncz.cli.terminal import run

    code, steps = 99, 0

    def step(*_: object) -> None:
        nonlocal steps
        steps += 1

    try:
        resource.setrlimit(resource.RLIMIT_CPU, (_LONGEST, _LONGEST))
        null = os.open(os.devnull, os.O_RDWR)
        for old, new in ((null, 0), (null, 1), (errors, 2)):
            os.dup2(old, new)
        sys.stdout = os.fdopen(1, "w")  # tests may have replaced it
        if sink is not None:
            _watch(step)
        code = run(group, "ncz", words)
        sys.stdout.flush()
    finally:
        if sink is not None:
            os.write(sink, str(steps).encode())
        os._exit(code)


def _watch(step: object) -> None:
    """Call `step` at each call and each jump, in all threads."""
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        return
    events = monitoring.events
    monitoring.use_tool_id(_TOOL, "growth")
    for event in (events.PY_START, events.CALL, events.JUMP):
        monitoring.register_callback(_TOOL, event, step)
    monitoring.set_events(_TOOL, events.PY_START | events.CALL | events.JUMP)
