"""Run parts of the tables in separate processes, which may crash, hang, or take memory."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ncz.record import record
from tests.forked import forked

LIMIT = 1800
"""The time limit of a part, in seconds."""

Work = Callable[[Path], tuple[int, dict[str, list[str]]]]
"""Runs a command many times in a folder; returns the number of runs, and their errors."""


@record
class Part:
    """A part of a row: a command with one fault, at each of its operations."""

    row: str
    fault: str
    work: Work


@record
class Result:
    """The result of a part.

    Attributes
    ----------
    tried
        The number of runs of the command with a fault.
    wrong
        The errors, by the operation.
    memory
        The growth of the memory of the process in bytes.
    """

    tried: int
    wrong: dict[str, list[str]]
    memory: int


def run_parts(parts: Iterable[Part], jobs: int) -> Iterator[tuple[Part, Result]]:
    """Run parts, some at a time; yield them in order with their results."""
    parts = list(parts)
    with ThreadPoolExecutor(jobs) as pool:
        yield from zip(parts, pool.map(run_part, parts), strict=True)


def run_part(part: Part) -> Result:
    """Run a part in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "answer")
        place = Path(folder, "work")
        place.mkdir()
        with forked(_run, part.work, str(place), str(answer)) as process:
            process.join(LIMIT)
            code = process.exitcode
            if code is None:
                process.kill()
        if answer.exists():
            return Result(**json.loads(answer.read_text()))
    how = "hung" if code is None else f"crashed: exit code {code}"
    return Result(1, {"the process": [how]}, 0)


def _run(work: Work, folder: str, answer: str) -> None:
    """Do the work in this process; the result is written to `answer`."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak starts at the resident memory
    before = memory("VmRSS")
    tried, wrong = work(Path(folder))
    grown = max(0, memory("VmHWM") - before)
    text = json.dumps({"tried": tried, "wrong": wrong, "memory": grown})
    Path(f"{answer}.new").write_text(text)
    os.rename(f"{answer}.new", answer)
    sys.stdout.flush()
    os._exit(0)  # threads of servers may still wait


def memory(name: str) -> int:
    """Return a figure of this process's memory in bytes: "VmRSS" now, and "VmHWM" at its peak."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))
