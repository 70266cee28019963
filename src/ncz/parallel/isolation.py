"""Run functions in another process, which may crash or not end without harm to this one.

This is for native libraries that trust the files they read. The process that needs a result waits
for it; an end by a signal, or after too much processor time, becomes an error of the call. So does
a process that waits for something that never comes.

Functions, arguments and results are pickled; see `messages` for objects that cannot be.
"""

from __future__ import annotations

import atexit
import contextlib
import copyreg
import gc
import importlib
import io
import os
import pickle
import select
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from socket import socket as Socket
from typing import Any, NoReturn, Protocol, TypeVar

from ncz.errors import NczError
from ncz.parallel.processes import (
    Standstill,
    can_fork,
    forking,
    is_alone,
    settle,
    wait_readable,
    work_of,
)
from ncz.record import record

# Pickled messages between two processes.
#
# Objects that exist in one of the processes only are replaced by names, which the other process
# resolves: see `Names`.

Ask = Callable[[Any], Any]
"""A function that asks the process that waits, and returns its answer."""

_HEAD = struct.Struct("=Q")
_PART = 1 << 16


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


class Messages:
    """Messages in both directions, each after its length.

    Parameters
    ----------
    connection
        The connection to the other process.
    wait
        Called with the file descriptor before each read; returns when there is something to read.
    """

    def __init__(self, connection: Socket, wait: Callable[[int], None] | None = None) -> None:
        self.names: Names | None = None
        self._connection = connection
        self._wait = wait
        self._read = bytearray()

    def send(self, message: object) -> None:
        """Send a message; in place of one that cannot be pickled, an error."""
        try:
            data = self._dump(message)
        except MemoryError:
            data = self._dump(("error", MemoryError()))
        except Exception as error:
            data = self._dump(("error", TypeError(f"{type(error).__name__}: {error}")))
        self._connection.sendall(_HEAD.pack(len(data)) + data)

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

    def _dump(self, message: object) -> bytes:
        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
        if (names := self.names) is not None:
            # Unlike persistent ids, this costs nothing for objects of other classes.
            reducers: dict[type, Any] = dict.fromkeys(
                names.kinds, lambda thing: (_placeholder, (names.name_of(thing),))
            )
            pickler.dispatch_table = {**copyreg.dispatch_table, **reducers}
        pickler.dump(message)
        return stream.getvalue()

    def _exactly(self, size: int) -> bytes:
        while (missing := size - len(self._read)) > 0:
            if self._wait is not None:
                self._wait(self._connection.fileno())
            part = self._connection.recv(max(missing, _PART))
            if not part:
                raise EOFError
            self._read += part
        data = bytes(memoryview(self._read)[:size])
        del self._read[:size]
        return data


def _placeholder(name: Any) -> NoReturn:
    """Stand in pickled messages for `Names.find` of the process that receives them."""
    raise pickle.UnpicklingError(f"this process has no names, and was sent {name!r}")


class _Unpickler(pickle.Unpickler):
    """Puts objects in the place of names."""

    def __init__(self, data: bytes, names: Names | None) -> None:
        super().__init__(io.BytesIO(data))
        self._names = names

    def find_class(self, module: str, name: str) -> Any:
        """Return a class or a function; see `pickle.Unpickler`."""
        if self._names is not None and (module, name) == (__name__, _placeholder.__name__):
            return self._names.find
        return super().find_class(module, name)


# What an isolated process does: run the functions that it is sent.


def import_modules(names: Iterable[str]) -> None:
    """Import modules, if they are installed."""
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def serve(connection: Socket, modules: Iterable[str] = ()) -> None:
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


def _leave_files(descriptor: int) -> None:
    """Leave streams, signals and files to the other process; write none when this one crashes.

    A reader of a pipe does not see its end while this process has the other end open.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
    sys.stdout = sys.stderr = os.fdopen(os.dup(2), "w")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPROF, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import faulthandler
        import resource

        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# Start an isolated process: by a fork of this process, or of a server.
#
# A forked process has the locks of threads and the state of libraries; a server has neither.

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
    """Begin to start the server, if this process will soon have threads."""
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


def start(modules: Sequence[str], *, is_new: bool = False) -> tuple[Socket, Child]:
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


def _connected(fork: Callable[[Socket], Child]) -> tuple[Socket, Child]:
    import socket as sockets

    with forking():
        ours, theirs = sockets.socketpair()
        with theirs, _closed_if_it_fails(ours):
            return ours, fork(theirs)


@contextlib.contextmanager
def _closed_if_it_fails(connection: Socket) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _fork(theirs: Socket, modules: Sequence[str] = ()) -> Child:
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

    def __init__(self, status: Socket) -> None:
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
    """The other process; see `ncz.parallel.isolation`."""

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

    def fork(self, connection: Socket) -> Child:
        """Let the server fork a process that serves a connection."""
        import socket as sockets

        ours, theirs = sockets.socketpair()
        with theirs, _closed_if_it_fails(ours):
            sockets.send_fds(self._control, [b"f"], [connection.fileno(), theirs.fileno()])
        return _Served(ours)


def _spawn(control: int, modules: Sequence[str]) -> int:
    """Start a new interpreter as a server, with the paths of this one, and return its number.

    It does not look for modules in its working directory (`-P`), which may be removed while it
    runs: Python 3.13 then fails where a module lacks an attribute.
    """
    path = [os.path.abspath(each) for each in sys.path]
    program = (
        f"import sys; sys.path[:] = {path!r}; from ncz.parallel.isolation import main;"
        f" main({list(modules)!r})"
    )
    actions = [
        (os.POSIX_SPAWN_DUP2, control, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    return os.posix_spawn(
        sys.executable, [sys.executable, "-P", "-c", program], os.environ, file_actions=actions
    )


_ahead: tuple[Socket, Child] | None = None
_is_first = True
"""Whether this process has started no isolated process yet."""

_running: _Server | None = None
_starting = threading.Lock()


def _server(modules: Sequence[str]) -> _Server:
    global _running
    with _starting:
        if _running is None:
            _running = _Server(modules)
            atexit.register(_forget_server)
        return _running


def _forget_server() -> None:
    global _running
    with _starting:
        if _running is not None:
            _running.close()
        _running = None


def _in_child() -> None:
    """Share the server with the parent, unless the parent's wait for it is not over.

    The process ahead stays with the parent.
    """
    global _ahead, _running, _starting
    _ahead = None
    _starting = threading.Lock()
    if _running is not None and not _running.is_started:
        _running = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


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
        self._is_paused = False
        self._connection: Socket
        self._child: Child
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
                self._resume()
                kind, content = self._call((function, arguments, memory))
        finally:
            self._disconnect()
        if isinstance(content, MemoryError):
            self._raise_end(f"needs more than {(self._limits.memory + memory) >> 20} MiB of memory")
        if kind == "error":
            raise content
        result: Result = content
        return result

    @property
    def is_paused(self) -> bool:
        """Whether the next call starts another process."""
        return self._is_paused

    def pause(self) -> None:
        """End the process until the next call, unless one is under way."""
        if self._owner != os.getpid() or not self._lock.acquire(blocking=False):
            return
        try:
            with self._ending:
                if self._end is None and not self._is_paused:
                    self._is_paused = True
                    self._connection.close()
                    self._child.end()
        finally:
            self._lock.release()

    def _resume(self) -> None:
        """Start another process if this one is paused."""
        with self._ending:
            if self._end is None and self._is_paused:
                self._begin()

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
        self._begin()

    def _begin(self) -> None:
        self._connection, self._child = start(self._modules, is_new=self._is_new)
        self._pipe = Messages(
            self._connection, lambda number: wait_readable(number, self._child.work)
        )
        with contextlib.suppress(OSError):  # an end at once is found by the first call
            self._pipe.send((self._enter, self._limits))
        self._pipe.names = self._names
        self._is_paused = False

    def _stop(self, reason: str | None) -> str:
        """End the process, and return the reason; without one, that is how it ended itself."""
        if self._owner != os.getpid():
            return ""
        with self._ending:
            if self._end is None:
                with contextlib.suppress(OSError):
                    self._connection.shutdown(2)  # SHUT_RDWR; another thread may wait for it
                code = None if self._is_paused else self._child.end()
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


# A process that forks isolated processes for another, whose threads could hold a lock meanwhile.
#
# It is a new interpreter without threads. For every message it forks a process, which serves the
# first of the two connections in the message. Over the second go the number of that process
# and, after its end, its exit code; the other side closes it to end the process.


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
            pid = _fork_for_client(connection)
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


def _fork_for_client(connection: socket.socket) -> int:
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
        finished_pid, code = os.waitpid(pid, os.WNOHANG)
        if finished_pid:
            with children.pop(pid) as status, contextlib.suppress(OSError):
                status.send(NUMBER.pack(os.waitstatus_to_exitcode(code)))


# Keep other threads from collecting garbage while this one waits with a library's lock.
#
# A library that locks all of its calls, as h5py does, also locks the end of its objects. If it
# reads a file through Python, and the thread that fetches the bytes happens to collect garbage with
# such an object in it, both threads wait for each other for ever.

_lock = threading.RLock()
_blocks = 0
_enabled = False


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Switch the collection of cyclic garbage off in all threads for the duration of the block.

    It is on again after the last of the blocks that several threads run, if it was on before.
    """
    global _blocks, _enabled
    with _lock:
        if not _blocks:
            _enabled = gc.isenabled()
            gc.disable()
        _blocks += 1
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            if not _blocks and _enabled:
                gc.enable()
