"""A raw copy between directories leaves the work to the operating system, and asks it seldom."""

from __future__ import annotations

import os
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.faults.disk import Disk, failing


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
def test_each_chunk_takes_four_or_five_operations(run, folder, codec, copying):
    make(run, "few", 20, codec=codec)
    make(run, "many", 50, codec=codec)
    few, many = (operations(run, folder, name) for name in ("few", "many"))
    expected = ["open", "create", *copying, "replace"]
    assert many - few == Counter(dict.fromkeys(expected, 30))
    copied = {path.name: path.read_bytes() for path in (folder / "many-copy.zarr/v").iterdir()}
    assert copied == {path.name: path.read_bytes() for path in (folder / "many.zarr/v").iterdir()}


@pytest.mark.parametrize(("options", "alone"), [((), True), (("--threads", "2"), False)])
def test_one_thread_copies_small_files_unless_asked_for_more(
    run, folder, monkeypatch, options, alone
):
    make(run, "s", 200)
    threads = set()
    replace = os.replace

    def replaced(*arguments: object, **named: object) -> None:
        threads.add(threading.get_ident())
        replace(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", replaced)
    assert run("copy", "-q", *options, "s.zarr", "t.zarr").code == 0
    chunks = threads - {threading.get_ident()}
    assert bool(chunks) != alone
