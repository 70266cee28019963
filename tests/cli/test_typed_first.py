"""Lines that people type first, with words and options of other programs, and their results."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = """netcdf {} {{
dimensions: time = UNLIMITED ; depth = 3 ;
variables:
  double time(time) ; time:units = "days since 2023-01-01" ;
  float depth(depth) ;
  float temp(time, depth) ; temp:units = "K" ;
  :title = "a cast" ;
data: time = {} ; depth = 0, 10, 20 ; temp = 1, 2, 3, 4, 5, 6 ;
}}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typed")
    for name, times in (("a", "0, 1"), ("b", "2, 3")):
        (folder / f"{name}.cdl").write_text(CDL.format(name, times))
        ncz.gen(folder / f"{name}.cdl", folder / f"{name}.nc", notify=ignore_notice)
    ncz.copy(folder / "a.nc", folder / "s.zarr", notify=ignore_notice)
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(files, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("h5dump -a /temp/units a.nc", ["K\n"]),
        ("h5dump -a title a.nc", ["a cast\n"]),
        ("h5dump -d /temp -s 1,0 -c 1,2 a.nc", ["depth = 2 ;", "temp =\n  4, 5 ;"]),
        (
            "h5dump -d /temp --start=0,0 --count=2,2 --stride=1,2 a.nc",
            ["temp =\n  1, 3,\n  4, 6 ;"],
        ),
        ("dump --raw -v depth a.nc", ["depth = 0, 10, 20 ;"]),
        ("dump -v temp --depth 10:20 a.nc", ["depth = 2 ;", "temp =\n  2, 3,\n  5, 6 ;"]),
        ("tidync a.nc", ["a: classic, 3 variables"]),
        ("terra rast a.nc", ["a: classic, 3 variables"]),
        ("dump --last 1 -v time a.nc", ["time = 1 ;"]),
        ("dump --flip depth -v depth a.nc", ["depth = 20, 10, 0 ;"]),
        ("info -j a.nc", ['"name": "a"']),
        ("--list", ["Commands:"]),
    ],
)
def test_printed_text(here, run: Run, line: str, texts: list[str]):
    done = run(*line.split())
    assert (done.code, done.stderr) == (0, "")
    for text in texts:
        assert text in done.text


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("copy a.nc b.nc o.nc --concat", "--concat takes a dimension; type: ncz copy a.nc b.nc o.nc"
         " --concat time"),
        ("copy b.nc s.zarr --append", "type: ncz copy b.nc s.zarr --append time"),
        ("copy a.nc o.zarr --chunks", "Option '--chunks' requires an argument"),
        ("info a.nc:temp", "did you mean 'a.nc/temp'?"),
        ("copy a.nc o.nc --units temp=degC", "type: ncz edit a.nc VAR:units=UNITS -o o.nc"),
        ("copy a.nc o.nc --regrid 1x1", "cdo remapbil,GRID"),
        ("edit a.nc --rm temp:units", "type: ncz edit a.nc --delete temp:units; for a variable"),
        ("edit a.nc --delete temp", "no attribute temp; for the variable, use --remove temp"),
        ("edit s.zarr --delete temp", "no attribute temp; for the variable, use --remove temp"),
        ("edit s.zarr --delete salt", "no attribute salt; see 'ncz dump -h'"),
        ("info --format yaml a.nc", "type: ncz info --json a.nc; JSON is YAML, too"),
        ("dump --var temp --limit 5 a.nc", "type: ncz dump --isel time=0:5 --vars temp a.nc"),
        ("dump --no-header -v depth a.nc", "type: ncz dump --csv -v depth a.nc"),
        ("view --projection robinson a.nc", "cartopy"),
        ("info a.nc:/temp", "did you mean 'a.nc/temp'?"),
        ("info -g surface a.nc", "type: ncz info a.nc/surface"),
        ("copy a.nc o.nc temp", "o.nc does not exist; if it is the target, no option takes 'temp'"),
        ("copy missing.nc new", "missing.nc: no file or store exists at this path"),
        ("copy a.nc missing.nc new/", "missing.nc: no file or store exists at this path"),
        ("copy a.nc o.nc --point 30,120", "--nearest --sel lat=LAT,lon=LON a.nc o.nc\n"),
        ("copy a.nc o.nc --calendar noleap", "use cdo setcalendar,noleap a.nc o.nc; in xarray"),
        ("copy a.nc o.nc --reftime 2020-01-01", "use cdo setreftime,DATE,TIME,UNIT a.nc o.nc,"),
        ("info a.nc --attr title", "type: ncz dump -a title a.nc\n"),
        ("copy a.nc o.nc --time June", "write --sel time.month=6\n"),
        ("copy a.nc o.nc --lon180", "use cdo sellonlatbox,-180,180,-90,90 a.nc o.nc; in xarray"),
        ("aggregate *.nc o.nca", "type: ncz aggregate o.nca FILES... --axis time\n"),
        ("aggregate a.nc b.nc o.json", "type: ncz copy --concat time FILES... o.json\n"),
        ("edit s.zarr --units degC", "type: ncz edit s.zarr VAR:units=UNITS\n"),
        ("edit -v temp,tas a.nc", "type: ncz edit a.nc --rename temp=tas;"),
        ("view a.nc temp --dpi 100", "type: ncz view --size WIDTHxHEIGHT a.nc temp\n"),
        ("dump -v te* a.nc", "for a pattern, use --vars"),
        ("edit s.zarr --consolidate", "type: ncz consolidate s.zarr"),
        ("mkdir out", "type mkdir out without ncz"),
        ("h5dump -d /temp -s 0 a.nc", "use h5dump -d /temp -s 0 a.nc"),
        ("h5dump -d /salt -s 0,0 a.nc", "use h5dump -d /salt -s 0,0 a.nc"),
    ],
)  # fmt: skip
def test_answers(here, run: Run, line: str, answer: str):
    done = run(*line.split())
    assert done.code in (1, 2)
    assert answer in done.stderr


@pytest.mark.parametrize(
    "option",
    ["--compress 5", "--compress zlib --compress-level 5", "-f netcdf4", "-j4", "--no-history"],
)
def test_options_of_others_for_a_copy(here, run: Run, option: str):
    done = run("copy", "a.nc", "o.nc", *option.split())
    assert (done.code, done.stderr) == (0, "")
    assert not ncz.diff("a.nc", "o.nc")
    deflate = "temp:_DeflateLevel = 5" in run("dump", "-hs", "o.nc").text
    assert deflate is ("5" in option)


@pytest.mark.parametrize(
    ("line", "copy"),
    [
        ("a.nc out --format zarr", "out/a.zarr"),
        ("a.nc out -k zarr", "out/a.zarr"),
        ("s.zarr out --to netcdf", "out/s.nc"),
        ("a.nc b.nc out -f zarr --compress zstd:3", "out/b.zarr"),
    ],
)
def test_an_option_for_a_format_holds_in_a_folder(here, run: Run, line: str, copy: str):
    (here / "out").mkdir()
    done = run("copy", *line.split())
    assert (done.code, done.stderr) == (0, "")
    assert ncz.info(copy).format == ncz.info("s.zarr" if "zarr" in copy else "out/s.nc").format


def test_a_version_of_zarr_by_the_option_for_a_format(here, run: Run):
    assert run("copy", "a.nc", "o.zarr", "-f", "zarr3").code == 0
    assert (here / "o.zarr/zarr.json").exists()


@pytest.mark.parametrize("line", ["kerchunk a.nc b.nc -o o.json", "virtualize a.nc b.nc o.json"])
def test_files_follow_each_other_in_a_reference_set(here, run: Run, line: str):
    assert run(*line.split()).code == 0
    assert ncz.open("o.json")["time"][:].tolist() == [0, 1, 2, 3]
    assert "temp/1.0" in json.loads((here / "o.json").read_text())["refs"]


def test_the_dimension_of_an_append_after_a_letter(here, run: Run):
    assert run("copy", "b.nc", "s.zarr", "-a", "time").code == 0
    assert ncz.open("s.zarr")["time"][:].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "words", ["--color a.nc b.nc", "a.nc b.nc --color", "--color never a.nc b.nc"]
)
def test_colours_without_a_word_for_when(here, run: Run, words: str):
    done = run("diff", *words.split())
    assert (done.code, done.stderr) == (1, "")
    assert "/time[0]: 0.0 != 2.0" in done.text


def test_a_title_is_an_attribute(here, run: Run):
    assert run("edit", "a.nc", "--title", "two words").code == 0
    assert run("dump", "-a", "title", "a.nc").text == "two words\n"


@pytest.mark.parametrize("store", ["a.nc", "s.zarr"])
def test_a_global_attribute_with_the_name_of_a_variable_is_reported(here, run: Run, store: str):
    done = run(*shlex.split(f"edit {store} --set temp=0 title=new"))
    assert done.code == 0
    assert done.stderr.count("notice:") == 1
    assert "temp is a global attribute now; the values of the variable are unchanged" in done.stderr
    assert run("edit", store, "--set", "temp=1").stderr == ""
