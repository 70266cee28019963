"""The lines of ncz that an input reaches.

From Python 3.12 on, `sys.monitoring` reports each line once at hardly any cost. Before, a trace
function does; it stops to look at functions that have shown nothing new for a while.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import ncz

PACKAGE = str(Path(ncz.__file__).parent)
PATIENCE = 10
"""So many calls of a function that reach no new line end its tracing."""

Line = tuple[str, int]


class Lines:
    """The lines that were reached since `take` was called last, without those known before."""

    def __init__(self) -> None:
        self._known: set[Line] = set()
        self._new: set[Line] = set()
        self._patience: dict[CodeType, int] = {}

    def know(self, lines: set[Line]) -> None:
        """Stop reporting these lines."""
        self._known |= lines

    def take(self) -> set[Line]:
        """Return the new lines, and know them."""
        taken, self._new = self._new, set()
        self._known |= taken
        return taken

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record the lines that the block reaches."""
        with self._monitoring() if sys.version_info >= (3, 12) else self._tracing():
            yield

    @contextlib.contextmanager
    def _tracing(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return None
        left = self._patience.get(code)
        if left is None:
            left = PATIENCE if self._has_unknown_lines(code) else 0
            self._patience[code] = left
        if left == 0:
            return None
        self._patience[code] = left - 1
        self._reached(code, frame.f_lineno)
        return self._stepped

    def _has_unknown_lines(self, code: CodeType) -> bool:
        numbers = {number for _, _, number in code.co_lines() if number is not None}
        return any((code.co_filename, number) not in self._known for number in numbers)

    def _stepped(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._reached(frame.f_code, frame.f_lineno)
        return self._stepped

    @contextlib.contextmanager
    def _monitoring(self) -> Iterator[None]:
        tool: Any = getattr(sys, "monitoring")  # noqa: B009 - mypy checks for Python 3.11
        tool.use_tool_id(tool.COVERAGE_ID, "ncz-fuzz")
        tool.register_callback(tool.COVERAGE_ID, tool.events.LINE, self._reached_once)
        tool.set_events(tool.COVERAGE_ID, tool.events.LINE)
        try:
            yield
        finally:
            tool.free_tool_id(tool.COVERAGE_ID)

    def _reached_once(self, code: CodeType, number: int) -> Any:
        if code.co_filename.startswith(PACKAGE):
            self._reached(code, number)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined,unused-ignore]

    def _reached(self, code: CodeType, number: int) -> None:
        line = (code.co_filename, number)
        if line not in self._known and line not in self._new:
            self._new.add(line)
            self._patience[code] = PATIENCE
