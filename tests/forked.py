"""Processes of ncz that can be killed, and that start quickly.

A server process imports ncz and its libraries, and forks for every process of a test: starting
Python and importing take most of a second, and a killed command a few hundredths.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess

PATIENCE = 120
"""The time limit of a process in seconds, before it is killed."""

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.preloaded"])
    with contextlib.chdir(ROOT):  # where the server finds `tests`
        forkserver.ensure_running()
    return context


@contextlib.contextmanager
def forked(function: Callable[..., None], *arguments: object) -> Iterator[BaseProcess]:
    """Call a function in a new process; the process has ended when the block has.

    A process that does not end is killed, and the test fails.
    The process has the environment and the current folder of the caller, and its own folder for
    temporary files, which remains if it is killed.
    """
    with tempfile.TemporaryDirectory() as temporary:
        here = (os.environ | {"TMPDIR": temporary}, os.getcwd())
        process = _context().Process(target=_called, args=(here, function, arguments))
        process.start()
        try:
            yield process
        except BaseException:
            process.kill()
            raise
        finally:
            process.join(PATIENCE)
            if process.exitcode is None:
                process.kill()
                process.join()
                raise AssertionError(f"the process did not end within {PATIENCE} s")


def _called(
    here: tuple[dict[str, str], str],
    function: Callable[..., None],
    arguments: tuple[object, ...],
) -> None:
    environment, folder = here
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # the server's
    os.chdir(folder)
    function(*arguments)


def run_ncz(*arguments: str) -> None:
    """Run ``ncz`` with these arguments and exit with its code."""
    import ncz.cli

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    sys.argv = ["ncz", *arguments]
    ncz.cli.main()


def redirect(number: int, path: str) -> None:
    """Redirect the output of this process to a file descriptor to a new file."""
    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)


def run_ncz_with_stderr(path: str, *arguments: str) -> None:
    """Do the same with standard error in a file."""
    redirect(2, path)
    run_ncz(*arguments)
