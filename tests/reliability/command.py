"""Run ``ncz`` in this process."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from click.testing import CliRunner

import ncz.cli
from ncz.cli.terminal import run
from ncz.record import record

LIMIT = 120
"""A command that takes longer, in seconds, counts as hung."""

HUNG = -1
"""The exit code of a command that hangs."""


class HungError(BaseException):
    """Ends a command that hangs; no command handles it."""


@record
class Outcome:
    """The result of a command."""

    code: int
    error: str
    out: bytes = b""


def run_ncz(*arguments: str) -> Outcome:
    """Run ``ncz`` with these arguments."""
    with CliRunner().isolation() as (output, error, _):
        try:
            with _limited():
                code = run(ncz.cli.ncz, "ncz", list(arguments))
        except HungError:
            code = HUNG
        told = error.getvalue().decode("utf-8", "replace")
        return Outcome(code, told, output.getvalue())


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """End the block with `HungError` after `LIMIT` seconds, where a signal can do that."""
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and hasattr(signal, "SIGALRM")):
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise HungError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LIMIT, 5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
