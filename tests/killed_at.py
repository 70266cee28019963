"""Programs that are killed at one of their operations, as by ``kill -9``."""

from __future__ import annotations

import signal
import sys
import tempfile
from pathlib import Path

from tests.forked import forked, redirect

WATCHING = """
import builtins, os, signal, sys
moment, count = int(sys.argv[1]), 0

def tick():
    global count
    count += 1
    if count == moment:
        os.kill(os.getpid(), signal.SIGKILL)

def watch(owner, name, counts=lambda *args: True, after=True):
    real = getattr(owner, name)
    def call(*args, **options):
        is_counted = counts(*args)
        if is_counted:
            tick()
        result = real(*args, **options)
        if is_counted and after:
            tick()
        return result
    setattr(owner, name, call)

def opens_to_write(path, mode="r", *rest):
    return mode & (os.O_WRONLY | os.O_RDWR) if isinstance(mode, int) else not mode.startswith("r")

def watch_disk():
    watch(builtins, "open", opens_to_write)
    watch(os, "open", opens_to_write)
    for name in ("write", "rename", "replace", "link", "unlink", "mkdir", "rmdir", "fsync"):
        watch(os, name)
"""
"""The beginning of a program. The operations that it watches are counted before and after them."""


def ends_by_itself(program: str, moment: int, *arguments: str) -> bool:
    """Run a program that is killed at an operation; return whether it has fewer of them."""
    with tempfile.TemporaryDirectory() as folder:
        with forked(_run, f"{folder}/errors", program, str(moment), *arguments) as process:
            pass
        errors = Path(folder, "errors").read_text()
    assert process.exitcode in (0, -signal.SIGKILL), errors
    return process.exitcode == 0


def _run(errors: str, program: str, *arguments: str) -> None:
    redirect(2, errors)
    sys.argv = ["-c", *arguments]
    exec(compile(WATCHING + program, "<killed>", "exec"), {"__name__": "__main__"})
