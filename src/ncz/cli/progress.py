"""A progress bar on standard error, shown only on a terminal and after one second."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from ncz.cli.terminal import Terminal, Write, encodable, visible
from ncz.zmap import watch_requests
from ncz.zmap.key import display

_DELAY = 1.0
"""Seconds before the bar is shown."""


class ProgressBar:
    """A bar of chunks or other units with bytes, rate and time left; a `ncz.errors`.

    Before a command counts anything itself, the requests to servers are counted. Nothing is shown
    if `hidden`, with the option ``--quiet``, or if standard error is a file.
    """

    def __init__(self, terminal: Terminal, *, hidden: bool = False) -> None:
        self._shown = not hidden and not terminal.quiet and sys.stderr.isatty()
        self._color = terminal.is_colored(sys.stderr)
        self._begun = time.monotonic()
        self._part_begun = self._begun
        self._total: int | None = None
        self._unit = "requests"
        self._requests = 0
        self._count = 0
        self._size = 0
        self._aside = False
        self._bar: Any = None
        self._task: Any = None
        self._lock = threading.RLock()

    def __enter__(self) -> ProgressBar:
        if self._shown:
            watch_requests(self._count_request)
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def expect(self, total: int | None, unit: str = "chunks") -> None:
        """Begin a part of the work; `total` is the most units it has, or None if not known."""
        with self._lock:
            self.hide()
            self._aside = False
            self._total, self._unit = total, unit
            self._count = self._size = 0
            self._part_begun = time.monotonic()

    def advance(self, name: str, count: int, size: int) -> None:
        """Add units that are done, and their bytes."""
        with self._lock:
            self._count += count
            self._size += size
            self._aside = False
            self._show(name, self._count)

    def _count_request(self, key: str) -> None:
        """Count a request, which may have been made in another thread."""
        with self._lock:
            self._requests += 1
            if not self._aside and not self._count:
                self._show(display(key), self._requests if self._unit == "requests" else 0)

    def _show(self, name: str, count: int) -> None:
        if not self._shown:
            return
        if self._bar is None:
            if time.monotonic() - self._begun < _DELAY:
                return
            self._start()
        pace = self._unit
        if self._size:
            rate = self._size / max(time.monotonic() - self._part_begun, 1e-9)
            pace += f", {_bytes(self._size)} at {_bytes(rate)}/s"
        self._bar.update(self._task, completed=count, name=self._name(name), pace=pace)

    def _name(self, name: str) -> str:
        return encodable(visible(name), sys.stderr)

    def hide(self) -> None:
        """Remove the bar until something else is done."""
        with self._lock:
            self._aside = True
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def end(self) -> None:
        """Remove the bar, and show none any more."""
        with self._lock:
            self.hide()
            if self._shown:
                self._shown = False
                watch_requests(None)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        # Not with stderr=True: rich would not ask for the encoding of the stream.
        console = Console(file=sys.stderr, no_color=not self._color)
        self._bar = Bar(
            TextColumn("{task.fields[name]}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}", markup=False),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("work", total=self._total, name="", pace="")
        self._bar.start()


@contextlib.contextmanager
def progress_before(
    terminal: Terminal, write: Write, *, is_seen: bool
) -> Iterator[tuple[ProgressBar, Write]]:
    """Yield a bar, and a function that writes; a text that `is_seen` ends the bar."""
    with ProgressBar(terminal) as progress:

        def write_after(data: bytes) -> object:
            progress.end()  # the text is on the same terminal
            return write(data)

        yield progress, write_after if is_seen else write


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
