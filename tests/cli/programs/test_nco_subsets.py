"""Lines of ncks, ncrcat, ncecat and ncpdq: the results of ncz compared with NCO's."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

import ncz
from ncz.cli.programs.operators import line_of
from ncz.errors import ignore_notice
from tests.conftest import Run
from tests.sampled import sampled

FILE = """netcdf a {
dimensions: time = UNLIMITED ; lat = 3 ; lon = 4 ;
variables: double time(time) ; time:units = "days since 2023-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ; float lon(lon) ; lon:units = "degrees_east" ;
  float temp(time, lat, lon) ; float wind(time) ;
data: time = FIRST, SECOND ; lat = -10, 0, 10 ; lon = 0, 90, 180, 270 ; wind = 1, 2 ;
  temp = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in (1, 2, 3):
        text = FILE.replace("FIRST", str(2 * number)).replace("SECOND", str(2 * number + 1))
        (tmp_path / "a.cdl").write_text(text)
        ncz.gen("a.cdl", f"a{number}.nc", kind="netCDF-4", notify=ignore_notice)
    (tmp_path / "days").mkdir()
    shutil.copy("a1.nc", "days/a1.nc")
    return tmp_path


SAME = [
    "ncks -v temp a1.nc out.nc",
    "ncks -x -v temp a1.nc out.nc",
    "ncks -C -x -v time a1.nc out.nc",
    "ncks -v '^t' a1.nc out.nc",
    "ncks -C -v 'wi.*' a1.nc out.nc",
    "ncks -d time,-1 a1.nc out.nc",
    "ncks -d lon,1,-2 a1.nc out.nc",
    "ncks -d lon,-3,-2 a1.nc out.nc",
    "ncks -F -d lon,2,3 a1.nc out.nc",
    "ncks -d lon,,,2 a1.nc out.nc",
    "ncks -d lon,3 -d lon,0,1 -d lon,1,1 a1.nc out.nc",
    "ncks -d lat,9. a1.nc out.nc",
    "ncks -d lat,-10.,0. a1.nc out.nc",
    "ncks -p days -l /tmp a1.nc out.nc",
    "ncks -h -a --no_tmp_fl --thr_nbr=1 --hdr_pad=100 -v wind a1.nc out.nc",
    "ncks --fix_rec_dmn time a1.nc out.nc",
    "ncks --fl_fmt=classic a1.nc out.nc",
    "ncks --cnk_dmn lat,1 --cnk_plc=all a1.nc out.nc",
    "ncrcat a1.nc a2.nc a3.nc out.nc",
    "ncrcat -n 3,1,1 a1.nc out.nc",
    "ncrcat -d time,1,4 a1.nc a2.nc a3.nc out.nc",
    "ncrcat -d time,,,2 a1.nc a2.nc a3.nc out.nc",
    "ncrcat -C -v wind a1.nc a2.nc out.nc",
    "ncecat -u member -v wind a1.nc days/a1.nc out.nc",
    "ncpdq -a -lat a1.nc out.nc",
    "ncpdq -a lon,lat a1.nc out.nc",
    "ncpdq -v temp -a lat,time a1.nc out.nc",
    "ncpdq -M dbl_flt a1.nc out.nc",
]


@pytest.mark.skipif(shutil.which("ncks") is None, reason="NCO is not installed")
@pytest.mark.parametrize("line", sampled(SAME, 3))
def test_the_values_match_nco(line: str, here, run: Run):
    words = shlex.split(line)
    done = run(*words)
    assert done.code == 0, done.stderr
    found = {name: v[:].tolist() for name, v in ncz.open("out.nc").variables.items()}
    (here / "out.nc").unlink()
    subprocess.run(words, check=True, capture_output=True)
    theirs = {name: v[:].tolist() for name, v in ncz.open("out.nc").variables.items()}
    assert found == theirs


def _line(typed: str) -> str | None:
    word, *rest = shlex.split(typed)
    found = line_of(word, rest)
    return None if found is None else shlex.join(found)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("ncks a1.nc", "dump -h a1.nc"),
        ("ncks --xml a1.nc", "dump -x a1.nc"),
        ("ncks --jsn -v lat a1.nc", "dump --json --vars lat a1.nc"),
        ("ncks --json -m a1.nc", "dump --json -h a1.nc"),
        ("ncks --cal -C -v time a1.nc", "dump -t --vars time -v time a1.nc"),
        ("ncks --dt_fmt=3 -v time a1.nc", "dump -i --vars time a1.nc"),
        ("ncks --cmp='shf|zst,3' a1.nc b.nc", "copy --codec shuffle+zstd:3 a1.nc b.nc"),
        ("ncks --cmp=dfl a1.nc b.nc", "copy --codec zlib a1.nc b.nc"),
        ("ncks --ppc default=3 a1.nc b.nc", "copy --quantize 3 a1.nc b.nc"),
        (
            "ncks --ppc t,u=4 --baa=8 a1.nc b.nc",
            "copy --quantize t=bitround:4 --quantize u=bitround:4 a1.nc b.nc",
        ),
        ("ncks --qnt x=2 --baa=0 a1.nc b.nc", "copy --quantize x=bitgroom:2 a1.nc b.nc"),
        ("ncks --cnk_byt=4000 a1.nc b.nc", "copy --chunk-size 4000 a1.nc b.nc"),
        ("ncks -g forecast a1.nc b.nc", "copy --only-groups forecast a1.nc b.nc"),
        ("ncks --mk_rec_dmn lat a1.nc b.nc", "copy --unlimited lat a1.nc b.nc"),
        ("ncks -d time,0,1 -d time,10,11 a1.nc b.nc", "copy --isel time=0,1,10,11 a1.nc b.nc"),
        ("ncks -d lon,-1 -d lon,0,2,2 a1.nc b.nc", "copy --isel lon=0,2,3 a1.nc b.nc"),
        ("ncpdq -M flt_byt a1.nc b.nc", "copy --pack byte a1.nc b.nc"),
        ("ncpdq -P upk a1.nc b.nc", "copy --unpack a1.nc b.nc"),
        ("ncrcat --rec_apn a2.nc a1.nc", "copy --append time a2.nc a1.nc"),
        ("ncrcat -n 2,2,5 f01.nc b.nc", "copy --concat time f01.nc f06.nc b.nc"),
    ],
)
def test_options_become_options_of_ncz(typed: str, line: str, here):
    assert _line(typed) == line


@pytest.mark.parametrize(
    "typed",
    [
        "ncks --cmp=szip a1.nc b.nc",
        "ncks --fl_fmt=netcdf9 a1.nc b.nc",
        "ncks --cnk_plc=uck a1.nc b.nc",
        "ncks --ppc default=.3 a1.nc b.nc",
        "ncks --ppc default=3 --baa=1 a1.nc b.nc",
        "ncks -v '^x' a1.nc b.nc",
        "ncks -v '(' a1.nc b.nc",
        "ncks -d lon,3,1 a1.nc b.nc",
        "ncks -d lon,0 -d lon,90. a1.nc b.nc",
        "ncrcat -d time,0 -d time,-1 a1.nc a2.nc b.nc",
        "ncks -d lat,0.,10.,2 a1.nc b.nc",
        "ncks -F -d lon,0 a1.nc b.nc",
        "ncks -g a -v t a1.nc b.nc",
        "ncks --fix_rec_dmn lat a1.nc b.nc",
        "ncks -x a1.nc b.nc",
        "ncrcat -n 3,2,1 a1.nc b.nc",
        "ncrcat -n x a1.nc b.nc",
        "ncrcat -A a2.nc a1.nc",
        "ncpdq -P xst_new a1.nc b.nc",
        "ncpdq -M nxt_lsr a1.nc b.nc",
    ],
)
def test_lines_with_another_result_are_left_to_nco(typed: str, here):
    assert _line(typed) is None


def test_the_record_dimension_may_have_another_name(here, run: Run):
    for number in (1, 2):
        text = FILE.replace("FIRST", f"{number}0").replace("SECOND", f"{number}1")
        (here / "a.cdl").write_text(text.replace("time", "Time"))
        ncz.gen("a.cdl", f"w{number}.nc", kind="netCDF-4", notify=ignore_notice)
    assert _line("ncrcat w1.nc w2.nc out.nc") == "copy --concat Time w1.nc w2.nc out.nc"


@pytest.mark.parametrize(
    ("typed", "selection"),
    [
        ("-d lat,0,1", "--isel lat=0:2"),
        ("-d lat,0,1 -d lon,90.,180.", "--isel lat=0:2 --sel lon=90:180"),
        ("-d time,1", "--isel time=1:2"),
        ("-d lon,3, -d lon,0,1", "--isel lon=0,1,3"),
    ],
)
def test_a_selection_after_copy_matches_ncks(typed, selection, here, run: Run):
    assert run("copy", *typed.split(), "a1.nc", "out.nc").code == 0
    assert run("copy", *selection.split(), "a1.nc", "ours.nc").code == 0
    assert run("ncks", *typed.split(), "a1.nc", "theirs.nc").code == 0
    assert ncz.diff("ours.nc", "theirs.nc") == ncz.diff("ours.nc", "out.nc") == []
