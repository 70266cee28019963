"""Pickled messages between two processes.

Objects that exist in one of the processes only are replaced by names, which the other process
resolves: see `Names`.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import struct
from collections.abc import Callable, Iterable
from socket import socket
from typing import Any, NoReturn, Protocol

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

    def __init__(self, connection: socket, wait: Callable[[int], None] | None = None) -> None:
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
            named: dict[type, Any] = dict.fromkeys(
                names.kinds, lambda thing: (_found, (names.name_of(thing),))
            )
            pickler.dispatch_table = {**copyreg.dispatch_table, **named}
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
