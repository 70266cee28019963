"""Run a command of ncz in this process, with streams that are kept or cut off."""

from __future__ import annotations

import contextlib
import io
import resource
import sys
from collections.abc import Iterator

import ncz.cli
from ncz.cli.terminal import CLOSED_PIPE, run
from ncz.record import record

LONGEST = 1 << 19
"""So many bytes of output are read; then the reader closes the pipe, as ``head`` does."""

CUT = CLOSED_PIPE


@record
class Done:
    """The result of a command."""

    command: tuple[str, ...]
    code: int
    out: bytes
    error: str
    seconds: float = 0.0
    """Processor time of the command and of processes that it started."""


class _Pipe(io.BytesIO):
    def write(self, data, /):
        if self.tell() + len(data) > LONGEST:
            raise BrokenPipeError
        return super().write(data)


@contextlib.contextmanager
def _streams() -> Iterator[tuple[_Pipe, _Pipe]]:
    out, error = _Pipe(), _Pipe()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(error, "utf-8", "backslashreplace", write_through=True)
    try:
        yield out, error
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.detach()  # the wrapper would close the wrapped stream
        sys.stdin, sys.stdout, sys.stderr = before


def run_ncz(*command: str) -> Done:
    """Run ``ncz`` with these arguments."""
    start = _used()
    with _streams() as (out, error):
        code = run(ncz.cli.ncz, "ncz", command)
    return Done(command, code, out.getvalue(), error.getvalue().decode(), _used() - start)


def _used() -> float:
    return sum(sum(resource.getrusage(whose)[:2]) for whose in _WHOSE)


_WHOSE = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
