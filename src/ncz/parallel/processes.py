"""Work in forked processes, whose results come back in the order of the tasks.

Each process takes every n-th task and writes what it gives to a pipe of its own. While that is not
read it works on, but only so far that a few results wait: so memory is bounded.
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
from ncz.parallel.cores import cores

Task = TypeVar("Task")

_HEAD = struct.Struct("=q")
_END, _ERROR = -1, -2
_PIPE = 1 << 20
_WAITING = 12
"""Results, and their sizes before them, that wait to be written."""


def can_fork() -> bool:
    """Whether forked processes may work: not on macOS, whose libraries do not allow it."""
    return hasattr(os, "fork") and sys.platform not in ("darwin", "win32")


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
        _work_off(tasks, work, writing)
    except BaseException:
        os._exit(1)
    os._exit(0)


def _work_off(tasks: Sequence[Task], work: Callable[[Task], Iterable[bytes]], pipe: int) -> None:
    """Do all tasks; a thread writes the results."""
    import queue
    import threading

    results: queue.Queue[bytes | None] = queue.Queue(_WAITING)

    def write() -> None:
        try:
            while (data := results.get()) is not None:
                _send(pipe, data)
        except BaseException:  # nobody reads any more
            os._exit(1)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for task in tasks:
            for data in work(task):
                results.put(_HEAD.pack(len(data)))
                results.put(data)
            results.put(_HEAD.pack(_END))
    except Exception as error:
        results.put(_told(error))
    results.put(None)
    writer.join()


def _widen(pipe: int) -> None:
    """Let the pipe hold more, where the system knows how."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def _told(error: Exception) -> bytes:
    """An error as the last result."""
    import pickle

    try:
        told = pickle.dumps(error)
    except Exception:
        told = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return _HEAD.pack(_ERROR) + _HEAD.pack(len(told)) + told


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
            location=f"process {pid}",
            hint="see that there is enough memory, or use --jobs 1",
        )
    return data
