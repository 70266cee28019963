"""Words for parts and attributes of a dataset, and the options of other programs for them."""

from __future__ import annotations

import shlex

import pytest

import ncz
from ncz.cli.line_order import arrange, remote_of_rclone
from ncz.cli.programs.operators import line_of
from ncz.errors import ignore_notice
from tests.conftest import Run

FILE = """netcdf a {
dimensions: time = 4 ; lat = 3 ;
variables: int time(time) ; time:units = "days since 2023-01-01" ;
  int lat(lat) ; lat:units = "degrees_north" ; float temp(time, lat) ; float wind(time) ;
data: time = 0, 40, 80, 120 ; lat = -10, 0, 10 ; wind = 1, 2, 3, 4 ;
  temp = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ;
}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cdl").write_text(FILE)
    for name in ("a.nc", "b.nc"):
        ncz.gen("a.cdl", name, kind="netCDF-4", notify=ignore_notice)
    ncz.gen("a.cdl", "s.zarr", notify=ignore_notice)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("extract temp a.nc o.nc", "copy --vars temp a.nc o.nc"),
        ("extract a.nc temp wind o.nc", "copy --vars temp,wind a.nc o.nc"),
        ("sel a.nc o.nc time=2023-01 lat=0:", "copy --sel time=2023-01 --sel lat=0: a.nc o.nc"),
        ("sel time=2023 a.nc o.nc", "copy --sel time=2023 a.nc o.nc"),
        ("isel time=0 a.nc o.nc", "copy --isel time=0 a.nc o.nc"),
        ("subset a.nc o.nc --lat 0", "copy a.nc o.nc --lat 0"),
        ("subset a.nc o.nc", None),
        ("sel a.nc b.nc", None),
        ("drop temp a.nc o.nc", "copy --exclude temp a.nc o.nc"),
        ("drop a.nc temp o.nc", "copy --exclude temp a.nc o.nc"),
        ("drop a.nc temp", None),
        ("rechunk a.nc o.zarr time=1,lat=3", "copy --chunks time=1,lat=3 a.nc o.zarr"),
        ("transpose lat,time a.nc o.nc", "copy --transpose lat,time a.nc o.nc"),
        ("set a.nc temp:units=K", "edit a.nc temp:units=K"),
        ("set-attr a.nc temp units K", "edit a.nc temp:units=K"),
        ("attr set a.nc temp:units 'm s-1'", "edit a.nc 'temp:units=m s-1'"),
        ("getattr a.nc temp units", "dump -a temp:units a.nc"),
        ("attr a.nc", None),
        ("set-attr a.nc title 'A title'", "edit a.nc ':title=A title'"),
        ("flip a.nc o.nc lat", "copy --isel lat=::-1 a.nc o.nc"),
        ("flip a.nc lat", None),
        ("astype a.nc o.nc double", "copy --type double a.nc o.nc"),
        ("astype temp=double a.nc o.nc", "copy --type temp=double a.nc o.nc"),
        ("values a.nc lat", "dump -v lat a.nc"),
        ("values a.nc --dates lat", None),
        ("split a.nc o/ --by month", "copy --split time=month a.nc o/"),
        ("split a.nc month", "copy --split time=month a.nc a-by-month/"),
        ("split a.nc --by lat", "copy --split lat a.nc a-by-lat/"),
        ("split a.nc o/", None),
        ("pack a.nc o.nc --dtype int16", "copy a.nc o.nc --pack int16"),
        ("pack a.nc o.nc", None),
        ("get a.nc temp.units", "dump -a temp.units a.nc"),
        ("get a.nc temp", "dump -v temp a.nc"),
        ("get a.nc o.nc", None),
        ("ncatt_put a.nc temp units K", "edit a.nc temp:units=K"),
        ("ncatt_get a.nc temp units", "dump -a temp:units a.nc"),
        ("extract a.nc temp lat=0 o.csv", "copy --vars temp --sel lat=0 a.nc o.csv"),
        ("head a.nc 3", "dump -t --isel time=0:3 a.nc"),
        ("rename a.nc temp=t", "edit a.nc --rename temp=t"),
        ("max a.nc temp", "info --stats a.nc temp"),
        ("max a.nc b.nc", None),
        ("h5diff -rv -d 0.5 a.nc b.nc /temp /temp", "diff --tolerance 0.5 --vars /temp a.nc b.nc"),
        ("h5diff --exclude-path /temp a.nc b.nc", "diff --exclude temp a.nc b.nc"),
        ("h5diff -q -n 3 a.nc b.nc", "diff --max 0 --max 3 a.nc b.nc"),
        ("h5diff a.nc b.nc /temp /wind", None),
        ("h5copy -i a.nc -o o.nc -s /temp -d /temp", "copy --vars temp a.nc o.nc"),
        ("h5copy -i a.nc -o o.nc -s /temp -d /t", None),
        (
            "combine a.nc b.nc --concat-dim member o.json",
            "copy --concat member a.nc b.nc o.json",
        ),
        ("combine a.nc b.nc --concat-dim tmie o.json", "copy --concat tmie a.nc b.nc o.json"),
        ("concat --dim lon a.nc b.nc o.nc", "copy --concat lon a.nc b.nc o.nc"),
        (
            "repack -f GZIP=5 -l temp:CHUNK=1x3 a.nc o.nc",
            "copy -c temp:1,3 --codec zlib:5 a.nc o.nc",
        ),
        (
            "translate -of netCDF -co COMPRESS=DEFLATE -co ZLEVEL=6 a.nc o.nc",
            "copy --kind netCDF-4 --codec zlib:6 a.nc o.nc",
        ),
        (
            "translate -of Zarr -co COMPRESS=ZSTD -co ZSTD_LEVEL=3 a.nc o.zarr",
            "copy --codec zstd:3 a.nc o.zarr",
        ),
        ("gdallocationinfo -wgs84 a.nc 120 -30", "dump --csv --nearest --sel lon=120,lat=-30 a.nc"),
        ("locationinfo a.nc 2 1", "dump --csv --isel lon=2,lat=1 a.nc"),
        ("locationinfo a.nc 2", None),
        ("splitsel,4 a.nc p_", "copy --split time=4 a.nc p_{}.nc"),
        ("ncatted -a _FillValue,temp,o,f,-1 a.nc o.nc", "copy --missing-value temp=-1 a.nc o.nc"),
        ("h5copy -i a.nc -o b.nc -s /temp -d /temp", None),
        ("nccmp -d a.nc b.nc", "diff --data-only a.nc b.nc"),
        ("nccmp -mg a.nc b.nc", "diff -h a.nc b.nc"),
        ("nccmp -dmf a.nc b.nc", "diff a.nc b.nc"),
        ("nccmp -d -T 1 -v temp a.nc b.nc", "diff --data-only --rtol 0.01 --vars temp a.nc b.nc"),
    ],
)
def test_words_become_a_line(here, typed: str, line: str | None):
    word, *rest = shlex.split(typed)
    found = line_of(word, rest)
    assert found == (None if line is None else shlex.split(line))


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ("--lat -10 0", "--sel lat=-10:0"),
        ("--lat=-10,0", "--sel lat=-10:0"),
        ("--time 2023-01-01 2023-02-15", "--sel time=2023-01-01:2023-02-15"),
        ("--date-range 2023-01-01,2023-02-15", "--sel time=2023-01-01:2023-02-15"),
        ("--start 2023-02-01 --end 2023-03-31", "--sel time=2023-02-01:2023-03-31"),
        ("--from 2023-02-01", "--sel time=2023-02-01:"),
        ("--until 2023-02-01", "--sel time=:2023-02-01"),
        ("--year 2023", "--sel time=2023"),
        ("--checkers 8 --retries 3 --fast-list -vv", ""),
        ("--no-progress -y", ""),
    ],
)
def test_options_choose_the_same_part(here, run: Run, options: str, same: str):
    for words in (f"copy a.nc one.nc {options}", f"copy a.nc two.nc {same}"):
        done = run(*words.split())
        assert done.code == 0, done.stderr
    assert not ncz.diff("one.nc", "two.nc")


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("aws --profile p s3 ls s3://b", "ls s3://b --profile p"),
        ("aws --no-sign-request s3 ls s3://b", "ls s3://b --no-sign-request"),
        ("gsutil -m cp -r a b", "cp -r a b"),
        ("gcloud storage cp a b", "cp a b"),
        ("rclone check a b", "diff a b"),
        ("rclone copy :s3:bucket/x y", "copy s3://bucket/x y"),
        ("rclone copy :s3,provider=AWS:bucket/x y", "copy s3://bucket/x y"),
        ("gdal mdim convert a b", "convert a b"),
        ("git clone a b", "clone a b"),
    ],
)
def test_the_words_of_a_program_are_put_in_order(typed: str, line: str):
    assert arrange(typed.split(), ["copy", "ls", "info"]) == line.split()


def test_remotes_of_rclone_are_not_taken_for_files(here, run: Run):
    done = run("rclone", "copy", "s.zarr", "remote:new.zarr")
    assert (done.code, sorted(here.iterdir())) == (2, sorted(here.iterdir()))
    assert "write s3://BUCKET/KEY for remote:new.zarr" in done.stderr
    assert not (here / "remote:new.zarr").exists()
    assert remote_of_rclone(["rclone", "copy", "s3://b/x", "C:/x"]) is None
