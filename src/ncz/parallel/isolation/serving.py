"""What an isolated process does: run the functions that it is sent."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterable
from socket import socket
from typing import Any

from ncz.parallel.forking import settle
from ncz.parallel.isolation.messages import Ask, Messages
from ncz.record import record


def import_modules(names: Iterable[str]) -> None:
    """Import modules, if they are installed."""
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def serve(connection: socket, modules: Iterable[str] = ()) -> None:
    """Import modules, and do what is asked for until the connection is closed.

    Call this first in a new process.

    First come a function and the limits of each request, then the requests: functions and their
    arguments. The first function is called with the function by which it asks the other process,
    and returns the names that are known here.
    """
    settle()
    _leave_files(connection.fileno())
    import_modules(modules)
    pipe = Messages(connection)
    memory = Memory()
    enter: list[Callable[[Ask], Any]] = []

    def ask(question: Any) -> Any:
        pipe.send(("ask", question))
        kind, content = pipe.receive()
        if kind == "error":
            raise content
        return content

    def run(request: bytes) -> Any:
        if pipe.names is None:
            pipe.names = enter[0](ask)
        function, arguments, more = pipe.load(request)
        memory.limit(limits.memory + more)
        return function(*arguments)

    first, limits = pipe.receive()
    enter.append(first)
    memory.limit(limits.memory)
    while True:
        request = pipe.receive_bytes()
        signal.setitimer(signal.ITIMER_PROF, limits.seconds)  # its signal ends the process
        pipe.send(outcome(run, request))
        signal.setitimer(signal.ITIMER_PROF, 0)


@record
class Limits:
    """What a request may use: seconds of processor time, and bytes of memory."""

    seconds: float
    memory: int


class Memory:
    """The memory of this process: what it has now, and a limit of what it may take."""

    def __init__(self) -> None:
        self._before: int | None = None
        with contextlib.suppress(ImportError, OSError, ValueError):
            import resource

            with open("/proc/self/statm") as file:
                self._before = int(file.read().split()[0]) * resource.getpagesize()

    def limit(self, count: int) -> None:
        """Let no more than so many bytes be taken beyond what the process had at first."""
        if self._before is None:
            return
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = self._before + count
        if most != resource.RLIM_INFINITY:
            limit = min(limit, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def outcome(function: Ask, argument: Any) -> tuple[str, Any]:
    """Return the result of a function, or its error, as a message."""
    try:
        return "result", function(argument)
    except Exception as error:
        return "error", error


def _leave_files(kept: int) -> None:
    """Leave streams, signals and files to the other process; write none when this one crashes.

    A reader of a pipe does not see its end while this process has the other end open.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
    sys.stdout = sys.stderr = os.fdopen(os.dup(2), "w")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPROF, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import faulthandler
        import resource

        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
