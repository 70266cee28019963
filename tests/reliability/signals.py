"""Commands that a signal ends: Ctrl-C, the signal of batch systems, and ``kill -9``."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future

from ncz.cli.terminal import raise_on_signals
from tests.forked import forked, redirect, run_ncz
from tests.reliability.command import HUNG, LIMIT, Outcome
from tests.reliability.disk import INTERRUPT, KILL, TERMINATE, Disk, failing
from tests.servers.threads import Served

SIGNALS = {INTERRUPT: signal.SIGINT, TERMINATE: signal.SIGTERM, KILL: signal.SIGKILL}


@contextlib.contextmanager
def heeding_signals() -> Iterator[None]:
    """Handle signals for the block as the programs do; a shell's background ignores Ctrl-C."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    kept[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    raise_on_signals()
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def run_killed(folder: str, at: int, *arguments: str) -> Outcome:
    """Run ``ncz`` in a process that ends without a word at an operation below a folder."""
    with tempfile.NamedTemporaryFile() as error:
        with forked(_killed, error.name, folder, at, arguments) as process:
            process.join(LIMIT)
            code = process.exitcode
            if code is None:
                process.kill()
        told = error.read().decode()
    return Outcome(HUNG if code is None else code, told)


def run_signalled(served: Served, number: int, at: int, *arguments: str) -> Outcome:
    """Run ``ncz`` in a process that gets a signal at a request to a server."""
    started: Future[int | None] = Future()

    def send(request: int) -> None:
        if request == at and (ours := started.result(LIMIT)):
            os.kill(ours, number)

    served.changes = send  # before the process starts, whose first request may come immediately
    with tempfile.NamedTemporaryFile() as error:
        with forked(_ended, error.name, arguments) as process:
            started.set_result(process.pid)
            process.join(LIMIT)
            code = process.exitcode
            if code is None:
                process.kill()
        served.changes = lambda _: None
        told = error.read().decode()
    return Outcome(HUNG if code is None else code, told)


def _ended(error: str, arguments: tuple[str, ...]) -> None:
    redirect(2, error)
    redirect(1, os.devnull)
    run_ncz(*arguments)


def _killed(error: str, folder: str, at: int, arguments: tuple[str, ...]) -> None:
    redirect(2, error)
    redirect(1, os.devnull)
    with failing(Disk(folder, at, KILL)):
        run_ncz(*arguments)
