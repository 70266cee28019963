"""``kill -9`` at any moment: no half of a store that opens, and a copy can be gone on with."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

import ncz
import ncz.cli
from ncz.cli.terminal import run as run_command
from ncz.errors import ignore_notice
from ncz.record import record
from ncz.zmap.local.zip_writer import ZipWriter
from tests.conftest import Run
from tests.forked import forked

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a system without SIGKILL")

MOMENTS = 20

CDL = b"""netcdf killed {
dimensions: x = 40 ; y = 10 ;
variables:
  int v(x, y) ; v:_ChunkSizes = 4, 10 ; v:_DeflateLevel = 1 ;
  double w(x) ; w:_ChunkSizes = 10 ; w:units = "m" ;
data:
  v = %s ;
  w = %s ;
group: g { variables: short s(y) ; data: s = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ; }
}""" % (
    b", ".join(b"%d" % n for n in range(400)),
    b", ".join(b"%d.5" % n for n in range(40)),
)


@record
class Ended:
    """The end of a process, and the number of its moments if it was not killed."""

    code: int | None
    moments: int


def kill_at(moment: int, moments: Connection, *arguments: str) -> None:
    """Run ncz in this process and kill it at the moment of that number; 0 is never.

    A moment is before anything is opened for writing, made, renamed or removed, and before and
    after each entry of a zip.
    """
    seen = 0
    over = False
    sys.dont_write_bytecode = True  # only the first process in a new tree would compile modules

    def tick() -> None:
        nonlocal seen
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def heard(event: str, arguments: tuple[Any, ...]) -> None:
        if over or event not in ("open", "os.rename", "os.mkdir", "os.remove", "os.truncate"):
            return
        if event != "open" or (arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            tick()

    append = ZipWriter._append

    def appended(self: ZipWriter, key: str, value: bytes) -> object:
        tick()
        entry = append(self, key, value)
        if len(value) % 3 == 0:
            self._file.flush()  # so that the file does not contain only full buffers
        tick()
        return entry

    ZipWriter._append = appended  # type: ignore[assignment,method-assign]
    sys.addaudithook(heard)
    code = run_command(ncz.cli.ncz, "ncz", arguments)
    over = True
    moments.send(seen)
    sys.exit(code)


def killed(moment: int, *arguments: object) -> Ended:
    """Run ncz in a separate process, and kill it at the moment of that number; 0 means never."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    with ours:
        with theirs, forked(kill_at, moment, theirs, *map(str, arguments)) as process:
            pass
        moments = ours.recv() if ours.poll() and process.exitcode == 0 else 0
    return Ended(process.exitcode, moments)


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    (folder / "killed.cdl").write_bytes(CDL)
    ncz.gen(folder / "killed.cdl", folder / "killed.zarr", notify=ignore_notice)
    return Path(folder)


Line = Callable[[Path, Path], tuple[str | Path, ...]]

COMMANDS: dict[str, Line] = {
    "gen": lambda s, t: ("gen", s / "killed.cdl", "-o", t),
    "raw": lambda s, t: ("copy", s / "killed.zarr", t),
    "rechunk": lambda s, t: ("copy", s / "killed.zarr", t, "-c", "x/7", "-d", "3"),
}


@pytest.mark.parametrize("kind", ["zarr", "zip"])
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("count", [4, pytest.param(MOMENTS, marks=pytest.mark.long)])
def test_nothing_that_opens_is_half(count, command, kind, sources, tmp_path, run: Run):
    target = tmp_path / f"t.{kind}"
    arguments = COMMANDS[command](sources, target)
    whole = killed(0, *arguments)
    assert whole.code == 0
    expected = run("dump", "-n", "x", target).text
    assert whole.moments > MOMENTS
    seed = random.Random(f"{command} {kind}")
    new = tmp_path / f"new.{kind}"
    for number, moment in enumerate(seed.sample(range(1, whole.moments + 1), count)):
        ended = killed(moment, *COMMANDS[command](sources, new))
        assert ended.code == -signal.SIGKILL, moment
        opened = run("dump", "-n", "x", new)
        assert opened.code != 0 or opened.text == expected, moment
        # No file looks like a store.
        left = [p for p in tmp_path.iterdir() if p not in (target, new)]
        assert all(p.name.startswith(".ncz-") for p in left)
        for path in left:
            if path.suffix == ".partial":
                inside = run("dump", "-n", "x", path)
                assert inside.code != 0 or inside.text == expected, moment
        if command != "gen" and opened.code != 0:
            resumed = run(*COMMANDS[command](sources, new), "--resume")
            assert resumed.code == 0, resumed.stderr
            assert run("dump", "-n", "x", new).text == expected
        for path in tmp_path.iterdir():
            if path != target:
                remove(path)
        if number % 4 == 0:
            replaced(killed(moment, *arguments, "--overwrite"), target, expected, run)


def replaced(ended: Ended, target: Path, expected: str, run: Run) -> None:
    """A store that should be replaced is complete: the old one or the new, which are equal here."""
    assert ended.code in (0, -signal.SIGKILL)
    found = run("dump", "-n", "x", target)
    if found.code:  # between the two renames: the old one is next to its place
        aside = [p for p in target.parent.iterdir() if p.suffix in (".partial", ".old")]
        assert expected in [run("dump", "-n", "x", path).text for path in aside]
    else:
        assert found.text == expected


def remove(path: Path) -> None:
    if path.is_dir():
        for below in path.iterdir():
            remove(below)
        path.rmdir()
    else:
        path.unlink()
