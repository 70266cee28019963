"""Aggregations that become longer, and masters that are made again from their pieces."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path

import pytest

import ncz
from ncz.errors import NczError, ignore_notice
from ncz.formats.aggregation import target
from tests.conftest import Run
from tests.forked import forked
from tests.sampled import paired, sampled

CDL = """netcdf a {
dimensions: time = UNLIMITED ; lat = 4 ; bnds = 2 ;
variables:
  int time(time) ; time:units = "days since 2000-01-01" ; time:bounds = "tb" ;
  int tb(time, bnds) ;
  float lat(lat) ;
  short t(time, lat) ; t:_FillValue = -1s ; t:units = "K" ;
  float v(time, lat) ;
  double w(lat) ;
  char crs ;
  :title = "x" ; :Conventions = "CF-1.13" ;
data:
  time = TIME ; tb = BOUNDS ; lat = 10, 20, 30, 40 ; t = T ; v = T ; w = 1, 2, 3, 4 ;
}
"""


def made(name: str, start: int, stop: int) -> None:
    """Make a dataset with the days from `start` to `stop`."""
    days = range(start, stop)
    text = CDL.replace("TIME", ", ".join(map(str, days)))
    text = text.replace("BOUNDS", ", ".join(f"{day}, {day + 1}" for day in days))
    text = text.replace("T ;", ", ".join(str(4 * day + i) for day in days for i in range(4)) + " ;")
    ncz.gen(io.BytesIO(text.encode()), name, notify=ignore_notice)


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of the datasets that every test uses."""
    folder = tmp_path_factory.mktemp("datasets")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        made("all.nc", 0, 9)
        made("a.nc", 0, 4)
        made("b.zarr", 4, 9)
        Path("whole.cdl").write_text(WHOLE)
        ncz.gen("whole.cdl", "whole.nc")
    return folder


@pytest.fixture(autouse=True)
def here(tmp_path: Path, datasets: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(datasets, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FORMS = ["m.nca", "m.zarr#mode=cfa", "m.nc#mode=cfa0.4", "m.nca#mode=cf", "m.zarr#mode=cf"]


def contents(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def aggregated(form: str) -> str:
    """Make an aggregation of the first days, and return the path of its master."""
    ncz.copy("a.nc", form, pieces={"time": 2, "lat": 2}, notify=ignore_notice)
    return form.partition("#")[0]


def pieces() -> list[str]:
    return sorted(path.stem for path in Path("m").iterdir())


@pytest.mark.parametrize("form", sampled(FORMS, 2))
def test_appended_values_become_pieces(form):
    master = aggregated(form)
    before = contents(Path("m"))
    summary = ncz.copy("b.zarr", master, append="time", verify=True, notify=ignore_notice)
    assert summary.chunks == 12
    assert ncz.diff("all.nc", master, notify=ignore_notice) == []
    after = contents(Path("m"))
    assert before.items() <= after.items()
    assert "m.t.4.1" in pieces()
    one = next(path for path in Path("m").iterdir() if path.stem == "m.t.4.1")
    with ncz.open(one) as piece:
        assert set(piece.variables) == {"time", "tb", "lat", "t"}


def test_pieces_of_other_lengths(run: Run):
    master = aggregated("m.nca")
    append = ("copy", "-q", "--append", "time", "b.zarr")
    assert run(*append, master, "--pieces", "lat/1").code == 2
    assert run(*append, "a.nc", "--pieces", "time/5").code == 2
    assert run(*append, master, "--pieces", "time/5").code == 0
    assert ncz.diff("all.nc", master, notify=ignore_notice) == []
    assert pieces()[-1] == "m.w.1"
    assert "m.t.2.1" in pieces()
    assert "m.t.3.0" not in pieces()


@pytest.mark.parametrize("form", ["cfa", "cf"])
def test_a_master_over_files_that_exist(run: Run, form):
    os.mkdir("files")
    os.rename("a.nc", "files/a.nc")
    assert run("aggregate", "m.nca", "files/a.nc", "--axis", "time", "--mode", form).code == 0
    ncz.copy("b.zarr", "m.nca", append="time")
    assert pieces() == ["m.t.1.0", "m.t.2.0", "m.v.1.0", "m.v.2.0"]
    assert ncz.diff("all.nc", "m.nca", variables=["t", "v", "time", "tb"]) == []
    assert os.listdir("files") == ["a.nc"]


def test_days_without_values_have_no_pieces():
    master = aggregated("m.nca")
    text = ncz.dump("b.zarr")
    first, _, last = text.partition(" t =")
    empty = f"{first} t = {', '.join(['-1'] * 20)} ;{last.partition(';')[2]}"
    ncz.copy(io.BytesIO(empty.encode()), master, append="time")
    assert "m.t.2.0" not in pieces()
    with ncz.open(master) as found:
        assert (found["t"][4:] == -1).all()
    assert ncz.diff("all.nc", master, variables=["v", "time"]) == []


@pytest.mark.parametrize(
    ("form", "fault"),
    paired(["m.nca", "m.zarr#mode=cfa"], ["overlap", "units", "name", "disk"]),
)
def test_a_refusal_leaves_everything(run: Run, here, monkeypatch, form, fault):
    master = aggregated(form)
    source, dimension = "b.zarr", "time"
    if fault == "overlap":
        source = "a.nc"
    elif fault == "units":
        assert run("edit", "b.zarr", "--set", 't:units = "degF"', "--set", "t:a = 1").code == 0
        assert run("edit", "b.zarr", "--remove", "v").code == 0
    elif fault == "name":
        dimension = "none"
    else:
        written = target.AggregationPlan._write_pieces

        def fail(self, fqn, *others):
            yield from written(self, fqn, *others)
            if fqn == "/v":
                raise NczError("the disk is full")

        monkeypatch.setattr(target.AggregationPlan, "_write_pieces", fail)
    before = contents(here)
    ran = run("copy", "-q", "--append", dimension, source, master)
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert contents(here) == before


def killed(master, connection=None):
    """Append to a master, and end before it is written, as a killed process does."""
    written = target.AggregationPlan._write_pieces

    def stop(self, fqn, *others):
        yield from written(self, fqn, *others)
        if fqn == "/v":
            os._exit(9)

    target.AggregationPlan._write_pieces = stop  # type: ignore[method-assign]
    ncz.copy("b.zarr", master, append="time", notify=ignore_notice)


@pytest.mark.long
@pytest.mark.parametrize("form", sampled(["m.nca", "m.zarr#mode=cfa"], 2))
def test_a_killed_append_leaves_the_old_master(form):
    master = aggregated(form)
    with forked(killed, master):
        pass
    assert "m.t.4.1" in pieces()
    assert ncz.diff("a.nc", master, notify=ignore_notice) == []
    ncz.copy("b.zarr", master, append="time", notify=ignore_notice)
    assert ncz.diff("all.nc", master, notify=ignore_notice) == []


def test_a_plan_writes_nothing(run: Run, here):
    master = aggregated("m.nca")
    before = contents(here)
    ran = run("copy", "--append", "time", "--dry-run", "b.zarr", master)
    assert ran.text.splitlines()[0] == "/t  recode  4 to 9  6 pieces"
    assert contents(here) == before


def test_a_file_that_is_no_aggregation_grows_itself(run: Run):
    ran = run("copy", "--append", "time", "b.zarr", "a.nc")
    assert (ran.code, ran.stderr) == (0, "")
    assert ncz.diff("all.nc", "a.nc", data_only=True) == []


@pytest.mark.long
def test_a_master_on_s3(s3):
    url = f"{s3}/m.nca#mode=s3"
    ncz.copy("a.nc", url, pieces={"time": 2})
    ncz.copy("b.zarr", url, append="time")
    assert ncz.diff("all.nc", url) == []


# Masters that are made again from their pieces.

WHOLE = """netcdf a {
dimensions: time = UNLIMITED ; lat = 4 ; bnds = 2 ; y = 3 ; x = 2 ;
variables:
  int time(time) ; time:units = "days since 2000-01-01" ; time:bounds = "tb" ;
  int tb(time, bnds) ;
  float lat(lat) ;
  double lon(y, x) ;
  char crs ; crs:grid_mapping_name = "latitude_longitude" ;
  short t(time, lat) ; t:_FillValue = -1s ; t:units = "K" ; t:scale_factor = 0.5 ;
  float v(time, y, x) ; v:coordinates = "lon" ; v:grid_mapping = "crs" ;
  double w(lat) ;
  :title = "x" ; :Conventions = "CF-1.13" ;
data:
  time = 3, 2, 1, 0 ; tb = 3, 4, 2, 3, 1, 2, 0, 1 ; lat = 40, 30, 20, 10 ;
  lon = 1, 2, 3, 4, 5, 6 ;
  t = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 ;
  v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
  w = 1, 2, 3, 4 ;
group: g {
  variables: double u(time, lat) ; u:note = "of a group" ;
  data: u = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 ;
  }
}
"""


def described(master: str) -> str:
    """Return the text of a master as stored."""
    return ncz.dump(f"{master}#mode=noaggregation")


def test_partitions_may_be_filled_later(run: Run):
    ncz.copy("whole.cdl", "m.nca", pieces={"time": 2}, vars="t")
    before = described("m.nca")
    os.rename("m/m.t.0.0.nc", "later.nc")
    os.unlink("m.nca")
    assert run("aggregate", "--rebuild", "m.nca", "m").code == 1  # of unknown length
    os.rename("later.nc", "m/m.t.0.0.nc")
    ncz.copy("whole.cdl", "m.nca", pieces={"time": 2, "lat": 2}, overwrite=True)
    before = described("m.nca")
    os.rename("m/m.t.0.1.nc", "later.nc")
    os.unlink("m.nca")
    ran = run("aggregate", "--rebuild", "m.nca", "m")
    assert (ran.code, "/t lacks 1 of 4 pieces" in ran.stderr) == (0, True)
    with ncz.open("m.nca") as found:
        assert found["t"][:].tolist()[0] == [1, 2, -1, -1]
    os.rename("later.nc", "m/m.t.0.1.nc")
    assert run("aggregate", "--rebuild", "--overwrite", "m.nca", "m").code == 0
    assert described("m.nca") == before
