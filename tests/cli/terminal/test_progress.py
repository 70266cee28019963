"""The progress bar appears only on a terminal, and only for long copies."""

from __future__ import annotations

import io
import sys

import pytest

from ncz.cli.terminal import Terminal
from ncz.cli.terminal import progress as module
from ncz.cli.terminal.progress import Progress


class Tty(io.StringIO):
    """A standard error stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def shown(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, retry_policy: float, quiet: bool
) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "_DELAY", retry_policy)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    terminal.quiet = quiet
    with Progress(terminal) as progress:
        progress.expect(4)
        for _ in range(3):
            progress.moved("/t2m", 1, 1_500_000)
    return stream.getvalue()


def test_a_terminal_sees_chunks_bytes_and_rate(monkeypatch):
    text = shown(monkeypatch, Tty(), 0, quiet=False)
    assert "/t2m" in text
    assert "3/4" in text
    assert "4.5 MB at " in text


@pytest.mark.parametrize(
    ("stream", "retry_policy", "quiet"),
    [(io.StringIO(), 0, False), (Tty(), 3600, False), (Tty(), 0, True)],
    ids=["a file", "soon done", "quiet"],
)
def test_nothing_is_shown_otherwise(monkeypatch, stream, retry_policy, quiet):
    assert shown(monkeypatch, stream, retry_policy, quiet) == ""


def test_no_colour_if_none_is_wanted(monkeypatch):
    stream = Tty()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "_DELAY", 0)
    with Progress(Terminal()) as progress:
        progress.expect(2)
        progress.moved("/v", 1, 10)
    assert "\x1b[3" not in stream.getvalue()
