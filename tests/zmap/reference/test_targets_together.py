"""References to neighbouring ranges."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.zmap.permissions import Permissions
from tests.commands.source_files import write
from tests.zmap.reference.sets import open_set, write_set
from tests.zmap.reference.test_targets import DATA


@pytest.mark.parametrize("how", ["replaced", "written to"])
def test_a_local_target_that_changes_between_two_reads(tmp_path, closing, how):
    data = tmp_path / "data.nc"
    data.write_bytes(DATA)
    os.utime(data, (10**9, 10**9))
    zmap = closing(
        open_set(
            write_set(tmp_path / "refs.json", {"a": ["data.nc", 0, 4], "b": ["data.nc", 4, 4]})
        )
    )
    assert zmap.get("a") == DATA[:4]
    if how == "replaced":
        data.rename(tmp_path / "old.nc")
    data.write_bytes(DATA[::-1])
    with pytest.raises(ZmapError, match=r"data\.nc: it changed while it was read"):
        zmap.get("b")


def test_a_chunk_of_another_file_costs_one_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The beginning of a small file, which its seal covers, has the chunk."""
    for number in range(9):
        write(tmp_path / f"{number}.nc", number)
    files = [str(tmp_path / f"{number}.nc") for number in range(9)]
    ncz.copy(files, str(tmp_path / "a.json"), concat="t", notify=ignore_notice)
    reads: list[int] = []
    looks: list[str] = []
    pread, lstat = os.pread, os.lstat

    def reading(number: int, count: int, start: int) -> bytes:
        reads.append(count)
        return pread(number, count, start)

    def looking(path: str, **options: Any) -> os.stat_result:
        looks.append(path)
        return lstat(path, **options)

    monkeypatch.setattr(os, "pread", reading)
    with ncz.open(tmp_path / "a.json") as dataset:
        reads.clear()
        monkeypatch.setattr(os, "lstat", looking)
        assert dataset["v"][:, 0].tolist() == [*range(9)]
    assert len(reads) == 9
    assert len([path for path in looks if str(path).endswith(".nc")]) <= 9
    assert len(looks) <= 9 + 2 * len(tmp_path.parts)  # of the folder, and of the folder of the set


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="there are no links")
def test_the_real_paths_of_links(tmp_path: Path):
    (tmp_path / "sets" / "deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    for place in ("sets/x.bin", "other/x.bin", "sets/deep/x.bin"):
        (tmp_path / place).write_bytes(b"data")
    (tmp_path / "sets" / "folder").symlink_to(tmp_path / "other")
    (tmp_path / "sets" / "file").symlink_to(tmp_path / "other" / "x.bin")
    (tmp_path / "sets" / "near").symlink_to(tmp_path / "sets" / "deep" / "x.bin")
    found = Permissions(None, str(tmp_path / "sets"))
    for _ in range(2):
        for name in ("x.bin", "near", "deep/x.bin", "deep/../x.bin"):
            path = str(tmp_path / "sets" / name)
            assert found.check_file(path, "key") == os.path.realpath(path)
        for name in ("folder/x.bin", "file", "../other/x.bin", "folder/../x.bin"):
            with pytest.raises(ZmapError, match="outside the folder"):
                found.check_file(str(tmp_path / "sets" / name), "key")
