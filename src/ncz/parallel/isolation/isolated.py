"""Run functions in another process, which may crash or not end without harm to this one.

This is for native libraries that trust the files they read. The process that needs a result waits
for it; an end by a signal, or after too much processor time, becomes an error of the call. So does
a process that waits for something that never comes.

Functions, arguments and results are pickled; see `messages` for objects that cannot be.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from ncz.errors import NczError
from ncz.parallel.isolation.messages import Ask, Messages, Names
from ncz.parallel.isolation.serving import Limits, outcome
from ncz.parallel.isolation.starting import start
from ncz.parallel.standstill import Standstill, wait_readable

Result = TypeVar("Result")

CLOSED = "is closed"
"""What happened to a process that `Isolated.close` ended, maybe during a call."""


class Isolated:
    """A process that runs functions for this one, one at a time. Several threads may call.

    A process that was forked from this one, and calls too, gets an isolated process of its own.

    Parameters
    ----------
    names
        The names that this process knows.
    enter
        Called first in the isolated process, with the function by which it asks this process.
        Returns the names that are known there. It is pickled.
    answer
        Answers here what the isolated process asks.
    limits
        Processor time and memory that one call may use.
    failed
        Makes the error of a call from what happened to the process.
    modules
        Names of modules that isolated processes need.
    is_new
        Whether the process must have nothing of this one; see `starting.start`.
    """

    def __init__(
        self,
        names: Names,
        enter: Callable[[Ask], Names],
        answer: Ask,
        *,
        limits: Limits,
        failed: Callable[[str], NczError],
        modules: Sequence[str] = (),
        is_new: bool = False,
    ) -> None:
        self._names = names
        self._enter = enter
        self._answer = answer
        self._limits = limits
        self._failed = failed
        self._modules = modules
        self._is_new = is_new
        self._start()

    def call(self, function: Callable[..., Result], *arguments: object, memory: int = 0) -> Result:
        """Return what `function` returns in the isolated process, or raise what it raises.

        It may use so much more `memory` than the limit.

        Raises
        ------
        NczError
            If the process crashed, or used too much time, during this call or one before; or if it
            needs too much memory.
        """
        if self._owner != os.getpid():
            self._start()
        try:
            with self._lock:
                kind, content = self._call((function, arguments, memory))
        finally:
            self._disconnect()
        if isinstance(content, MemoryError):
            self._raise_end(f"needs more than {(self._limits.memory + memory) >> 20} MiB of memory")
        if kind == "error":
            raise content
        result: Result = content
        return result

    def close(self) -> None:
        """End the process. A call of another thread ends, too."""
        self._stop(CLOSED)
        self._disconnect()

    def _call(self, request: tuple[object, ...]) -> tuple[str, Any]:
        if self._end is not None:
            self._raise_end(self._end)
        try:
            self._pipe.send(request)
            return self._reply()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self._raise_end(self._stop(None))
        except Standstill:
            self._raise_end(self._stop("does not respond"))
        except BaseException:  # what the process sends next would belong to this call
            self._stop("was stopped")
            raise

    def _reply(self) -> tuple[str, Any]:
        while True:
            kind, content = self._pipe.receive()
            if kind != "ask":
                return kind, content
            self._pipe.send(outcome(self._answer, content))

    def _raise_end(self, end: str) -> NoReturn:
        raise self._failed(end)

    def _start(self) -> None:
        self._lock = threading.Lock()
        self._ending = threading.Lock()
        self._owner = os.getpid()
        self._end: str | None = None
        self._connection, self._child = start(self._modules, is_new=self._is_new)
        self._pipe = Messages(
            self._connection, lambda number: wait_readable(number, self._child.work)
        )
        with contextlib.suppress(OSError):  # an end at once is found by the first call
            self._pipe.send((self._enter, self._limits))
        self._pipe.names = self._names

    def _stop(self, reason: str | None) -> str:
        """End the process, and return the reason; without one, that is how it ended itself."""
        if self._owner != os.getpid():
            return ""
        with self._ending:
            if self._end is None:
                with contextlib.suppress(OSError):
                    self._connection.shutdown(2)  # SHUT_RDWR; another thread may wait for it
                code = self._child.end()
                self._end = self._meaning(code) if reason is None else reason
            return self._end

    def _disconnect(self) -> None:
        """Close the connection of a process that has ended, unless a call still uses it.

        The thread of that call does so afterwards.
        """
        if self._end is not None and self._lock.acquire(blocking=False):
            self._connection.close()
            self._lock.release()

    def _meaning(self, code: int | None) -> str:
        if code == -signal.SIGPROF:
            return f"did not end within {self._limits.seconds:.1f} s of processor time"
        if code is None:
            return "crashed"
        return f"crashed ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"
