"""Lists, patterns and folders in place of sources, and targets in their place."""

from __future__ import annotations

from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT

QUIET: Any = {"notify": ignore_notice}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "days").mkdir()
    ncz.gen(ROOT / "cdl_examples/weather.cdl", "w.nc", **QUIET)
    for at in range(4):
        ncz.copy("w.nc", f"days/{at}.nc", isel={"time": at}, **QUIET)
    return tmp_path


def test_a_file_can_list_the_sources(here, run):
    (here / "list.txt").write_text("days/0.nc\n\n  days/1.nc\r\n")
    for line in (["@list.txt", "a.nc"], ["--files-from", "list.txt", "b.nc"]):
        assert run("copy", "--concat", "time", *line).code == 0
        assert ncz.open(line[-1])["time"][:].tolist() == [0, 6]


def test_a_path_that_begins_so_is_a_path(here, run):
    (here / "@w.nc").write_bytes((here / "w.nc").read_bytes())
    (here / "w.nc").unlink()
    assert run("copy", "@w.nc", "x.zarr").code == 0


def test_an_empty_list_is_refused(here, run):
    (here / "list.txt").write_text("\n")
    assert "@list.txt" in run("copy", "@list.txt", "x.zarr").stderr


@pytest.mark.parametrize("source", ["days", "days/*.nc"])
def test_files_of_a_folder_go_to_a_folder(here, run, source):
    assert run("copy", source, "stores/").code == 0
    assert sorted(path.name for path in (here / "stores").iterdir()) == [
        f"{at}.zarr" for at in range(4)
    ]


def test_a_folder_of_files_says_what_to_type(here, run):
    said = run("copy", "days", "x.zarr").stderr
    assert "--concat time days/*.nc" in said
    assert "--each days/*.nc FOLDER/" in said


def test_a_folder_of_images_names_the_program(here, run):
    (here / "tiles").mkdir()
    (here / "tiles/a b.tif").write_bytes(b"II*\0" + bytes(64))
    said = run("copy", "tiles", "x.zarr").stderr
    assert "this folder contains no Zarr store: a b.tif is a TIFF file" in said
    assert "gdal_translate -of Zarr 'tiles/a b.tif' OUT.zarr" in said


def test_a_target_before_the_source_is_answered_with_the_line(here, run):
    done = run("copy", "new.zarr", "w.nc")
    assert "is it meant so: ncz copy w.nc new.zarr" in done.stderr
    assert not (here / "new.zarr").exists()
