"""Start an isolated process: by a fork of this process, or of a server.

A forked process has the locks of threads and the state of libraries; a server has neither.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import struct
import sys
import threading
from collections.abc import Callable, Sequence
from socket import socket
from typing import Protocol

from ncz.parallel.forking import forking, is_alone
from ncz.parallel.isolation.serving import import_modules, serve
from ncz.parallel.processes import can_fork
from ncz.parallel.standstill import work_of

NUMBER = struct.Struct("=i")
READY = b"r"

_PATIENCE = 60.0
"""Seconds to wait for the server, which takes less than one."""


class Child(Protocol):
    """An isolated process."""

    def work(self) -> float | None:
        """Return the processor time it has used; see `standstill.wait_readable`."""
        ...

    def end(self) -> int | None:
        """End it if it has not ended; return its exit code, or None if it is unknown."""
        ...


def can_isolate(modules: Sequence[str] = (), *, is_new: bool = False) -> bool:
    """Return whether an isolated process can be started; see `start`."""
    if not can_fork():
        return False
    is_forked = not is_new and (_ahead is not None or is_alone())
    return is_forked or _server(modules).is_ready()


def prepare(modules: Sequence[str]) -> None:
    """Start to start the server, if this process will soon have threads."""
    if can_fork():
        _server(modules)


def fork_ahead(modules: Sequence[str]) -> bool:
    """Fork the first isolated process, which imports modules while this process goes on.

    Later ones are forked when they are started, and inherit the modules from this process. Returns
    whether one was forked.
    """
    global _ahead, _is_first
    if not (_is_first and can_fork() and is_alone()):
        return False
    _is_first = False
    _ahead = _connected(lambda theirs: _fork(theirs, modules))
    return True


def start(modules: Sequence[str], *, is_new: bool = False) -> tuple[socket, Child]:
    """Return a connection to a new isolated process, or to the one ahead, and the process.

    Parameters
    ----------
    modules
        Modules that isolated processes need; they are imported before a process is forked.
    is_new
        Whether libraries have a state in this process that the other must not have, so that only a
        process of the server will do.
    """
    global _ahead, _is_first
    if not is_new:
        with _starting:
            ahead, _ahead, _is_first = _ahead, None, False
        if ahead is not None:
            return ahead
    if is_new or not is_alone():
        try:
            return _connected(_server(modules).fork)
        except OSError:  # the server was killed
            _forget_server()
            return _connected(_server(modules).fork)
    import_modules(modules)  # once, not in each process that is forked
    return _connected(_fork)


def _connected(fork: Callable[[socket], Child]) -> tuple[socket, Child]:
    import socket as sockets

    with forking():
        ours, theirs = sockets.socketpair()
        with theirs:
            return ours, fork(theirs)


def _fork(theirs: socket, modules: Sequence[str] = ()) -> Child:
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            serve(theirs, modules)
        os._exit(0)
    return _Forked(pid)


class _Forked:
    """A child of this process."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def work(self) -> float | None:
        """Return the processor time it has used."""
        return work_of(self._pid)

    def end(self) -> int | None:
        """End it; one that is about to end by itself keeps its exit code."""
        os.kill(self._pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


class _Served:
    """A child of the server, which sends its number, and its exit code after its end."""

    def __init__(self, status: socket) -> None:
        self._status = status
        self._pid: int | None = None
        status.settimeout(_PATIENCE)

    def work(self) -> float | None:
        """Return the processor time it has used."""
        if self._pid is None:
            self._pid = self._number()
        return 0.0 if self._pid is None else work_of(self._pid)

    def end(self) -> int | None:
        """Let the server end it."""
        with self._status, contextlib.suppress(OSError):
            self._status.shutdown(1)  # SHUT_WR
            if self._pid is None:
                self._number()
            return self._number()
        return None

    def _number(self) -> int | None:
        with contextlib.suppress(OSError):
            data = self._status.recv(NUMBER.size)
            if len(data) == NUMBER.size:
                (number,) = NUMBER.unpack(data)
                return int(number)
        return None


class _Server:
    """The other process; see `ncz.parallel.isolation.server`."""

    def __init__(self, modules: Sequence[str]) -> None:
        import socket as sockets

        self._ready: bool | None = None
        self._lock = threading.Lock()
        with forking():
            self._control, theirs = sockets.socketpair()
            with theirs:
                self.pid = _spawn(theirs.fileno(), modules)
        self._control.settimeout(_PATIENCE)

    @property
    def is_started(self) -> bool:
        """Whether it was waited for."""
        return self._ready is not None

    def is_ready(self) -> bool:
        """Wait for the server, and return whether it works."""
        with self._lock:
            if self._ready is None:
                try:
                    self._ready = self._control.recv(1) == READY
                except OSError:
                    self._ready = False
                if not self._ready:
                    self.close()
        return self._ready

    def close(self) -> None:
        """Let the server end."""
        self._control.close()

    def fork(self, connection: socket) -> Child:
        """Let the server fork a process that serves a connection."""
        import socket as sockets

        ours, theirs = sockets.socketpair()
        with theirs:
            sockets.send_fds(self._control, [b"f"], [connection.fileno(), theirs.fileno()])
        return _Served(ours)


def _spawn(control: int, modules: Sequence[str]) -> int:
    """Start a new interpreter as a server, with the paths of this one, and return its number."""
    path = [os.path.abspath(each) for each in sys.path]
    program = (
        f"import sys; sys.path[:] = {path!r}; from ncz.parallel.isolation.server import main;"
        f" main({list(modules)!r})"
    )
    actions = [
        (os.POSIX_SPAWN_DUP2, control, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    return os.posix_spawn(
        sys.executable, [sys.executable, "-c", program], os.environ, file_actions=actions
    )


_ahead: tuple[socket, Child] | None = None
_is_first = True
"""Whether this process has started no isolated process yet."""

_known: _Server | None = None
_starting = threading.Lock()


def _server(modules: Sequence[str]) -> _Server:
    global _known
    with _starting:
        if _known is None:
            _known = _Server(modules)
            atexit.register(_forget_server)
        return _known


def _forget_server() -> None:
    global _known
    with _starting:
        if _known is not None:
            _known.close()
        _known = None


def _in_child() -> None:
    """Share the server with the parent, unless the parent's wait for it is not over.

    The process ahead stays with the parent.
    """
    global _ahead, _known, _starting
    _ahead = None
    _starting = threading.Lock()
    if _known is not None and not _known.is_started:
        _known = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
