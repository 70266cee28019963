"""Judge cases in processes that may crash, hang or fill their memory.

A process is forked from one that has imported everything, judges many cases, and sends the result
of each through a pipe. If it ends early, the current case is the cause, and another process
continues with the next case.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import select
import shutil
import signal
import struct
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from ncz.record import record
from tests.fuzz import case as cases
from tests.fuzz.case import Case
from tests.fuzz.commands import Done, run_ncz
from tests.fuzz.coverage import Line, Lines
from tests.fuzz.oracle import SECONDS, judge

MEMORY = 512 << 20
"""Bytes of address space that a command may use in addition to loaded modules."""

PATIENCE = 600
"""The time limit of a waiting process, in seconds. Where many processes share the
processors, one that works may need as long, so work is limited by processor time."""


@record
class Judgement:
    """The breaches of one case, and the lines that it reached first."""

    breaches: tuple[str, ...]
    lines: frozenset[Line] = frozenset()


def judge_all(given: Sequence[Case], lines: Lines | None = None, jobs: int = 1) -> list[Judgement]:
    """Return the judgement of each case; record lines if `lines` is given."""
    size = max(1, -(-len(given) // jobs))
    parts = [given[at : at + size] for at in range(0, len(given), size)]
    children = [_Child(part, lines) for part in parts]
    return [
        told
        for part, child in zip(parts, children, strict=True)
        for told in _all(part, child, lines)
    ]


def _all(given: Sequence[Case], child: _Child, lines: Lines | None) -> Iterator[Judgement]:
    left = len(given)
    while True:
        for judgement in child.judgements():
            yield judgement
            left -= 1
        end = child.wait()
        if not left:
            return
        yield Judgement((end,))
        left -= 1
        child = _Child(given[len(given) - left :], lines)


class _Child:
    """A process that judges cases, one after the other."""

    def __init__(self, given: Sequence[Case], lines: Lines | None) -> None:
        self._pipe, writing = os.pipe()
        self._folder = tempfile.mkdtemp(prefix="ncz-fuzz-")  # a process that is killed leaves files
        sys.stdout.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the child uses no thread of ours
            self._process = os.fork()
        if self._process == 0:
            try:
                os.setpgid(0, 0)
                os.close(self._pipe)
                _serve(given, lines, writing, Path(self._folder))
            finally:
                os._exit(0)
        os.close(writing)

    def judgements(self) -> Iterator[Judgement]:
        """Yield the judgements until the process ends."""
        while (head := self._read(4)) and (body := self._read(struct.unpack("<I", head)[0])):
            yield pickle.loads(body)

    def wait(self) -> str:
        """Return the end of the process: its exit code or signal."""
        os.close(self._pipe)
        self._kill()
        code = os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])
        shutil.rmtree(self._folder, ignore_errors=True)
        if code == -signal.SIGPROF:
            return f"hang: more than {SECONDS} s"
        if code == -signal.SIGKILL:
            return f"hang: nothing for {PATIENCE} s"
        return f"crash: {signal.Signals(-code).name}" if code < 0 else f"crash: exit code {code}"

    def _kill(self) -> None:
        """End the process and its child processes, which also have the pipe open."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            if not select.select([self._pipe], [], [], PATIENCE)[0]:
                self._kill()
            piece = os.read(self._pipe, size - len(data))
            if not piece:
                return b""
            data += piece
        return data


def _serve(given: Sequence[Case], lines: Lines | None, pipe: int, folder: Path) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = _address_space() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for case in given:
        with _folder(case, folder):
            with lines.recording() if lines is not None else contextlib.nullcontext():
                breaches = tuple(judge(case, _timed))
            found = frozenset() if lines is None else frozenset(lines.take())
        body = pickle.dumps(Judgement(breaches, found))
        with open(pipe, "wb", closefd=False) as stream:
            stream.write(struct.pack("<I", len(body)) + body)


def _timed(*command: str) -> Done:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # by default its signal ends the process
    try:
        return run_ncz(*command)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _address_space() -> int:
    with contextlib.suppress(OSError), open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
    return 1 << 30


@contextlib.contextmanager
def _folder(case: Case, parent: Path) -> Iterator[None]:
    folder = Path(tempfile.mkdtemp(dir=parent))
    try:
        cases.write(case, folder)
        with contextlib.chdir(folder):
            yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
