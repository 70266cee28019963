"""Run tasks in forked processes and return their results in order.

Each process runs every n-th task and writes the results to its own pipe. It works ahead by a few
results only, so memory is bounded.
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
from ncz.parallel.forking import expect_idle_thread, forking, settle
from ncz.parallel.standstill import Standstill, wait_readable, work_of

Task = TypeVar("Task")

_HEAD = struct.Struct("=q")
_END, _ERROR = -1, -2
_PIPE = 1 << 20
_WAITING = 12
"""Largest number of results, each preceded by its size, that wait to be written."""


def can_fork() -> bool:
    """Return whether forked processes are safe: not on macOS, whose libraries do not allow them."""
    return hasattr(os, "fork") and sys.platform not in ("darwin", "win32")


def default_jobs() -> int:
    """Return the default number of processes: one per processor, or 1 without fork."""
    return cores() if can_fork() else 1


def in_order(
    tasks: Sequence[Task], work: Callable[[Task], Iterable[bytes]], jobs: int
) -> Generator[bytes, None, None]:
    """Run tasks in several processes, which end with the iterator.

    Processes share open files, so `work` must not change a file position.

    Parameters
    ----------
    work
        Called in a forked process with each task; yields results.
    jobs
        Number of processes.

    Yields
    ------
    bytes
        The results of the first task, then of the second, and so on.

    Raises
    ------
    NczError
        A process was killed, or stands still. An exception in `work` is raised here, after the
        results before it.
    """
    workers: list[tuple[int, BinaryIO]] = []
    try:
        for number in range(jobs):
            workers.append(_start(tasks[number::jobs], work, [pipe for _, pipe in workers]))
        for number in range(len(tasks)):
            yield from _results(*workers[number % jobs])
    finally:
        for pid, pipe in workers:
            pipe.close()
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)


def _start(
    tasks: Sequence[Task], work: Callable[[Task], Iterable[bytes]], others: Sequence[BinaryIO]
) -> tuple[int, BinaryIO]:
    sys.stdout.flush()
    sys.stderr.flush()
    with forking():
        reading, writing = os.pipe()
        _enlarge(writing)
        pid = os.fork()
        if pid:
            os.close(writing)
            return pid, open(reading, "rb", buffering=0)
    try:  # the child process, which must not return
        settle()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.close(reading)
        for other in others:
            os.close(other.fileno())
        _run_tasks(tasks, work, writing)
    except BaseException:
        os._exit(1)
    os._exit(0)


def _run_tasks(tasks: Sequence[Task], work: Callable[[Task], Iterable[bytes]], pipe: int) -> None:
    """Run all tasks of one process; a thread writes the results."""
    import queue
    import threading

    results: queue.Queue[bytes | None] = queue.Queue(_WAITING)

    def write() -> None:
        try:
            while (data := results.get()) is not None:
                _send(pipe, data)
        except BaseException:  # the reader has closed the pipe
            os._exit(1)

    writer = threading.Thread(target=write)
    expect_idle_thread()
    writer.start()
    try:
        for task in tasks:
            for data in work(task):
                results.put(_HEAD.pack(len(data)))
                results.put(data)
            results.put(_HEAD.pack(_END))
    except Exception as error:
        results.put(_encode_error(error))
    results.put(None)
    writer.join()


def _enlarge(pipe: int) -> None:
    """Enlarge the pipe's buffer if the system supports this."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def _encode_error(error: Exception) -> bytes:
    """Encode an error as the last result."""
    import pickle

    try:
        data = pickle.dumps(error)
    except Exception:
        data = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return _HEAD.pack(_ERROR) + _HEAD.pack(len(data)) + data


def _send(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


def _results(pid: int, pipe: BinaryIO) -> Iterator[bytes]:
    """Yield the results of a process for its next task."""
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
    parts: list[bytes] = []
    while size:
        try:
            wait_readable(pipe.fileno(), lambda: work_of(pid))
        except Standstill:
            raise NczError(
                "a worker process does not respond", location=f"process {pid}", hint="use --jobs 1"
            ) from None
        part = pipe.read(size)
        if not part:
            raise NczError(
                "a worker process was killed",
                location=f"process {pid}",
                hint="check that there is enough memory, or use --jobs 1",
            )
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
