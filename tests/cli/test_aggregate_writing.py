"""``ncz copy --mode cfa``, ``cfa0.4`` and ``cf``: pieces and a master."""

from __future__ import annotations

import itertools
import json
import os

import numpy as np
import pytest

from ncz.commands.copy.dataset import copy_dataset
from ncz.commands.copy.options import CopyOptions
from ncz.commands.sources import location_of_target
from ncz.formats.aggregation.target import AggregationPlan
from ncz.formats.opening import open_dataset
from ncz.zmap.location import location_of, parse_location
from tests.formats.aggregation.conftest import read
from tests.formats.aggregation.masters import listed, master_cdl, plain, write, write_pieces
from tests.sampled import sampled

VALUES = np.where(np.arange(120) < 20, -1, np.arange(120)).astype("f4").reshape(6, 4, 5)
"""The values of ``tas(time, lat, lon)``; values at the first time are fill."""

CDL = f"""netcdf source {{
dimensions: time = UNLIMITED ; lat = 4 ; lon = 5 ; nv = 2 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ; time:bounds = "time_bnds" ;
  double time_bnds(time, nv) ; double lat(lat) ; double lon(lon) ; int crs ;
  float tas(time, lat, lon) ; tas:_FillValue = -1.f ; tas:units = "K" ;
  short z(lat, lon) ; z:scale_factor = 0.5 ; string name(lat) ;
  :Conventions = "CF-1.13" ; :title = "t" ;
data:
  time = 0, 1, 2, 3, 4, 5 ; time_bnds = 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6 ;
  lat = 1, 2, 3, 4 ; lon = 1, 2, 3, 4, 5 ; name = "a", "b", "c", "d" ;
  tas = {listed(VALUES)} ; z = {listed(np.arange(20))} ;
group: g {{ variables: float p(time, lat) ; data: p = {listed(np.arange(24))} ; }}
}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the source."""
    folder = tmp_path_factory.mktemp("source")
    write(folder / "source.nc", CDL)
    return folder


@pytest.fixture
def source(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return str(folder / "source.nc")


@pytest.mark.parametrize(
    ("mode", "target"),
    sampled(itertools.product(["cfa", "cfa0.4", "cf"], ["out.nca", "out.zarr"]), 3),
)
def test_an_aggregation_reads_as_its_source(run, source, mode, target):
    done = run("copy", source, target, "--mode", mode, "--pieces", "time/1,lat/3")
    assert (done.code, done.stderr) == (0, "")
    done = run("diff", source, target)
    assert (done.code, done.text) == (0, "")
    extension = target.replace("nca", "nc").rpartition(".")[2]
    names = os.listdir("out")
    assert f"out.tas.5.1.0.{extension}" in names
    assert f"out.g.p.5.1.{extension}" in names
    # Without values there is no piece, but CF has no undefined fragments next to others.
    assert (f"out.tas.0.0.0.{extension}" in names) == (mode == "cf")
    assert len(names) == 10 + 12 + 2 + (2 if mode == "cf" else 0)


def test_a_piece_describes_itself(run, source):
    assert run("copy", source, "out.nca", "--pieces", "time/4,lat/3").code == 0
    with open_dataset(parse_location("out.nca")) as opened:
        assert opened.dataset.provenance.aggregation == "CFA-0.5"
    text = run("dump", "out/out.tas.1.1.0.nc").text
    assert "time = 4, 5 ;" in text
    assert "lat = 4 ;" in text
    assert 'tas:units = "K" ;' in text
    assert ":title" in text
    np.testing.assert_array_equal(read("out/out.tas.1.1.0.nc"), VALUES[4:, 3:])


def test_the_size_of_pieces_is_limited(run, source):
    assert run("copy", source, "out.nca", "--max-piece", "160", "-V", "tas").code == 0
    plan = json.loads(
        run("copy", source, "o.nca", "--max-piece", "160", "--dry-run", "--json").text
    )
    assert plan["aggregation"] == "CFA-0.5"
    assert plan["pieces"]["/tas"] == [2, 2, 1]
    assert max(read(f"out/{name}").nbytes for name in os.listdir("out")) <= 180


def test_the_master_can_be_a_classic_file(run, source):
    done = run("copy", source, "out.nca", "--mode", "cfa0.4", "--kind", "classic", "-V", "tas,lat")
    assert done.code == 0
    assert done.stderr == (
        "ncz: notice: the copy leaves out /lon, /time, which other variables refer to;"
        " use --vars to copy referenced variables too\n"
    )
    assert run("dump", "-k", "out.nca").text == "classic\n"
    np.testing.assert_array_equal(read("out.nca"), VALUES)
    done = run("copy", source, "o.nca", "--mode", "cfa", "--kind", "classic", "-V", "tas,lat")
    assert done.code == 1
    assert "use --mode cfa0.4" in done.stderr


def test_pieces_can_have_another_format(run, source):
    assert run("copy", source, "out.nca", "--piece-format", "zarr").code == 0
    assert "piece" in run("ls", "-l", "out.nca", "/tas").text
    assert os.path.isdir("out/out.tas.0.0.0.zarr")
    assert run("diff", source, "out.nca").code == 0


def test_nothing_is_replaced_unasked(run, source):
    assert run("copy", source, "out.nca").code == 0
    done = run("copy", source, "out.nca")
    assert (done.code, "use --overwrite" in done.stderr) == (1, True)
    assert run("copy", source, "out.nca", "--overwrite", "--mode", "cf").code == 0
    assert sorted(os.listdir()) == ["out", "out.nca"]
    with open("out/mine.txt", "w") as file:
        file.write("keep")
    done = run("copy", source, "out.nca", "--overwrite")
    assert "it contains files that are not pieces" in done.stderr
    assert os.path.exists("out/mine.txt")


def test_a_failed_copy_changes_nothing(run, source, tmp_path):
    write_pieces(tmp_path, plain)
    write(tmp_path / "broken.nc", master_cdl("CF-1.13"))
    (tmp_path / plain((1, 2))).unlink()
    before = sorted(os.listdir())
    assert run("copy", "broken.nc", "out.nca", "--pieces", "lat/2").code == 1
    assert sorted(os.listdir()) == before
    assert run("copy", source, "out.nca").code == 0
    before = sorted(os.listdir())
    assert run("copy", "broken.nc", "out.nca", "--overwrite").code == 1
    assert sorted(os.listdir()) == before
    assert run("diff", source, "out.nca").code == 0


def test_the_files_of_a_killed_copy_are_cleaned_up(run, source, monkeypatch):
    class Killed(BaseException):
        pass

    def die(self, fqn, layout, folder, overwrite, progress):
        yield from written(self, fqn, layout, folder, overwrite, progress)
        raise Killed

    written = AggregationPlan._write_pieces
    monkeypatch.setattr(AggregationPlan, "_write_pieces", die)
    monkeypatch.setattr("ncz.formats.aggregation.folder.remove", lambda _: None)
    with pytest.raises(Killed):
        copy_dataset(CopyOptions(source=location_of(source), target=location_of_target("out.nca")))
    (left,) = os.listdir()
    assert left.endswith(".partial")
    assert os.listdir(left)
    assert run("clean", "out.nca").code == 0
    assert os.listdir() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["out.zarr", "--pieces", "time/2"], "only an aggregation has pieces"),
        (["out.nca", "--pieces", "time"], "write dim/length"),
        (["out.nca", "--pieces", "time/2", "--max-piece", "1MB"], "cannot be used together"),
        (["out.nca", "--pieces", "tme/2"], "no dimension is named 'tme'"),
        (["out.nca", "--mode", "cfa,cf"], "name several forms"),
        (["out.nca", "--resume"], "cannot be resumed"),
    ],
)
def test_options_that_are_not_valid_are_refused(run, source, arguments, message):
    done = run("copy", source, *arguments)
    assert done.code in (1, 2)
    assert message in done.stderr
    assert os.listdir() == []
