"""Processes that write their texts themselves: whole, in order, and with the same errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import ncz.cdl.print_data
import ncz.model.slabs
import ncz.parallel.processes
import ncz.parallel.standstill
from ncz.errors import CodecError, NczError
from ncz.parallel.processes import can_fork, in_order
from tests.conftest import Run

pytestmark = pytest.mark.skipif(not can_fork(), reason="processes are not forked on this system")


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def work(task: int) -> Iterator[bytes]:
    for part in range(task % 3):
        yield b"%d.%d " % (task, part) * (1 if task % 5 else 100_000)


@pytest.mark.parametrize("jobs", [1, 2, 3, 7])
def test_results_are_written_in_the_order_of_the_tasks(tmp_path: Path, jobs: int):
    with open(tmp_path / "text", "wb") as file:
        rests = list(in_order(range(20), work, jobs, file.fileno()))
    results = [result for task in range(20) for result in work(task)]
    assert rests == [b""] * len(results)
    assert (tmp_path / "text").read_bytes() == b"".join(results)


def test_a_result_is_written_when_it_is_requested(tmp_path: Path):
    with open(tmp_path / "text", "wb", buffering=0) as file:
        for task, _ in enumerate(in_order(range(6), lambda t: [b"<%d>" % t], 2, file.fileno())):
            file.write(b"%d" % task)
    assert (tmp_path / "text").read_bytes() == b"<0>0<1>1<2>2<3>3<4>4<5>5"


def test_a_result_that_cannot_be_written_is_returned(pipe: tuple[int, int]):
    reading, writing = pipe
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)  # so that writing to a full pipe fails
    results = [b"%d " % task * 60_000 for task in range(5)]
    for rest, result in zip(in_order(range(5), lambda t: [results[t]], 2, writing), results):  # noqa: B905
        written = os.read(reading, len(result))
        assert 0 < len(written) < len(result)
        assert written + rest == result


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_returns_all_results():
    with open("/dev/full", "wb", buffering=0) as full:
        assert list(in_order([1, 2], lambda t: [b"%d" % t], 2, full.fileno())) == [b"1", b"2"]


def test_an_error_is_raised_after_the_results_before_it(tmp_path: Path):
    def fail(task: int) -> Iterator[bytes]:
        yield b"%d" % task
        if task == 2:
            raise CodecError("cannot be decoded")

    with open(tmp_path / "text", "wb") as file, pytest.raises(CodecError):
        list(in_order([1, 2, 3], fail, 2, file.fileno()))
    assert (tmp_path / "text").read_bytes() == b"12"


def test_a_process_that_is_killed_is_an_error(tmp_path: Path):
    def die(task: int) -> Iterator[bytes]:
        yield b"x"
        os.kill(os.getpid(), signal.SIGKILL)

    with (
        open(tmp_path / "text", "wb") as file,
        pytest.raises(NczError, match="a worker process was killed"),
    ):
        list(in_order([1, 2], die, 2, file.fileno()))


@pytest.mark.long
def test_a_reader_may_wait_as_long_as_it_likes(
    monkeypatch: pytest.MonkeyPatch, pipe: tuple[int, int]
):
    """The pipe is read after three times as many seconds as a process may stand still."""
    monkeypatch.setattr(ncz.parallel.standstill, "SECONDS", 1)
    reading, writing = pipe
    size = 1 << 21
    text = bytearray()

    def read() -> None:
        while len(text) < size:
            text.extend(os.read(reading, size))

    reader = threading.Timer(3, read)
    results = in_order([1], lambda _: [b"x" * size], 1, writing)
    reader.start()
    assert list(results) == [b""]
    reader.join(timeout=60)
    assert text == b"x" * size


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run) -> Path:
    """A store whose slabs have 64 values, which several processes print."""
    monkeypatch.setattr(ncz.cdl.print_data, "_MIN_VALUES", 0)
    monkeypatch.setattr(ncz.model.slabs, "SLAB", 64)
    values = ", ".join(map(str, range(4000)))
    text = f"""netcdf s {{ dimensions: y = 100 ; x = 40 ; variables: int a(y, x) ; short b(y) ;
      double c(y, x) ; data: a = {values} ; b = 1, 2 ; c = {values} ; }}"""
    assert run("gen", "-", "-o", tmp_path / "s.zarr", stdin=text.encode()).code == 0
    return tmp_path / "s.zarr"


def test_a_file_has_the_same_text(tmp_path: Path, run: Run, store: Path):
    ran = run("dump", "-j", "3", "-o", tmp_path / "s.cdl", store)
    assert ran.code == 0, ran.stderr
    assert (tmp_path / "s.cdl").read_text() == run("dump", "-j", "1", store).text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_the_same_error(run: Run, store: Path):
    one, three = (run("dump", "-j", jobs, "-o", "/dev/full", store) for jobs in ("1", "3"))
    assert one.code == three.code == 1
    assert one.stderr == three.stderr
    assert "/dev/full: cannot write: No space left on device" in three.stderr


def test_no_process_continues_when_the_first_is_killed(tmp_path: Path, run: Run):
    store = tmp_path / "big.zarr"
    text = b"netcdf b { dimensions: n = 3000 ; m = 1000 ; variables: int v(n, m) ; }"
    assert run("gen", "-", "-o", store, stdin=text).code == 0
    command = [sys.executable, "-m", "ncz", "dump", "-j", "2", str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(1000).startswith(b"netcdf big {\n")
        process.kill()
        rest, _ = process.communicate(timeout=60)  # until no process can write any more
        assert not rest.endswith(b"}\n")
