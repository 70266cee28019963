"""Printing by several processes: the same text, the same errors, nobody left behind.

``make test`` takes a part of the options.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import ncz.cdl.data_list.block_index
import ncz.cdl.print_data
import ncz.model.slabs
import ncz.parallel.processes
import ncz.parallel.standstill
from ncz.errors import CodecError, NczError
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.model.grid import Index
from ncz.parallel.processes import can_fork, in_order
from tests.conftest import Run
from tests.sampled import sampled

pytestmark = pytest.mark.skipif(not can_fork(), reason="processes are not forked on this system")


def everybody() -> set[int]:
    """The children of this process, those too that ended and were not waited for."""
    lists = Path("/proc/self/task").glob("*/children")
    return {int(pid) for path in lists for pid in path.read_text().split()}


_others: set[int] = set()


@pytest.fixture(autouse=True)
def others() -> None:
    """Children that other tests have left: servers, for example."""
    _others.clear()
    _others.update(everybody())


def children() -> set[int]:
    """The children that this test has left."""
    return everybody() - _others


@pytest.mark.parametrize("jobs", [1, 3])
def test_results_come_in_the_order_of_the_tasks(jobs: int):
    def work(task: int) -> Iterator[bytes]:
        for part in range(task % 3):
            yield b"%d.%d " % (task, part) * (1 if task % 5 else 100_000)

    expected = [part for task in range(20) for part in work(task)]
    assert list(in_order(range(20), work, jobs)) == expected
    assert children() == set()


def test_an_error_is_raised_where_it_arose():
    def work(task: int) -> Iterator[bytes]:
        yield b"begun %d" % task
        if task == 2:
            raise CodecError("cannot be decoded", "a.zarr: /v/0", "fetch it again")

    given: list[bytes] = []
    with pytest.raises(CodecError) as raised:
        given.extend(in_order([1, 2, 3], work, 2))
    assert str(raised.value) == "a.zarr: /v/0: cannot be decoded; fetch it again"
    assert children() == set()


def test_an_error_that_cannot_be_sent_is_reported_in_words():
    class OnlyHere(Exception):
        pass

    def work(task: int) -> Iterator[bytes]:
        yield b""
        raise OnlyHere("why")

    with pytest.raises(RuntimeError, match="OnlyHere: why"):
        list(in_order([1], work, 1))


def test_an_error_is_sent_without_its_cause():
    """As tblib does, which importing Dask's scheduler installs, pickle is made to follow it."""
    pickling_support = pytest.importorskip("tblib.pickling_support")

    class OnlyHere(Exception):
        pass

    def work(task: int) -> Iterator[bytes]:
        pickling_support.install(CodecError)
        yield b""
        raise CodecError("cannot be decoded", "a.zarr: /v/0") from OnlyHere("why")

    with pytest.raises(CodecError, match=r"a\.zarr: /v/0: cannot be decoded"):
        list(in_order([1], work, 1))


def test_a_process_that_is_killed_is_an_error():
    def work(task: int) -> Iterator[bytes]:
        yield b"x"
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(NczError, match="a worker process was killed"):
        list(in_order([1, 2], work, 2))
    assert children() == set()


@pytest.mark.long
def test_a_process_that_stands_still_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ncz.parallel.standstill, "SECONDS", 1)

    def work(task: int) -> Iterator[bytes]:
        yield b"x"
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()

    with pytest.raises(NczError, match="a worker process does not respond; use --jobs 1"):
        list(in_order([1, 2], work, 2))
    assert children() == set()


def test_nobody_continues_when_the_reader_stops():
    def work(task: int) -> Iterator[bytes]:
        while True:
            yield b"x" * 100_000

    results = in_order([1, 2], work, 2)
    assert next(results) == b"x" * 100_000
    results.close()
    assert children() == set()


CDL = """netcdf p {{
dimensions: t = UNLIMITED ; u = UNLIMITED ; y = 7 ; x = 30 ; long = 700 ;
variables:
  float flat(long) ; flat:_ChunkSizes = 300 ;
  double grid(y, x) ; grid:_ChunkSizes = 3, 7 ;
  int deep(y, y, x) ; deep:_ChunkSizes = 5, 2, 11 ;
  short open(t, u) ; open:_ChunkSizes = 2, 5 ;
  char letters(y, x) ; string words(y, y) ; string list(long) ;
  double when(y, x) ; when:units = "days since 2000-01-01" ;
  int sparse(y, x) ;
data:
  flat = {flat} ; grid = {grid} ; deep = {deep} ; open = {open} ;
  letters = {letters} ; words = {words} ; list = {list} ; when = {grid} ;
}}
"""


@pytest.fixture(scope="module")
def source() -> bytes:
    random = np.random.default_rng(1)
    flat = ", ".join(f"{v:.7g}" for v in random.normal(0, 1e3, 700))
    grid = ", ".join("_" if v > 1 else f"{v:.15g}" for v in random.normal(0, 1, 210))
    return CDL.format(
        flat=flat,
        grid=grid,
        deep=", ".join(map(str, random.integers(-(10**9), 10**9, 7 * 7 * 30))),
        open=", ".join("{" + ", ".join(map(str, range(i, i + 12))) + "}" for i in range(9)),
        letters=", ".join(f'"{chr(97 + i) * (i * 4)}"' for i in range(7)),
        words=", ".join(f'"word {i}"' for i in range(49)),
        list=", ".join(f'"{i}"' for i in range(700)),
    ).encode()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slabs of 64 values, and any data are worth a process."""
    monkeypatch.setattr(ncz.cdl.print_data, "_MIN_VALUES", 0)
    monkeypatch.setattr(ncz.model.slabs, "SLAB", 64)
    monkeypatch.setattr(ncz.model.slabs, "MAX_SLAB_BYTES", 512)
    monkeypatch.setattr(ncz.cdl.print_data, "MAX_SLAB_BYTES", 512)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("suffix", "options"),
    sampled(
        itertools.product(
            ["zarr", "zip"], [[], ["-b", "f"], ["-f", "c"], ["-l", "30"], ["-p", "4,5"], ["-t"]]
        ),
        12,
    ),
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_the_text_is_the_same(
    tmp_path: Path, run: Run, source: bytes, suffix: str, options: list[str]
):
    store = tmp_path / f"p.{suffix}"
    assert run("gen", "-", "-o", store, stdin=source).code == 0
    one = run("dump", "-j", "1", *options, store)
    three = run("dump", "-j", "3", *options, store)
    assert one.code == three.code == 0
    assert one.text == three.text
    assert children() == set()


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_the_error_is_the_same(tmp_path: Path, run: Run, source: bytes):
    store = tmp_path / "p.zarr"
    assert run("gen", "-", "-o", store, stdin=source).code == 0
    (store / "grid" / "1.2").write_bytes(b"too short")
    one, three = (run("dump", "-j", jobs, store) for jobs in ("1", "3"))
    assert one.code == three.code == 1
    assert one.stderr == three.stderr
    assert "data of /grid" in three.stderr
    assert one.text.startswith(three.text[: three.text.index(" grid =")])


def test_a_reader_who_goes_away_ends_it(tmp_path: Path, run: Run):
    store = tmp_path / "big.zarr"
    text = b"netcdf b { dimensions: n = 3000 ; m = 1000 ; variables: int v(n, m) ; }"
    assert run("gen", "-", "-o", store, stdin=text).code == 0
    with subprocess.Popen(
        [sys.executable, "-m", "ncz", "dump", "-j", "2", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"netcdf big {\n"
        process.stdout.close()
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == b""  # at its end no process has it open


def test_a_chunk_is_decoded_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run):
    store = tmp_path / "thick.zarr"
    text = b"""netcdf t { dimensions: z = 8 ; y = 4 ; x = 16 ;
      variables: int v(z, y, x) ; v:_ChunkSizes = 4, 2, 8 ; data: v = 1, 2, 3, 4, 5 ; }"""
    assert run("gen", "-", "-o", store, stdin=text).code == 0
    monkeypatch.setattr(ncz.model.slabs, "SLAB", 64)
    read: list[Index] = []
    values_of = ZarrArray.values_of

    def counted(self: ZarrArray, indices: Sequence[Index]) -> object:
        read.extend(indices)
        return values_of(self, indices)

    monkeypatch.setattr(ZarrArray, "values_of", counted)
    assert run("dump", store).code == 0
    assert len(read) == len(set(read)) == 8


def numbers_cdl(nc_type: str, count: int) -> bytes:
    random = np.random.default_rng(3)
    spell = "{:.7g}".format if nc_type != "int" else "{:.0f}".format
    values = ", ".join("_" if v > 4000 else spell(v) for v in random.normal(0, 2000, count))
    return (
        f"netcdf n {{ dimensions: a = {count // 40} ; b = 40 ; variables: {nc_type} v(a, b) ;"
        f" v:_ChunkSizes = 100, 7 ; v:_DeflateLevel = 1 ; data: v = {values} ; }}"
    ).encode()


@pytest.mark.parametrize("nc_type", ["int", "float", "double"])
def test_text_that_is_read_ahead_gives_the_same_store(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run, nc_type: str
):
    monkeypatch.setattr(ncz.cdl.data_list.block_index, "BLOCK", 500)
    text = numbers_cdl(nc_type, 8_000)
    stores = {}
    for jobs in (1, 3):
        monkeypatch.setattr(ncz.parallel.processes, "default_jobs", lambda jobs=jobs: jobs)
        assert run("gen", "-", "-o", tmp_path / f"{jobs}.zip", stdin=text).code == 0
        stores[jobs] = (tmp_path / f"{jobs}.zip").read_bytes()
    assert stores[1] == stores[3]
    assert children() == set()


def test_a_wrong_constant_in_text_that_is_read_ahead_is_reported_with_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run
):
    monkeypatch.setattr(ncz.cdl.data_list.block_index, "BLOCK", 500)
    text = numbers_cdl("int", 8_000)
    wrong = text.replace(b", -", b", -99999999999, -", 1000).replace(b", -99999999999", b"", 999)
    told = {}
    for jobs in (1, 3):
        monkeypatch.setattr(ncz.parallel.processes, "default_jobs", lambda jobs=jobs: jobs)
        ran = run(
            "gen", "-", "-o", tmp_path / "w.zarr", stdin=wrong.replace(b"a = 200", b"a = 201")
        )
        assert ran.code == 1
        told[jobs] = ran.stderr
    assert told[1] == told[3]
    assert "-99999999999 does not fit int" in told[3]
    assert not (tmp_path / "w.zarr").exists()
