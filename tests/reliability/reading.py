"""Programs that read something and print it, each in a process that may crash, hang, or grow."""

from __future__ import annotations

import subprocess
import sys

from ncz.record import record

SECONDS = 120

_BEGIN = """
import atexit, re, resource, sys, warnings
warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
def figure(name):
    with open("/proc/self/status") as status:
        return int(re.search(name + r":\\s*(\\d+)", status.read())[1])
"""

_GROWTH = """
with open("/proc/self/clear_refs", "w") as file: file.write("5")
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
before = figure("VmRSS")
"""
"""Counts memory from here; more than 3 GiB cannot be had."""

_END = """
atexit.register(lambda: sys.stderr.write(f"\\n{figure('VmHWM') - before}"))
"""


@record
class Program:
    """A reader.

    Attributes
    ----------
    text
        Prints the contents of ``sys.argv[1]``.
    imports
        Its imports; memory is counted from there. Without this, the memory of the process counts.
    """

    text: str
    imports: str = ""


@record
class Verdict:
    """The result of one reader: "right", "refused", "wrong", "crashed" or "hung"."""

    word: str
    memory: int
    """Most memory in MiB."""


def judge(program: Program, place: str, expected: str | None) -> Verdict:
    """Run a reader; it is right if it prints the expected text."""
    start = f"{program.imports}\n{_GROWTH}" if program.imports else "before = 0\n"
    try:
        done = subprocess.run(
            [sys.executable, "-c", _BEGIN + start + _END + program.text, place],
            capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Verdict("hung", 0)
    last = done.stderr.rpartition("\n")[2]
    memory = max(0, int(last)) >> 10 if last.lstrip("-").isdigit() else 0
    if done.returncode < 0:
        return Verdict("crashed", memory)
    if done.returncode:
        return Verdict("refused", memory)
    return Verdict("right" if done.stdout == expected else "wrong", memory)


def printed(program: Program, place: str) -> str | None:
    """Return the output of a reader; None if it fails or is not installed."""
    text = f"import sys\n{program.imports}\n{program.text}"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", text, place],
        capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    return None if done.returncode else done.stdout
