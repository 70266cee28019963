"""Wait for another process, unless it stands still: a lock that it waits for may never be free."""

from __future__ import annotations

from collections.abc import Callable

SECONDS = 300
"""Longest time without data and without work of a process that is not considered hung."""


class Standstill(Exception):
    """A process neither works nor answers."""


def wait_readable(descriptor: int, work: Callable[[], float | None]) -> None:
    """Wait until a file descriptor is readable.

    Parameters
    ----------
    descriptor
        One end of a pipe or a socket.
    work
        Returns the processor time that the process at the other end has used; None if it is
        unknown, or if the process waits for a disk.

    Raises
    ------
    Standstill
        If the process used no processor time during the last `SECONDS`.
    """
    import select

    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    idle, before = 0, -1.0
    # Seconds are counted, as a clock runs on while both processes are stopped.
    while not poll.poll(1000):
        now = work()
        idle = idle + 1 if now == before else 0
        before = before if now is None else now
        if idle >= SECONDS:
            raise Standstill


def work_of(pid: int) -> float | None:
    """Return the processor time of a process, in ticks; None while it waits for a disk."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return None if fields[0] == b"D" else float(fields[11]) + float(fields[12])
