"""Run functions in a forked process, which may crash or not end without harm to this one.

This is for native libraries that trust the files they read. The process that needs a result waits
for it; an end by a signal, or after too much processor time, becomes an error of the call.

Functions, arguments and results are pickled. Objects that exist in one of the processes only are
replaced by names, which the other process resolves: see `Names`.
"""

from __future__ import annotations

import contextlib
import copyreg
import io
import os
import pickle
import signal
import struct
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Protocol, TypeVar

from ncz.errors import NczError
from ncz.parallel.processes import can_fork

Result = TypeVar("Result")

Ask = Callable[[Any], Any]
"""A function that asks the process that waits, and returns its answer."""


class Names(Protocol):
    """The names by which one process knows objects that cannot be pickled."""

    @property
    def kinds(self) -> Iterable[type]:
        """The classes of these objects."""
        ...

    def name_of(self, thing: Any) -> Any:
        """Return the name of an object of these classes."""
        ...

    def find(self, name: Any) -> Any:
        """Return the object of a name that the other process gave."""
        ...


def can_isolate() -> bool:
    """Return whether a process can be forked here: no other thread may hold a lock.

    Threads that end with the program are idle while a file is opened, and do not count.
    """
    others = (each for each in threading.enumerate() if each is not threading.current_thread())
    return can_fork() and all(each.daemon for each in others)


class Isolated:
    """A process that runs functions for this one, one at a time. Several threads may call.

    A process that was forked from this one, and calls too, gets an isolated process of its own.

    Parameters
    ----------
    names
        The names that this process knows.
    enter
        Called first in the isolated process, with the function by which it asks this process.
        Returns the names that are known there.
    answer
        Answers here what the isolated process asks.
    seconds
        Processor time that one call may use.
    failed
        Makes the error of a call from what happened to the process.
    """

    def __init__(
        self,
        names: Names,
        enter: Callable[[Ask], Names],
        answer: Ask,
        *,
        seconds: float,
        failed: Callable[[str], NczError],
    ) -> None:
        self._names = names
        self._enter = enter
        self._answer = answer
        self._seconds = seconds
        self._failed = failed
        self._end = ""
        self._start()

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Return what `function` returns in the isolated process, or raise what it raises.

        Raises
        ------
        NczError
            If the process crashed, or used too much time, during this call or one before.
        """
        if self._owner != os.getpid():
            self._start()
        with self._lock:
            if self._pipe is None:
                self._raise_end()
            try:
                self._pipe.send((function, arguments))
                kind, content = self._reply(self._pipe)
            except (EOFError, BrokenPipeError):
                self._stop(None)
                self._raise_end()
            except BaseException:  # what the process sends next would belong to this call
                self._stop("was stopped")
                raise
        if kind == "error":
            raise content
        result: Result = content
        return result

    def close(self) -> None:
        """End the process."""
        self._stop("is closed")

    def _reply(self, pipe: _Pipe) -> tuple[str, Any]:
        while True:
            kind, content = pipe.receive()
            if kind != "ask":
                return kind, content
            pipe.send(_outcome(self._answer, content))

    def _raise_end(self) -> NoReturn:
        raise self._failed(self._end)

    def _start(self) -> None:
        requests, replies = os.pipe(), os.pipe()
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._child = os.fork()
        if self._child == 0:
            with contextlib.suppress(BaseException):
                os.close(requests[1])
                os.close(replies[0])
                self._serve(_Pipe(requests[0], replies[1]))
            os._exit(0)
        os.close(requests[0])
        os.close(replies[1])
        self._pipe: _Pipe | None = _Pipe(replies[0], requests[1], self._names)

    def _stop(self, reason: str | None) -> None:
        """End the process, and note the reason; without one, that is how it ended itself."""
        if self._owner != os.getpid() or self._pipe is None:
            return
        self._pipe.close()
        self._pipe = None
        if reason is not None:
            os.kill(self._child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        if code == -signal.SIGPROF:
            self._end = f"did not end within {self._seconds:.1f} s of processor time"
        else:
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            self._end = reason or f"crashed ({name})"

    def _serve(self, pipe: _Pipe) -> None:
        """Run what is asked for, in the isolated process, until the pipe is closed."""
        _leave_terminal()

        def ask(question: Any) -> Any:
            pipe.send(("ask", question))
            kind, content = pipe.receive()
            if kind == "error":
                raise content
            return content

        def run(request: bytes) -> Any:
            if pipe.names is None:
                pipe.names = self._enter(ask)
            function, arguments = pipe.load(request)
            return function(*arguments)

        while True:
            request = pipe.receive_bytes()
            signal.setitimer(signal.ITIMER_PROF, self._seconds)  # its signal ends the process
            pipe.send(_outcome(run, request))
            signal.setitimer(signal.ITIMER_PROF, 0)


def _outcome(function: Ask, argument: Any) -> tuple[str, Any]:
    try:
        return "result", function(argument)
    except Exception as error:
        return "error", error


def _leave_terminal() -> None:
    """Leave streams and signals to the other process, and write no file when this one crashes."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    sys.stdout = sys.stderr = os.fdopen(nothing, "w")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPROF):
        signal.signal(number, signal.SIG_DFL)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import faulthandler
        import resource

        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _found(name: Any) -> NoReturn:
    """Stand in pickled messages for `Names.find` of the process that receives them."""
    raise pickle.UnpicklingError(f"this process has no names, and was sent {name!r}")


class _Unpickler(pickle.Unpickler):
    """Puts objects in the place of names."""

    def __init__(self, data: bytes, names: Names | None) -> None:
        super().__init__(io.BytesIO(data))
        self._names = names

    def find_class(self, module: str, name: str) -> Any:
        """Return a class or a function; see `pickle.Unpickler`."""
        if self._names is not None and (module, name) == (__name__, _found.__name__):
            return self._names.find
        return super().find_class(module, name)


class _Pipe:
    """Pickled messages in both directions, each after its length."""

    def __init__(self, reading: int, writing: int, names: Names | None = None) -> None:
        self.names = names
        self._reading = os.fdopen(reading, "rb")
        self._writing = os.fdopen(writing, "wb", buffering=0)

    def send(self, message: object) -> None:
        """Send a message; in place of one that cannot be pickled, an error."""
        try:
            data = self._dump(message)
        except Exception as error:
            data = self._dump(("error", TypeError(f"{type(error).__name__}: {error}")))
        for part in (_HEAD.pack(len(data)), data):
            view = memoryview(part)
            while view:
                view = view[self._writing.write(view) :]

    def receive(self) -> tuple[Any, Any]:
        """Receive a message. Raises EOFError if the other process has ended."""
        first, second = self.load(self.receive_bytes())
        return first, second

    def receive_bytes(self) -> bytes:
        """Receive a message without unpickling it."""
        (size,) = _HEAD.unpack(self._exactly(_HEAD.size))
        return self._exactly(size)

    def load(self, data: bytes) -> Any:
        """Unpickle a message."""
        return _Unpickler(data, self.names).load()

    def close(self) -> None:
        """Close both directions."""
        self._reading.close()
        self._writing.close()

    def _dump(self, message: object) -> bytes:
        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
        if (names := self.names) is not None:
            # Unlike persistent ids, this costs nothing for objects of other classes.
            named: dict[type, Any] = dict.fromkeys(
                names.kinds, lambda thing: (_found, (names.name_of(thing),))
            )
            pickler.dispatch_table = {**copyreg.dispatch_table, **named}
        pickler.dump(message)
        return stream.getvalue()

    def _exactly(self, size: int) -> bytes:
        data = self._reading.read(size)
        if len(data) < size:
            raise EOFError
        return data


_HEAD = struct.Struct("=Q")
