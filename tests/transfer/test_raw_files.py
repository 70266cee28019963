"""A raw copy between directories leaves the work to the operating system, with few calls."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from ncz.cli import ncz
from ncz.cli.terminal import run as run_command
from tests.conftest import Run
from tests.forked import forked
from tests.reliability.disk import Disk, failing


def make(run: Run, name: str, count: int, *, codec: str = "none") -> None:
    values = ", ".join(map(str, range(100, 100 + count)))
    cdl = f"netcdf s {{ dimensions: x = {count} ; variables: int v(x) ; v:_ChunkSizes = 1 ;"
    cdl += f" data: v = {values} ; }}"
    assert run("gen", "-q", "-", "-o", f"{name}-plain.zarr", stdin=cdl.encode()).code == 0
    assert run("copy", "-q", "--codec", codec, f"{name}-plain.zarr", f"{name}.zarr").code == 0


def operations(run: Run, folder: Path, name: str) -> Counter[str]:
    with failing(Disk(str(folder))) as disk:
        assert run("copy", "-q", f"{name}.zarr", f"{name}-copy.zarr").code == 0
    return Counter(disk.operations)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(not hasattr(os, "copy_file_range"), reason="this system copies otherwise")
@pytest.mark.parametrize(
    ("codec", "copying"), [("none", ["copy_file_range"]), ("zlib:1", ["pread", "write"])]
)
def test_each_chunk_takes_three_or_four_operations(run, folder, codec, copying):
    make(run, "few", 20, codec=codec)
    make(run, "many", 50, codec=codec)
    few, many = (operations(run, folder, name) for name in ("few", "many"))
    expected = ["open", "create", *copying]
    assert many - few == Counter(dict.fromkeys(expected, 30))
    copied = {path.name: path.read_bytes() for path in (folder / "many-copy.zarr/v").iterdir()}
    assert copied == {path.name: path.read_bytes() for path in (folder / "many.zarr/v").iterdir()}


def steps(run: Run, name: str) -> Counter[str]:
    """Copy a store; count the calls of the system by name, and the calls of functions in Python."""
    found: Counter[str] = Counter()

    def count(_: object, event: str, called: object) -> None:
        if event == "call":
            found["functions"] += 1
        elif event == "c_call" and getattr(called, "__module__", "") == os.open.__module__:
            found[called.__name__] += 1  # type: ignore[attr-defined]

    sys.setprofile(count)
    try:
        assert run("copy", "-q", f"{name}.zarr", f"{name}-copy.zarr").code == 0
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.skipif(not hasattr(os, "copy_file_range"), reason="this system copies otherwise")
def test_each_chunk_takes_seven_calls_of_the_system_and_few_in_python(run, folder):
    make(run, "few", 50)
    make(run, "many", 150)
    steps(run, "few")  # imports
    (folder / "few-copy.zarr").rename(folder / "old.zarr")
    found = steps(run, "many") - steps(run, "few")
    functions = found.pop("functions")
    called = {"open": 200, "fstat": 200, "close": 200, "copy_file_range": 100}
    assert {name: count for name, count in found.items() if count >= 50} == called
    assert functions <= 30 * 100


@pytest.mark.parametrize(("options", "alone"), [((), True), (("--threads", "2"), False)])
@pytest.mark.parametrize("source", ["s.zarr", "s.zip"])
def test_one_thread_creates_small_files_by_default(
    run, folder, monkeypatch, source, options, alone
):
    make(run, "s", 200)
    assert run("copy", "-q", "s.zarr", "s.zip").code == 0
    threads = set()
    write = os.write

    def wrote(*arguments: object) -> int:
        threads.add(threading.get_ident())
        return write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "write", wrote)
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    assert run("copy", "-q", *options, source, "t.zarr").code == 0
    chunks = threads - {threading.get_ident()}
    assert bool(chunks) != alone


def copy_half_of_a_file(source: str, count: int) -> None:
    """Copy a store, and end as a killed process does when half of a file is written."""
    write = os.write

    def wrote(number: int, data: bytes) -> int:
        nonlocal count
        count -= 1
        if count:
            return write(number, data)
        write(number, data[:2])
        os._exit(9)

    os.write = wrote  # type: ignore[assignment]
    vars(os).pop("copy_file_range", None)
    run_command(ncz, "ncz", ("copy", "-q", "-c", "x/1", source, "t.zarr"))


def test_a_file_that_was_being_copied_is_copied_again_by_resume(run, folder):
    make(run, "s", 20)
    with forked(copy_half_of_a_file, "s.zarr", 8) as process:
        pass
    assert process.exitcode == 9
    (unfinished,) = folder.glob(".ncz-*.partial/v")
    sizes = [path.stat().st_size for path in unfinished.iterdir()]
    assert sorted(sizes) == [2, *[4] * 7]
    ran = run("copy", "--resume", "--json", "s.zarr", "t.zarr")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.text)["chunks_kept"] == 7
    for path in (folder / "s.zarr/v").iterdir():
        assert (folder / "t.zarr/v" / path.name).read_bytes() == path.read_bytes()


def test_chunks_of_hdf5_get_their_names_immediately(run, folder):
    make(run, "s", 20)
    assert run("copy", "-q", "s.zarr", "s.nc").code == 0
    with failing(Disk(str(folder))) as disk:
        assert run("copy", "-q", "-c", "x/1", "--mode", "nczarr", "s.nc", "t.zarr").code == 0
    counts = Counter(disk.operations)
    assert counts["create"] >= 20
    assert counts["replace"] < 5, "each document is renamed, and no chunk"


def test_half_a_chunk_of_hdf5_is_copied_again_by_resume(run, folder):
    make(run, "s", 20)
    assert run("copy", "-q", "s.zarr", "s.nc").code == 0
    with forked(copy_half_of_a_file, "s.nc", 8) as process:
        pass
    assert process.exitcode == 9
    (unfinished,) = folder.glob(".ncz-*.partial/v")
    sizes = [path.stat().st_size for path in unfinished.iterdir()]
    assert 2 in sizes
    ran = run("copy", "-c", "x/1", "--resume", "--json", "s.nc", "t.zarr")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.text)["chunks_kept"] == sizes.count(4) > 0
    for path in (folder / "s.zarr/v").glob("[0-9]*"):
        assert (folder / "t.zarr/v" / path.name).read_bytes() == path.read_bytes()


def test_half_a_shard_is_copied_again_by_resume(run, folder):
    values = ", ".join(["_"] * 3 + [str(i) for i in range(37)])  # the first shard is smaller
    cdl = "netcdf p { dimensions: x = 40 ; variables: int v(x) ; v:_ChunkSizes = 1 ;"
    cdl += f" data: v = {values} ; }}"
    assert run("gen", "-q", "-", "-o", "p.zarr", stdin=cdl.encode()).code == 0
    shards = ("--zarr-format", "3", "--mode", "zarr", "--shards", "x/4")
    assert run("copy", "-q", "--allow-loss", *shards, "p.zarr", "s.zarr").code == 0
    with forked(copy_half_of_a_file, "s.zarr", 8) as process:
        pass
    assert process.exitcode == 9
    ran = run("copy", "--resume", "--json", "s.zarr", "t.zarr")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.text)["chunks_kept"] == 7
    assert run("copy", "--verify", "s.zarr", "t.zarr").code == 0
