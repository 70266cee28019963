"""``ncz mv``: a dataset gets another name or place, whole or not at all."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

import ncz
from ncz.commands.mv import _rename
from ncz.errors import ignore_notice
from ncz.zmap.local.claims import only_writer
from ncz.zmap.location import parse_location
from tests.conftest import ROOT, Run
from tests.servers.processes import S3Server


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.zarr", "b.zarr", "a.nc", "b.nc"):
        ncz.gen(ROOT / "cdl_examples/weather.cdl", name, kind="netCDF-4" if ".nc" in name else None,
                notify=ignore_notice)  # fmt: skip
    (tmp_path / "days").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", ["a.zarr", "a.nc"])
def test_a_dataset_is_renamed(here, run: Run, name: str):
    before = os.stat(name).st_ino
    new = name.replace("a", "new", 1)
    assert run("mv", name, new).code == 0
    assert os.stat(new).st_ino == before
    assert not os.path.exists(name)


def test_several_datasets_are_moved_to_a_folder(here, run: Run):
    assert run("mv", "-f", "a.zarr", "a.nc", "days").code == 0
    assert sorted(os.listdir("days")) == ["a.nc", "a.zarr"]
    assert sorted(os.listdir()) == ["b.nc", "b.zarr", "days"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("mv a.zarr b.zarr", "b.zarr: already exists; use --overwrite to replace it"),
        ("mv a.zarr new.nc", "use 'ncz copy a.zarr new.nc' to convert"),
        ("mv none.zarr new.zarr", "none.zarr: no file or store exists at this path"),
        ("mv a.zarr b.zarr none/", "none/: the folder does not exist"),
        ("mv a.zarr none/b.zarr", "none does not exist; create it first"),
        ("mv a.nc none/b.nc", "none does not exist; create it first"),
        ("mv a.zarr none.nc days", "none.nc: no file or store exists"),
        ("mv a.zarr/lat new.zarr", "copy it with 'ncz copy a.zarr/lat new.zarr'"),
        ("mv a.zarr/lat a.zarr/y", "use 'ncz edit a.zarr --rename lat=y'"),
        ("mv days new", "will not be"),
    ],
)
def test_nothing_is_moved_if_it_cannot_be(here, run: Run, line: str, says: str):
    before = sorted(os.walk("."))
    done = run(*line.split())
    assert done.code == 1
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(os.walk(".")) == before


def test_a_target_is_replaced_on_request(here, run: Run):
    ncz.edit("a.nc", set=[':title = "mine"'])
    assert run("mv", "--overwrite", "a.nc", "b.nc").code == 0
    assert ncz.open("b.nc").attrs["title"] == "mine"
    assert not os.path.exists("a.nc")


def test_on_another_file_system_it_is_copied_and_removed(here, run: Run, monkeypatch):
    monkeypatch.setattr("ncz.commands.mv._rename", lambda *_: False)
    assert run("mv", "a.nc", "a.zarr", "days/").code == 0
    assert sorted(os.listdir()) == ["b.nc", "b.zarr", "days"]
    assert not ncz.diff("days/a.nc", "b.nc")
    assert not ncz.diff("days/a.zarr", "b.zarr")


def test_another_file_system_is_recognised(here, monkeypatch):
    def rename(*_: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(os, "rename", rename)
    assert not _rename(parse_location("a.nc"), parse_location("days/a.nc"))


def test_a_store_is_moved_to_a_server_and_back(here, run: Run, moto: S3Server, monkeypatch):
    with moto.bucket("moves", monkeypatch) as url:
        assert run("mv", "a.zarr", f"{url}/a.zarr").code == 0
        assert not os.path.exists("a.zarr")
        assert run("mv", f"{url}/a.zarr", f"{url}/other.zarr").code == 0
        assert run("mv", f"{url}/other.zarr", "back.zarr").code == 0
        assert run("ls", url).text == ""
    assert not ncz.diff("back.zarr", "b.zarr")


def test_a_reference_set_stays_in_its_folder(here, run: Run):
    ncz.copy("a.nc", "refs.json", notify=ignore_notice)
    assert run("mv", "refs.json", "again.json").code == 0
    assert not ncz.diff("again.json", "a.nc")
    done = run("mv", "again.json", "days/")
    assert (done.code, os.listdir("days")) == (1, [])
    assert "it refers to files that are not moved with it" in done.stderr


@pytest.mark.parametrize(
    ("name", "says"), [("a.zarr", "another process"), ("a.nc", "the file is locked")]
)
def test_a_dataset_that_somebody_changes_stays(here, run: Run, name: str, says: str):
    with ThreadPoolExecutor(1) as pool, only_writer(name, name):
        done = pool.submit(run, "mv", name, "days/").result()
    assert done.code == 1
    assert f"{name}: {says}" in done.stderr
    assert os.path.exists(name)
    assert os.listdir("days") == []
