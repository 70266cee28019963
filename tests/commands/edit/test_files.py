"""Attributes and names of netCDF files, which are changed all or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import NczError, ignore_notice
from tests.conftest import ROOT

CDL = """netcdf f { dimensions: time = UNLIMITED ; x = 2 ; n = 3 ;
variables: double time(time) ; time:units = "days since 2000-01-01" ;
  float t2m(time, x) ; t2m:units = "K" ; t2m:_FillValue = -1.f ; t2m:coordinates = "label" ;
  char label(n) ; int plain(x) ; :title = "old" ; :history = "made" ;
data: time = 0, 1 ; t2m = 1, 2, 3, _ ; label = "abc" ; plain = 7, 8 ; }"""
KINDS = ("classic", "64-bit offset", "cdf5", "netCDF-4", "netCDF-4 classic model")


@pytest.fixture(params=KINDS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "f.cdl").write_text(CDL)
    ncz.gen(tmp_path / "f.cdl", tmp_path / "f.nc", kind=request.param)
    return tmp_path / "f.nc"


def text(path: Path) -> str:
    return ncz.dump(path, name="f")


def edit(path: Path, **options: Any) -> list[Any]:
    return ncz.edit(path, notify=ignore_notice, **options)


def test_everything_together(file):
    before, kind = text(file), ncz.dump(file, view="kind")
    changes = edit(
        file,
        delete=":history",
        rename=["t2m=t", "time=when", "dimension x=cell", "t:units=t:unit"],
        set=['title = "new"', "t:level = 2.5f", 't:unit = "kelvin"'],
    )
    expected = before.replace("x = 2", "cell = 2").replace(", x)", ", cell)")
    expected = expected.replace("plain(x)", "plain(cell)").replace('\t\t:history = "made" ;\n', "")
    expected = expected.replace("time", "when").replace("t2m", "t").replace('"old"', '"new"')
    found = text(file).replace('t:unit = "kelvin"', 't:units = "K"')
    assert sorted(found.replace("\t\tt:level = 2.5f ;\n", "").splitlines()) == sorted(
        expected.splitlines()
    )
    assert len(changes) == 10
    assert ncz.dump(file, view="kind") == kind
    with ncz.open(file) as opened:
        assert opened["t"][:].tolist()[0] == [1, 2]
        assert opened["t"].attrs["level"] == 2.5


def test_variables_keep_their_order(file):
    edit(file, rename=["t2m=temperature"])
    names = [line.split("(")[0].split()[-1] for line in text(file).splitlines() if "(" in line]
    assert [n for n in names if n in ("time", "temperature", "label", "plain")] == [
        "time", "temperature", "label", "plain",
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not installed")
def test_ncdump_reads_the_file(file):
    edit(file, rename=["t2m=t", "time=when", "dimension x=cell"], set='when:note = "n"')
    printed = subprocess.run(["ncdump", file], capture_output=True, text=True, check=True).stdout
    assert printed == ncz.dump(file, notify=ignore_notice)


def test_other_programs_read_the_file(file):
    netcdf4 = pytest.importorskip("netCDF4")
    edit(file, rename=["t2m=t", "time=when"], set='when:note = "n"')
    with netcdf4.Dataset(file) as opened:
        assert opened["t"].dimensions == ("when", "x")
        assert opened["when"][:].tolist() == [0, 1]
        assert opened.dimensions["when"].isunlimited()
    with netcdf4.Dataset(file, "a") as opened:  # it can still grow
        opened["when"][2] = 5
    with ncz.open(file) as again:
        assert again.dims["when"] == 3


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"set": "missing:units = 1"}, "no variable or group missing"),
        ({"delete": "t2m:nothing"}, "no attribute nothing"),
        ({"rename": "t2m:units=t2m:coordinates"}, "attribute coordinates already exists"),
        ({"rename": "missing=t"}, "no variable or dimension missing"),
        ({"rename": "t2m=label"}, "variable /label already exists"),
        ({"remove": "t2m"}, "cannot be removed from a file; write a copy with exclude="),
        ({"zarr_format": 3}, "a file has no version of Zarr"),
        ({"set": 'title = "new"', "rename": "missing=t"}, "no variable or dimension missing"),
    ],
)
def test_impossible_edits_change_nothing(file, options, what):
    before, names = file.read_bytes(), sorted(os.listdir(file.parent))
    with pytest.raises(NczError) as caught:
        edit(file, **options)
    assert what in str(caught.value)
    assert file.read_bytes() == before
    assert sorted(os.listdir(file.parent)) == names


def test_a_dimension_and_its_coordinate_are_one_in_netcdf4(tmp_path):
    (tmp_path / "f.cdl").write_text(CDL)
    ncz.gen(tmp_path / "f.cdl", tmp_path / "f.nc", kind="netCDF-4")
    before = (tmp_path / "f.nc").read_bytes()
    for rename in ("variable time=t", "dimension time=t", "plain=x", "dimension x=plain"):
        errors = []
        for dry_run in (True, False):
            with pytest.raises(NczError) as caught:
                edit(tmp_path / "f.nc", rename=rename, dry_run=dry_run)
            errors.append(str(caught.value))
        assert errors[0] == errors[1]
    assert (tmp_path / "f.nc").read_bytes() == before
    ncz.gen(tmp_path / "f.cdl", tmp_path / "c.nc", kind="classic")
    edit(tmp_path / "c.nc", rename="variable time=t")
    assert "double t(time)" in text(tmp_path / "c.nc")


def test_a_dry_run_changes_nothing(file):
    before = file.read_bytes()
    changes = edit(file, rename="t2m=t", dry_run=True)
    assert [(c.kind, c.before, c.after) for c in changes] == [("variable", "/t2m", "/t")]
    assert file.read_bytes() == before


def test_attributes_that_name_renamed_variables_are_reported(file):
    told: list[ncz.Notice] = []
    ncz.edit(file, rename="label=names", notify=told.append)
    assert [notice.code for notice in told] == ["name-outdated"]
    assert "names" in str(told[0])


def test_mode_and_links_stay(file):
    file.chmod(0o640)
    link = file.parent / "link.nc"
    link.symlink_to(file)
    edit(link, set='title = "new"')
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert ':title = "new"' in text(file)


def test_groups_of_a_file(tmp_path):
    (tmp_path / "g.cdl").write_text(
        "netcdf g { dimensions: x = 2 ; group: a { variables: int v(x) ; v:n = 1 ; data: v = 1, 2 ;"
        " group: b { dimensions: y = 1 ; variables: int w(y) ; data: w = 3 ; } } }"
    )
    ncz.gen(tmp_path / "g.cdl", tmp_path / "g.nc")
    edit(tmp_path / "g.nc", rename=["a=c", "/c/b/w=u", "/c/b/y=z"], set="c/v:n = 2")
    with ncz.open(tmp_path / "g.nc") as opened:
        assert opened["c/b/u"].dims == ("z",)
        assert opened["c/b/u"][:].tolist() == [3]
        assert opened["c/v"].attrs["n"] == 2


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests/corpus").rglob("*.nc"))[::5], ids=lambda path: path.name
)
def test_files_of_others_keep_the_rest(path, tmp_path):
    copy = tmp_path / path.name
    shutil.copyfile(path, copy)
    try:
        before = ncz.dump(path, view="json", notify=ignore_notice)
    except NczError:
        return
    edit(copy, set='ncz_note = "added"')
    with_note = ncz.dump(copy, view="json", notify=ignore_notice)
    assert '"ncz_note"' in with_note
    edit(copy, delete=":ncz_note")
    assert ncz.dump(copy, view="json", notify=ignore_notice) == before
