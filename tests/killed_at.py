"""Programs that are killed at one of their operations, as by ``kill -9``."""

from __future__ import annotations

import subprocess
import sys

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
    done = subprocess.run(
        [sys.executable, "-c", WATCHING + program, str(moment), *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, -9), done.stderr
    return done.returncode == 0
