"""A progress bar on standard error, shown only on a terminal and after one second."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from ncz.cli.terminal import Terminal

_DELAY = 1.0
"""Seconds before the bar is shown."""


class Progress:
    """A bar of chunks with bytes, rate and time left, unless quiet or not on a terminal."""

    def __init__(self, terminal: Terminal) -> None:
        self._shown = not terminal.quiet and sys.stderr.isatty()
        self._color = terminal.colored(sys.stderr)
        self._begun = time.monotonic()
        self._total = 0
        self._chunks = 0
        self._size = 0
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def expect(self, chunks: int) -> None:
        """Set the largest possible number of chunks."""
        self._total = chunks

    def moved(self, variable: str, chunks: int, size: int) -> None:
        """Add chunks and bytes that were written."""
        self._chunks += chunks
        self._size += size
        if not self._shown:
            return
        if self._bar is None:
            if time.monotonic() - self._begun < _DELAY:
                return
            self._start()
        rate = self._size / max(time.monotonic() - self._begun, 1e-9)
        self._bar.update(
            self._task,
            completed=self._chunks,
            name=variable,
            told=f"{_bytes(self._size)} at {_bytes(rate)}/s",
        )

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        console = Console(stderr=True, no_color=not self._color)
        self._bar = Bar(
            TextColumn("{task.fields[name]}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("chunks, {task.fields[told]}", markup=False),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("copy", total=self._total, name="", told="")
        self._bar.start()


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
