"""Report every read and write of a store, with its time: ``--trace``, and netcdf-c's NCTRACING.

A store is traced from the time it is opened: its class is replaced by a subclass, so that the store
keeps all that it can do. Nothing is imported or changed if nothing is traced.

Keys, sizes and times are reported, and locations as messages show them: never values or secrets.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from ncz.errors import NczError, in_command_line, quantity
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.key import display

METHODS = (
    *("get", "get_range", "size", "search", "walk", "walk_unsorted"),
    *("put", "put_sized", "put_from", "delete", "delete_many"),
    *("copy_many", "expect", "open_object", "place", "refer", "read"),
)
"""The methods that are reported: the methods of `ncz.zmap.WritableZmap`, and of files."""

_LOOKUPS = frozenset({"get", "get_range", "size", "open_object", "place"})
"""The methods that return None for an object that does not exist."""

_running = threading.local()


def tracer(report: Callable[[str], None]) -> Callable[[Any, str], None]:
    """Return a function for `ncz.zmap.watch_stores` that reports to `report`."""
    begun = time.perf_counter()

    def line(text: str) -> None:
        report(f"{time.perf_counter() - begun:.4f} s {text}")

    def watch(store: Any, address: str) -> None:
        line(f"open {address} ({type(store).__name__})")
        kind: Any = type(store)
        store.__class__ = _traced_class(kind, line)

    return watch


@cache
def _traced_class(kind: Any, line: Callable[[str], None]) -> Any:
    """Return a subclass of a store's class whose methods report each call."""
    own = {name: getattr(kind, name) for name in METHODS if hasattr(kind, name)}
    methods = {
        name: _report_calls(name, method, line)
        for name, method in own.items()
        if method.__module__ != Zmap.__module__  # a default, which calls other methods if any
    }
    methods["get_many"] = Zmap.get_many  # so that each is reported
    if issubclass(kind, WritableZmap):
        methods["put_many_from"] = WritableZmap.put_many_from
    return type(kind.__name__, (kind,), {**methods, "__slots__": ()})


def _report_calls(name: str, method: Callable[..., Any], line: Callable[[str], None]) -> Any:
    @wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if getattr(_running, "is_inside", False):  # a store that calls itself
            return method(self, *arguments, **named)
        begun, outcome = time.perf_counter(), "error"
        _running.is_inside = True
        try:
            result = method(self, *arguments, **named)
            outcome = _outcome(name, result)
            return result
        except NczError as error:
            outcome = f"error: {in_command_line(error.message)}"
            raise
        finally:
            _running.is_inside = False
            took = (time.perf_counter() - begun) * 1000
            line(f"{name}{_format_arguments(name, arguments)}: {outcome}, {took:.1f} ms")

    return call


def _format_arguments(name: str, arguments: tuple[Any, ...]) -> str:
    """Return the keys and ranges of a call; of values, which are bytes, only the size."""
    words = []
    for argument in arguments:
        if isinstance(argument, str):
            words.append(display(argument))
        elif isinstance(argument, int) and name != "get":  # which has a limit, and no range
            words.append(str(argument))
        elif isinstance(argument, (bytes, bytearray, memoryview)):
            words.append(f"{quantity(len(argument), 'byte')}")
    return "".join(f" {word}" for word in words)


def _outcome(name: str, result: Any) -> str:
    if result is None and name in _LOOKUPS:
        return "missing"
    if isinstance(result, (bytes, bytearray, memoryview)):
        return f"{quantity(len(result), 'byte')}"
    if isinstance(result, list):
        return f"{quantity(len(result), 'name')}"
    is_count = isinstance(result, int) and not isinstance(result, bool)
    return f"{quantity(result, 'byte')}" if is_count else "done"
