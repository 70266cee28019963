"""Datasets that get another name or place."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.commands.mv import mv
from ncz.errors import NO_CALLBACKS, NczError, ignore_notice
from ncz.zmap.location import Location, parse_location

CDL = b"netcdf m { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"


def locate(path: str, _: bool) -> Location:
    return parse_location(path)


@pytest.fixture(params=["a.zarr", "a.nc"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    ncz.gen(io.BytesIO(CDL), tmp_path / request.param, notify=ignore_notice)
    return tmp_path / str(request.param)


def moved(source: Path, target: Path, *, overwrite: bool = False) -> None:
    mv([str(source)], str(target), locate, NO_CALLBACKS, overwrite=overwrite)


def test_a_dataset_has_its_new_name_alone(source: Path):
    target = source.with_name(f"b{source.suffix}")
    moved(source, target)
    assert not source.exists()
    with ncz.open(target) as ds:
        assert ds["v"][:].tolist() == [1, 2]


def test_a_folder_takes_it_under_its_name(source: Path):
    folder = source.parent / "folder"
    folder.mkdir()
    moved(source, folder)
    assert (folder / source.name).exists()
    assert not source.exists()


def test_an_existing_target_is_kept_by_default(source: Path):
    target = source.with_name(f"b{source.suffix}")
    ncz.gen(io.BytesIO(CDL.replace(b"1, 2", b"3, 4")), target, notify=ignore_notice)
    with pytest.raises(NczError):
        moved(source, target)
    assert source.exists()
    moved(source, target, overwrite=True)
    with ncz.open(target) as ds:
        assert ds["v"][:].tolist() == [1, 2]


def test_other_files_are_not_moved(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(NczError):
        moved(tmp_path / "notes.txt", tmp_path / "other.txt")
    assert (tmp_path / "notes.txt").exists()
