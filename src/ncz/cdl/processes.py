"""Work in forked processes, whose results come back in the order of the tasks.

Each process takes every n-th task and writes what it gives to a pipe of its own, on which it waits
until it is read: so memory is bounded, and nothing is ahead of the rest by more than a task.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import BinaryIO, TypeVar

from ncz.errors import NczError

Task = TypeVar("Task")

_HEAD = struct.Struct("=q")
_END, _ERROR = -1, -2
_PIPE = 1 << 20


def can_fork() -> bool:
    """Whether forked processes may work: not on macOS, whose libraries do not allow it."""
    return hasattr(os, "fork") and sys.platform not in ("darwin", "win32")


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_jobs() -> int:
    """As many processes as there are processors, where there can be any."""
    return cores() if can_fork() else 1


def in_order(
    tasks: Sequence[Task], work: Callable[[Task], Iterable[bytes]], jobs: int
) -> Generator[bytes, None, None]:
    """What `work` gives for the first task, then for the second, ...; done by `jobs` processes.

    Raises what `work` raised, where it raised it; `NczError` if a process was ended. The processes
    end with the iterator. They share open files: `work` must not move a position in one.
    """
    workers: list[tuple[int, BinaryIO]] = []
    try:
        for number in range(jobs):
            workers.append(_begin(tasks[number::jobs], work, [pipe for _, pipe in workers]))
        for number in range(len(tasks)):
            yield from _results(*workers[number % jobs])
    finally:
        for pid, pipe in workers:
            pipe.close()
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)


def _begin(
    tasks: Sequence[Task], work: Callable[[Task], Iterable[bytes]], others: Sequence[BinaryIO]
) -> tuple[int, BinaryIO]:
    reading, writing = os.pipe()
    _widen(writing)
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, open(reading, "rb", buffering=_PIPE)
    try:  # in the child, which must not return
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.close(reading)
        for other in others:
            os.close(other.fileno())
        for task in tasks:
            _send_all(writing, work, task)
    except BaseException:
        os._exit(1)
    os._exit(0)


def _widen(pipe: int) -> None:
    """Let the pipe hold more, where the system knows how."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def _send_all(pipe: int, work: Callable[[Task], Iterable[bytes]], task: Task) -> None:
    try:
        for data in work(task):
            _send(pipe, _HEAD.pack(len(data)))
            _send(pipe, data)
    except Exception as error:
        try:
            import pickle

            told = pickle.dumps(error)
        except Exception:
            told = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
        _send(pipe, _HEAD.pack(_ERROR) + _HEAD.pack(len(told)) + told)
        raise
    _send(pipe, _HEAD.pack(_END))


def _send(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


def _results(pid: int, pipe: BinaryIO) -> Iterator[bytes]:
    """What a process gives for its next task."""
    while True:
        (size,) = _HEAD.unpack(_read(pid, pipe, _HEAD.size))
        if size == _END:
            return
        if size == _ERROR:
            (size,) = _HEAD.unpack(_read(pid, pipe, _HEAD.size))
            import pickle

            error: Exception = pickle.loads(_read(pid, pipe, size))
            raise error
        yield _read(pid, pipe, size)


def _read(pid: int, pipe: BinaryIO, size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise NczError(
            "a process that did a part of the work was ended",
            where=f"process {pid}",
            do="see that there is enough memory, or use --jobs 1",
        )
    return data
