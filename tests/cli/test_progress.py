"""The progress bar appears only on a terminal, and only for long work."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import ncz
import ncz.cli
from ncz.cli import progress as module
from ncz.cli.progress import ProgressBar
from ncz.cli.terminal import Terminal, run
from ncz.commands.copy.dataset import copy_dataset
from ncz.commands.copy.options import CopyOptions
from ncz.commands.sources import location_of_target
from ncz.errors import Callbacks, NczError
from ncz.record import replace
from ncz.zmap.local.build_names import PARTIAL, name_start
from ncz.zmap.location import location_of
from tests.series import cdl, write_series

CDL = """netcdf s {
dimensions: t = UNLIMITED ; x = 40 ;
variables:
  double t(t) ; int v(t, x) ; v:_ChunkSizes = 2, 10 ; char c(x) ;
data:
  t = %s ; v = %s ; c = "text" ;
}
"""
WAIT = 20
"""The time limit of a test, in seconds."""


class Tty(io.StringIO):
    """A standard error stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, delay: float, quiet: bool) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "_DELAY", delay)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    terminal.quiet = quiet
    with ProgressBar(terminal) as progress:
        progress.expect(4)
        for _ in range(3):
            progress.advance("/t2m", 1, 1_500_000)
    return stream.getvalue()


def test_a_terminal_sees_chunks_bytes_and_rate(monkeypatch):
    text = shown(monkeypatch, Tty(), 0, quiet=False)
    assert "/t2m" in text
    assert "3/4" in text
    assert "chunks, 4.5 MB at " in text


@pytest.mark.parametrize(
    ("stream", "delay", "quiet"),
    [(io.StringIO(), 0, False), (Tty(), 3600, False), (Tty(), 0, True)],
    ids=["a file", "soon done", "quiet"],
)
def test_nothing_is_shown_otherwise(monkeypatch, stream, delay, quiet):
    assert shown(monkeypatch, stream, delay, quiet) == ""


def test_no_colour_if_none_is_wanted(monkeypatch):
    stream = Tty()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "_DELAY", 0)
    with ProgressBar(Terminal()) as progress:
        progress.expect(2)
        progress.advance("/v", 1, 10)
    assert "\x1b[3" not in stream.getvalue()


def test_a_name_cannot_control_the_terminal(monkeypatch):
    stream = Tty()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "_DELAY", 0)
    with ProgressBar(Terminal()) as progress:
        progress.expect(None, "keys")
        progress.advance("/v\x1b]0;title\x07", 1, 0)
    assert "/v\\x1b]0;title\\x07" in stream.getvalue()
    assert "\x1b]0;" not in stream.getvalue()


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_series(tmp_path_factory.mktemp("progress"), CDL)
    (folder / "c.cdl").write_text(cdl(CDL, range(1, 7)))
    left = folder / f"{name_start('c.zarr')}{PARTIAL}"
    left.mkdir()
    for name in ("0", "1"):
        (left / name).write_bytes(b"1")
    return folder


@contextlib.contextmanager
def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *, stdout: bool) -> Iterator[list[bytes]]:
    """Let standard error be a terminal, and standard output too or not; give its contents."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    seen: list[bytes] = []

    def read() -> None:
        with contextlib.suppress(OSError):  # EIO: nobody has the terminal open any more
            while part := os.read(ours, 4096):
                seen.append(part)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    with open(theirs, "w", encoding="utf-8") as terminal, open(os.devnull, "w") as nothing:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr(sys, "stdout", terminal if stdout else nothing)
        yield seen
    reader.join(WAIT)
    assert not reader.is_alive()
    os.close(ours)


LINES = {
    "gen": ("gen a.cdl -o new.zarr", "286/286 values"),
    "the first pass of gen": ("gen a.cdl -o new.zarr", " bytes"),
    "gen to a file": ("gen a.cdl -o new.nc --kind classic", "286/286 values"),
    "gen --check": ("gen a.cdl --check", "286/286 values"),
    "dump to a file": ("dump a.zarr -o new.cdl", "286/286 values"),
    "dump to a pipe": ("dump -v t a.zarr", "6/6 values"),
    "dump --json": ("dump --json a.zarr -o new.json", "286/286 values"),
    "copy": ("copy a.zarr new.zip", "14/14 chunks"),
    "copy from CDL": ("copy a.cdl new.zarr", "14/14 chunks"),
    "copy to CDL": ("copy a.zarr new.cdl", "286/286 values"),
    "copy --concat": ("copy a.zarr b.zarr new.zarr --concat t", "2/2 sources"),
    "copy of a text": ("copy c.cdl new.zarr", " bytes"),
    "references": ("copy a.zarr new.json --mode reference", "14/14 chunks"),
    "pieces": ("copy a.zarr new.zarr --mode cfa --pieces t/2", "240/240 values"),
    "copy --verify": ("copy a.zarr new.zarr --verify", "286/286 values"),
    "append": ("copy --append t b.zarr a.zarr", "9/9 chunks"),
    "append --verify": ("copy --append t b.zarr a.zarr --verify", "164/164 values"),
    "edit": ("edit a.zarr --rename v=w", "22/22 objects"),
    "check": ("check a.zarr", "22/? keys"),
    "check --data": ("check --data a.zarr", "14/14 chunks"),
    "diff": ("diff a.zarr a.zarr", "286/286 values"),
    "diff of files": ("diff a.zarr a.cdl", "286/286 values"),
    "info": ("info a.zarr", "3/3 variables"),
    "info --stats": ("info --stats a.zarr", "13/13 chunks"),
    "consolidate": ("consolidate a.zarr", "8/? documents"),
    "ls": ("ls -r a.zarr", "22/? keys"),
    "ls --totals": ("ls --totals a.zarr", "22/? keys"),
    "ls --contents": ("ls --contents -r a.zarr", "22/? keys"),
    "ls -x": ("ls -x objdump a.zarr", "/? keys"),
    "clean": ("clean c.zarr", "2/? files"),
    "aggregate": ("aggregate new.zarr a.zarr b.zarr --axis t", "2/2 files"),
}


def shown_by(monkeypatch: pytest.MonkeyPatch, *arguments: str, stdout: bool = False) -> str:
    """Run a command without an error; return the text on the terminal, with single spaces."""
    monkeypatch.setattr(module, "_DELAY", 0)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    with on_a_terminal(monkeypatch, stdout=stdout) as seen:
        assert run(ncz.cli.ncz, "ncz", arguments) == 0
    return re.sub(r"\s+", " ", b"".join(seen).decode())


@pytest.mark.parametrize("name", LINES)
def test_commands_count_all_of_their_work(name, stores, tmp_path, monkeypatch):
    line, last = LINES[name]
    monkeypatch.chdir(shutil.copytree(stores, tmp_path / "stores"))
    text = shown_by(monkeypatch, *line.split())
    assert last in text, text[-500:]


def test_requests_are_counted_where_nothing_else_can_be(s3, stores, monkeypatch):
    monkeypatch.chdir(stores)
    store = f"{s3}/a.zarr#mode=s3"
    assert "14/14 chunks" in shown_by(monkeypatch, "copy", "a.zarr", store)
    for line in (
        ["dump", "-h", store],
        ["ls", store],
        ["edit", store, "--rename", "v=w"],
        ["clean", store],
        ["info", store],
        ["dump", "--ncml", "-h", store],
    ):
        assert re.search(r" [1-9][0-9]*/\? requests", shown_by(monkeypatch, *line)), line


@pytest.mark.parametrize("line", ["dump a.zarr", "ls -r a.zarr", "dump -h a.zarr"])
def test_a_text_on_the_same_terminal_has_no_bar(line, stores, monkeypatch):
    monkeypatch.chdir(stores)
    text = shown_by(monkeypatch, *line.split(), stdout=True)
    after = text[text.index("/.zgroup" if line.startswith("ls") else "netcdf a {") :]
    assert "\x1b" not in after
    assert "━" not in after


def test_a_wait_for_a_server_is_shown_before_the_text(s3, stores, monkeypatch):
    monkeypatch.chdir(stores)
    ncz.copy("a.zarr", f"{s3}/a.zarr#mode=s3")
    text = shown_by(monkeypatch, "dump", "-h", f"{s3}/a.zarr#mode=s3", stdout=True)
    bar, _, after = text.rpartition("\x1b[2K")
    assert " requests" in bar
    assert "netcdf" not in bar
    assert "━" not in after


def test_the_bar_makes_way_for_lines_on_the_same_terminal(stores, monkeypatch):
    monkeypatch.chdir(stores)
    monkeypatch.setattr(module, "_DELAY", 0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    with on_a_terminal(monkeypatch, stdout=True) as seen:
        assert run(ncz.cli.ncz, "ncz", ["diff", "a.zarr", "c.cdl"]) == 1
    text = b"".join(seen).decode()
    assert "values" in text
    lines = [line for line in text.splitlines() if "!=" in line or " differ" in line]
    assert len(lines) > 20
    for line in lines:  # the start of its line was erased
        assert "━" not in line.rpartition("\x1b[2K")[2]


def test_an_error_in_the_middle_ends_the_bar(stores, tmp_path, monkeypatch):
    """The progress until then is shown, and the error is a separate line."""
    monkeypatch.chdir(shutil.copytree(stores, tmp_path / "stores"))
    monkeypatch.setattr(module, "_DELAY", 0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "stores/a.zarr/v/1.2").write_bytes(b"short")
    with on_a_terminal(monkeypatch, stdout=False) as seen:
        assert run(ncz.cli.ncz, "ncz", ["copy", "a.zarr", "new.zarr", "-c", "x/5"]) == 1
    text = b"".join(seen).decode()
    bar, _, after = text.rpartition("\x1b[2K")
    done, total = re.findall(r"(\d+)/(\d+)", bar)[-1]
    assert 0 < int(done) < int(total)
    assert "/v/1.2: " in after
    assert after.count("\n") == 1
    assert "━" not in after
    assert not (tmp_path / "stores/new.zarr").exists()


def test_steps_are_counted_until_an_error_and_not_beyond(stores, tmp_path):
    steps: list[tuple[str, int]] = []

    class Counted:
        def expect(self, total: int | None, unit: str = "chunks") -> None:
            steps.append((unit, total or 0))

        def advance(self, name: str, count: int, size: int) -> None:
            steps.append((name, count))

    store = shutil.copytree(stores / "a.zarr", tmp_path / "a.zarr")
    (store / "v/1.2").write_bytes(b"short")
    options = CopyOptions(
        source=location_of(store), target=location_of_target(str(tmp_path / "new.zarr"))
    )
    with pytest.raises(NczError, match=r"/v/1\.2: "):
        copy_dataset(options, callbacks=Callbacks(progress=Counted()))
    assert steps[0] == ("chunks", 14)
    assert sum(count for name, count in steps if name == "/v") < 12
    steps.clear()
    summary = copy_dataset(
        replace(options, keep_going=True), callbacks=Callbacks(progress=Counted())
    )
    assert [error.location for error in summary.damaged] == [f"{store}: /v/1.2"]
    assert sum(count for _, count in steps[1:]) == 14
