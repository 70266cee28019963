"""`ncz.rm`: datasets are removed, and nothing else."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.errors import NczError, ignore_notice

CDL = b"netcdf r { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.zarr", "b.nc", "deep/c.zarr"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        ncz.gen(io.BytesIO(CDL), tmp_path / name, notify=ignore_notice)
    (tmp_path / "notes.txt").write_text("mine")
    return tmp_path


def test_each_dataset_is_named_and_removed(folder: Path):
    planned = ncz.rm([folder / "a.zarr", folder / "b.nc"], dry_run=True)
    assert [each.location.path for each in planned] == [
        str(folder / "a.zarr"), str(folder / "b.nc")
    ]  # fmt: skip
    assert (folder / "a.zarr").exists()
    assert len(ncz.rm([folder / "a.zarr", folder / "b.nc"])) == 2
    assert sorted(path.name for path in folder.iterdir()) == ["deep", "notes.txt"]


def test_other_files_stay(folder: Path):
    with pytest.raises(NczError):
        ncz.rm(folder / "notes.txt")
    with pytest.raises(NczError):
        ncz.rm(folder)
    assert (folder / "notes.txt").exists()
    assert (folder / "deep" / "c.zarr").exists()


def test_stores_in_a_folder_are_removed_on_request(folder: Path):
    found = ncz.rm(folder, recursive=True, notify=ignore_notice)
    assert str(folder / "deep" / "c.zarr") in [each.location.path for each in found]
    assert not (folder / "deep" / "c.zarr").exists()
    assert (folder / "notes.txt").exists()


def test_a_program_can_say_no(folder: Path):
    ncz.rm(folder / "a.zarr", on_plan=lambda _: False)
    assert (folder / "a.zarr").exists()


@pytest.mark.parametrize(("age", "count"), [("0s", 1), ("1h", 0)])
def test_a_dataset_that_changed_later_stays(folder: Path, age: str, count: int):
    codes: list[str] = []
    found = ncz.rm(folder / "a.zarr", older_than=age, notify=lambda n: codes.append(n.code))
    assert len(found) == count
    assert codes == ["not-removed"] * (1 - count)
    assert (folder / "a.zarr").exists() == (not count)
