"""Run tasks in forked processes, and return their results.

Each process runs every n-th task and writes the results to its own pipe, or to a file descriptor
that all of them share, one after the other. It works ahead by a few results only, so memory is
bounded.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import struct
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TypeVar

from ncz.errors import NczError, option
from ncz.parallel.forks import expect_idle_thread, hold_forks, settle
from ncz.parallel.processors import cores
from ncz.parallel.standstill import Standstill, wait_readable, work_of
from ncz.record import record

Task = TypeVar("Task")

_HEAD = struct.Struct("=q")
_END, _ERROR = -1, -2
_PIPE = 1 << 20
_WAITING = 6
"""Largest number of results that wait to be written."""


def can_fork() -> bool:
    """Return whether forked processes are safe: not on macOS, whose libraries do not allow them."""
    return hasattr(os, "fork") and sys.platform not in ("darwin", "win32")


def default_jobs() -> int:
    """Return the default number of processes: one per processor, or 1 without fork."""
    return cores() if can_fork() else 1


def in_order(
    tasks: Sequence[Task],
    work: Callable[[Task], Iterable[bytes]],
    jobs: int,
    descriptor: int | None = None,
) -> Generator[bytes, None, None]:
    """Run tasks in several processes, which end with the iterator.

    Processes share open files, so `work` must not change a file position.

    Parameters
    ----------
    work
        Called in a forked process with each task; yields results.
    jobs
        Number of processes.
    descriptor
        A file descriptor that the processes write the results to, each when it is requested.

    Yields
    ------
    bytes
        The results of the first task, then of the second, and so on. With `descriptor`, the part of
        a result that could not be written: none of it, unless writing failed. The caller has to
        write this part, which fails in the same way, before it requests the next result.

    Raises
    ------
    NczError
        A process was killed, or stands still. An exception in `work` is raised here, after the
        results before it.
    """
    workers: list[_Worker] = []
    try:
        for number in range(jobs):
            workers.append(_start(tasks[number::jobs], work, workers, descriptor))
        for number in range(len(tasks)):
            yield from _results(workers[number % jobs])
    finally:
        for worker in workers:
            worker.close()
            with contextlib.suppress(OSError):
                os.kill(worker.pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(worker.pid, 0)


@record
class _Worker:
    """A forked process, and the ends of its pipes that this process holds."""

    pid: int
    results: io.FileIO
    turns: io.FileIO
    """Receives a byte for each result that the process may write to `descriptor`."""
    descriptor: int | None

    def close(self) -> None:
        """Close the pipes."""
        self.results.close()
        self.turns.close()

    def work(self) -> float | None:
        """Return the processor time of the process; None while it waits for a disk or a reader."""
        if self.descriptor is not None and not _is_writable(self.descriptor):
            return None
        return work_of(self.pid)


def _is_writable(descriptor: int) -> bool:
    """Return whether something could be written to a file descriptor now."""
    import select

    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))


def _start(
    tasks: Sequence[Task],
    work: Callable[[Task], Iterable[bytes]],
    others: Sequence[_Worker],
    descriptor: int | None,
) -> _Worker:
    sys.stdout.flush()
    sys.stderr.flush()
    with hold_forks():
        reading, writing = os.pipe()
        waiting, telling = os.pipe()
        _enlarge(writing)
        pid = os.fork()
        if pid:
            os.close(writing)
            os.close(waiting)
            return _Worker(pid, io.FileIO(reading), io.FileIO(telling, "w"), descriptor)
    try:  # the child process, which must not return
        settle()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.close(reading)
        os.close(telling)
        for other in others:
            other.close()
        _run_tasks(tasks, work, _Outlet(writing, waiting, descriptor))
    except BaseException:
        os._exit(1)
    os._exit(0)


@record
class _Outlet:
    """The pipes of a forked process for its results: the other ends of the pipes of `_Worker`."""

    pipe: int
    turns: int
    descriptor: int | None

    def write(self, head: int, data: bytes) -> None:
        """Write a result, whose size is `head`; or an error, or the end of a task."""
        _send(self.pipe, _HEAD.pack(head))
        rest = memoryview(data)
        if head >= 0 and self.descriptor is not None:
            if not os.read(self.turns, 1):
                raise BrokenPipeError
            with contextlib.suppress(OSError):  # the parent writes the rest, and gets the error
                while rest:
                    rest = rest[os.write(self.descriptor, rest) :]
            _send(self.pipe, _HEAD.pack(len(rest)))
        elif head == _ERROR:
            _send(self.pipe, _HEAD.pack(len(data)))
        _send(self.pipe, rest)


def _run_tasks(
    tasks: Sequence[Task], work: Callable[[Task], Iterable[bytes]], outlet: _Outlet
) -> None:
    """Run all tasks of one process; a thread writes the results."""
    import queue
    import threading

    results: queue.Queue[tuple[int, bytes] | None] = queue.Queue(_WAITING)

    def write() -> None:
        try:
            while (result := results.get()) is not None:
                outlet.write(*result)
        except BaseException:  # the reader has closed the pipe
            os._exit(1)

    writer = threading.Thread(target=write)
    expect_idle_thread()
    writer.start()
    try:
        for task in tasks:
            for data in work(task):
                results.put((len(data), data))
            results.put((_END, b""))
    except Exception as error:
        results.put((_ERROR, _encode_error(error)))
    results.put(None)
    writer.join()


def _enlarge(pipe: int) -> None:
    """Enlarge the pipe's buffer if the system supports this."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def _encode_error(error: Exception) -> bytes:
    import pickle

    # Dask makes pickle follow these, and the cause of the error may be impossible to pickle.
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        return pickle.dumps(error)
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))


def _send(pipe: int, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


def _results(worker: _Worker) -> Iterator[bytes]:
    """Yield the results of a process for its next task."""
    while (size := _read_size(worker)) != _END:
        if size == _ERROR:
            import pickle

            error: Exception = pickle.loads(_read(worker, _read_size(worker)))
            raise error
        if worker.descriptor is not None:
            with contextlib.suppress(BrokenPipeError):  # killed, as reading finds
                worker.turns.write(b"\n")
            size = _read_size(worker)
        yield _read(worker, size)


def _read_size(worker: _Worker) -> int:
    (size,) = _HEAD.unpack(_read(worker, _HEAD.size))
    return int(size)


def _read(worker: _Worker, size: int) -> bytes:
    location = f"process {worker.pid}"
    parts: list[bytes] = []
    while size:
        try:
            wait_readable(worker.results.fileno(), worker.work)
        except Standstill:
            raise NczError(
                "a worker process does not respond", location, f"use {option('jobs', 1)}"
            ) from None
        part = worker.results.read(size)
        if not part:
            raise NczError(
                "a worker process was killed",
                location,
                f"check that there is enough memory, or use {option('jobs', 1)}",
            )
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
