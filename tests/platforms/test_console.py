"""Consoles that cannot show every character: an escape, and neither an error nor a lost message."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ncz.cli
from ncz.cli import progress as bar
from ncz.cli.terminal import run

CDL = 'netcdf s {{ variables: int 気温 ; 気温:_Storage = "{}" ; :t = "°C" ; }}'
WAIT = 60


class Console(io.TextIOWrapper):
    """A stream with an encoding that refuses characters that it cannot write."""

    def __init__(self, encoding: str, *, terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding, "strict", write_through=True)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode(self.encoding)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437"])
@pytest.mark.parametrize("terminal", [False, True])
def test_messages_have_escapes(encoding, terminal, tmp_path, monkeypatch):
    source = tmp_path / "気温.cdl"
    source.write_text(CDL.format("nothing"), "utf-8")
    errors, output = Console(encoding, terminal=terminal), Console(encoding)
    monkeypatch.setattr(sys, "stderr", errors)
    monkeypatch.setattr(sys, "stdout", output)
    assert run(ncz.cli.ncz, "ncz", ["gen", str(source), "-o", str(tmp_path / "x.zarr")]) == 1
    assert "\\u6c17\\u6e29.cdl:1:" in errors.text()
    assert run(ncz.cli.ncz, "ncz", ["dump", str(tmp_path / "気温.zarr")]) == 1
    assert "\\u6c17\\u6e29.zarr: no file or store exists at this path" in errors.text()
    assert run(ncz.cli.ncz, "ncz", ["気温"]) == 2
    assert "unknown command" in errors.text()


def test_a_progress_bar_has_escapes(monkeypatch):
    console = Console("cp1252", terminal=True)
    monkeypatch.setattr(sys, "stderr", console)
    monkeypatch.setattr(bar, "_DELAY", 0)
    with bar.ProgressBar(ncz.cli.terminal.Terminal()) as progress:
        progress.expect(2)
        progress.advance("/気温", 1, 0)
    assert "/\\u6c17\\u6e29" in console.text()


def test_text_is_utf_8_on_any_console(tmp_path: Path):
    """CDL that a pipe or a file receives must be what `ncz gen` reads."""
    source = tmp_path / "s.cdl"
    source.write_text(CDL.format("chunked"), "utf-8")
    store = str(tmp_path / "x.zarr")
    lines = (["gen", str(source), "-o", store], ["dump", store])
    ran = [
        subprocess.run(
            [sys.executable, "-m", "ncz", *line],
            env={**os.environ, "PYTHONIOENCODING": "cp1252:strict", "PYTHONUTF8": "0"},
            capture_output=True,
            timeout=WAIT,
            check=True,
        )
        for line in lines
    ]
    assert "気温" in ran[1].stdout.decode("utf-8")
    assert "°C" in ran[1].stdout.decode("utf-8")
