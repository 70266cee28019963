"""Append to netCDF files: they are written again, and compared with the result of ncrcat."""

from __future__ import annotations

import io
import json
import shutil
import subprocess

import pytest

import ncz
from ncz.errors import ignore_notice


def day(first: int, count: int = 1) -> bytes:
    values = ", ".join(map(str, range(first * 2, (first + count) * 2)))
    times = ", ".join(map(str, range(first, first + count)))
    return f"""netcdf d {{
    dimensions: time = UNLIMITED ; x = 2 ;
    variables: double time(time) ; time:units = "days since 2023-01-01" ; int x(x) ;
      float v(time, x) ; v:units = "m" ; v:_FillValue = -1.f ;
      :title = "days" ;
    data: time = {times} ; x = 5, 6 ; v = {values} ; }}""".encode()


@pytest.fixture(params=["classic", "netCDF-4"])
def files(tmp_path, request):
    for name, first, count in (("a.nc", 0, 2), ("b.nc", 2, 1), ("c.nc", 3, 2)):
        ncz.gen(io.BytesIO(day(first, count)), tmp_path / name, kind=request.param)
    return tmp_path


@pytest.mark.parametrize("name", ["a.nc", "a file"])
def test_a_longer_file_has_the_values_and_the_form(run, files, name):
    path = files / name
    if name != "a.nc":
        (files / "a.nc").rename(path)
    kind = run("dump", "-k", path).text
    ran = run("copy", "--append", "time", "--verify", files / "b.nc", files / "c.nc", path)
    assert (ran.code, ran.stdout) == (0, b""), ran.stderr
    assert run("dump", "-k", path).text == kind
    run("gen", "-k", kind.strip(), "-", "-o", files / "e.nc", stdin=day(0, 5))
    assert ncz.diff(path, files / "e.nc") == []
    assert {each.name for each in files.iterdir()} == {name, "b.nc", "c.nc", "e.nc"}


@pytest.mark.skipif(shutil.which("ncrcat") is None, reason="needs NCO")
def test_ncrcat_appends_the_same(run, files):
    shutil.copy(files / "a.nc", files / "nco.nc")
    for path in ("b.nc", "c.nc"):
        subprocess.run(["ncrcat", "--rec_apn", files / path, files / "nco.nc"], check=True)
    assert run("ncrcat", "--rec_apn", files / "b.nc", files / "c.nc", files / "a.nc").code == 0
    assert ncz.diff(files / "a.nc", files / "nco.nc", data_only=True) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b'2023-01-01" ;', b'2023-01-01" ; time:calendar = "noleap" ;', "calendar"),
        (b'v:units = "m"', b'v:units = "km"', "units"),
    ],
)
def test_a_file_that_does_not_agree_changes_nothing(run, files, old, new, says):
    before = (files / "a.nc").read_bytes()
    text = day(2).replace(old, new)
    ran = run("copy", "--append", "time", "-", files / "a.nc", stdin=text)
    assert ran.code == 1
    assert says in ran.stderr
    assert (files / "a.nc").read_bytes() == before


def test_a_failed_write_leaves_the_old_file(run, files, monkeypatch):
    before = (files / "a.nc").read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ncz.zmap.local.creation.move_into_place", fail)
    ran = run("copy", "--append", "time", files / "b.nc", files / "a.nc")
    assert (ran.code, "No space left" in ran.stderr) == (1, True)
    assert (files / "a.nc").read_bytes() == before
    assert {each.name for each in files.iterdir()} == {"a.nc", "b.nc", "c.nc"}


def test_values_that_are_there_are_refused_or_left_out(run, files):
    ran = run("copy", "--append", "time", files / "a.nc", files / "a.nc")
    assert ran.code != 0
    shutil.copy(files / "a.nc", files / "same.nc")
    ran = run("copy", "--append", "time", files / "same.nc", files / "a.nc")
    assert "use --overlap first or last" in ran.stderr


def test_a_plan_writes_nothing(run, files):
    before = (files / "a.nc").read_bytes()
    ran = run("copy", "--append", "time", "--dry-run", "--json", files / "b.nc", files / "a.nc")
    rows = json.loads(ran.text)["append"]
    assert {row["variable"]: (row["from"], row["to"]) for row in rows} == {
        "/time": (2, 3), "/v": (2, 3),
    }  # fmt: skip
    assert (files / "a.nc").read_bytes() == before


def test_python_appends_too(files):
    summary = ncz.copy(files / "b.nc", files / "a.nc", append="time", notify=ignore_notice)
    assert summary.variables >= 2
    with ncz.open(files / "a.nc", "a") as ds:
        ds["v"].append([[8.0, 9.0]])
        assert ds["v"].shape == (4, 2)
