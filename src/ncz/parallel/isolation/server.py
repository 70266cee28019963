"""A process that forks isolated processes for another, whose threads could hold a lock meanwhile.

It is a new interpreter without threads. For every message it forks a process, which serves the
first of the two connections in the message. Over the second go the number of that process
and, after its end, its exit code; the other side closes it to end the process.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Iterable

from ncz.parallel.isolation.serving import import_modules, serve
from ncz.parallel.isolation.starting import NUMBER, READY


def main(modules: Iterable[str]) -> None:
    """Fork for the process at the other end of standard input, until that closes it."""
    control = socket.socket(fileno=os.dup(0))
    os.closerange(control.fileno() + 1, os.sysconf("SC_OPEN_MAX"))  # those that were not meant
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import_modules(modules)
    with contextlib.suppress(OSError):
        _serve(control)


def _serve(control: socket.socket) -> None:
    children: dict[int, socket.socket] = {}
    woken = _wake_at_ends()
    control.send(READY)
    while True:
        ready = _readable([control, woken, *children.values()])
        if woken in ready:
            woken.recv(1 << 12)
        for pid, status in children.items():
            if status in ready:
                os.kill(pid, signal.SIGKILL)
        _reap(children)
        if control in ready:
            data, descriptors, _, _ = socket.recv_fds(control, 1, 2)
            if not data:
                break
            connection, status = (socket.socket(fileno=each) for each in descriptors)
            pid = _fork(connection)
            status.send(NUMBER.pack(pid))
            children[pid] = status
    for pid in children:
        os.kill(pid, signal.SIGKILL)


def _wake_at_ends() -> socket.socket:
    """Return a socket that is readable after the end of a child."""
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake.detach(), warn_on_full_buffer=False)
    return woken


def _readable(sources: list[socket.socket]) -> list[socket.socket]:
    poll = select.poll()
    for source in sources:
        poll.register(source, select.POLLIN)
    ready = {number for number, _ in poll.poll()}
    return [source for source in sources if source.fileno() in ready]


def _fork(connection: socket.socket) -> int:
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            signal.set_wakeup_fd(-1)
            serve(connection)
        os._exit(0)
    connection.close()
    return pid


def _reap(children: dict[int, socket.socket]) -> None:
    """Send the exit codes of the processes that have ended."""
    for pid in list(children):
        ended, code = os.waitpid(pid, os.WNOHANG)
        if ended:
            with children.pop(pid) as status, contextlib.suppress(OSError):
                status.send(NUMBER.pack(os.waitstatus_to_exitcode(code)))
