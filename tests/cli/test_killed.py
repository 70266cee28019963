"""``kill -9`` at any moment leaves no incomplete store that opens, and a copy can be resumed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a system without SIGKILL")

MOMENTS = 20

PROGRAM = """
import os, signal, sys

moment, seen = int(sys.argv[1]), 0


def tick():
    global seen
    seen += 1
    if seen == moment:
        os.kill(os.getpid(), signal.SIGKILL)


def heard(event, arguments):
    if event in ("open", "os.rename", "os.mkdir", "os.remove", "os.truncate"):
        if event != "open" or (arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            tick()


from ncz.zmap.local.zip.writer import ZipWriter

append = ZipWriter._append


def appended(self, key, value):
    tick()
    entry = append(self, key, value)
    if len(value) % 3 == 0:
        self._file.flush()  # so that not only what fills a buffer is in the file
    tick()
    return entry


ZipWriter._append = appended
import ncz.cli
from ncz.cli.terminal import run

sys.addaudithook(heard)
code = run(ncz.cli.ncz, "ncz", sys.argv[2:])
sys.addaudithook(lambda *_: None)
print(seen, file=sys.stderr)
sys.exit(code)
"""

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


def killed(moment: int, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run ncz and kill it at the given moment; 0 means never."""
    command = [sys.executable, "-c", PROGRAM, str(moment), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, check=False)


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    (folder / "killed.cdl").write_bytes(CDL)
    ncz.gen(folder / "killed.cdl", folder / "killed.zarr", notify=ignore_notice)
    return Path(folder)


Line = Callable[[Path, Path], tuple[object, ...]]

COMMANDS: dict[str, Line] = {
    "gen": lambda s, t: ("gen", s / "killed.cdl", "-o", t),
    "raw": lambda s, t: ("copy", s / "killed.zarr", t),
    "rechunk": lambda s, t: ("copy", s / "killed.zarr", t, "-c", "x/7", "-d", "3"),
}


@pytest.mark.parametrize("kind", ["zarr", "zip"])
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_that_opens_is_half(command, kind, sources, tmp_path, run: Run):
    target = tmp_path / f"t.{kind}"
    arguments = COMMANDS[command](sources, target)
    whole = killed(0, *arguments, cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    moments = int(whole.stderr.split()[-1])
    expected = run("dump", "-n", "x", target).text
    assert moments > MOMENTS
    seed = random.Random(f"{command} {kind}")
    new = tmp_path / f"new.{kind}"
    for number, moment in enumerate(seed.sample(range(1, moments + 1), MOMENTS)):
        ended = killed(moment, *COMMANDS[command](sources, new), cwd=tmp_path)
        assert ended.returncode == -signal.SIGKILL, (moment, ended.stderr)
        opened = run("dump", "-n", "x", new)
        assert opened.code != 0 or opened.text == expected, moment
        # Nor does anything lie there that a person could take for a store.
        left = [p for p in tmp_path.iterdir() if p not in (target, new)]
        assert all(p.name.startswith(".ncz-") for p in left)
        for path in left:
            if path.suffix == ".partial":
                inside = run("dump", "-n", "x", path)
                assert inside.code != 0 or inside.text == expected, moment
        if command != "gen" and opened.code != 0:
            ended = killed(0, *COMMANDS[command](sources, new), "--resume", cwd=tmp_path)
            assert ended.returncode == 0, ended.stderr
            assert run("dump", "-n", "x", new).text == expected
        for path in tmp_path.iterdir():
            if path != target:
                remove(path)
        if number % 4 == 0:
            replaced(killed(moment, *arguments, "--overwrite", cwd=tmp_path), target, expected, run)


def replaced(ended, target: Path, expected: str, run: Run) -> None:
    """A store to be replaced is complete: the old one or the new one, which are equal here."""
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    found = run("dump", "-n", "x", target)
    if found.code:  # between the two renames: the old one lies beside its place
        aside = [p for p in target.parent.iterdir() if p.suffix == ".partial" and p != target]
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
