"""``dump --summary``."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.zmap.location import parse_location
from tests.conftest import ROOT, Run

SOURCE = rb"""netcdf s {
dimensions: time = UNLIMITED ; lat = 3 ; x = 2 ; far = 5 ;
variables:
  double time(time) ; time:units = "hours since 2026-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ; lat:_ChunkSizes = 2 ;
  string x(x) ; int far(far) ;
  short t(time, lat) ; t:units = "K" ; t:_ChunkSizes = 1, 3 ; t:_DeflateLevel = 1 ;
  char none ;
:title = "two\nlines" ; :n = 1.5f, 2.f ;
data:
  time = 0, 6, 12, 18.5 ; lat = 1, 2, 3 ; x = "a", "b c" ; far = 1, 2, 3, 4, 5 ;
group: g { dimensions: lat = 1 ; variables: int v(lat, /lat) ;
group: deep { :a = "b" ; } } }"""

EXPECTED = """<ncz.Dataset s> NCZarr 2 on Zarr V2, 7 variables in 3 groups, 117 B
Dimensions:  (time: 4 unlimited, lat: 3, x: 2, far: 5)
Coordinates:
  * time  (time)  double  32 B  2026-01-01 2026-01-01T06 ... 2026-01-01T18:30  \
hours since 2026-01-01  chunks 512
  * lat   (lat)  float  12 B  1 2 3  degrees_north  chunks 2
  * x     (x)  string  16 B  "a" "b c"  chunks 2
  * far   (far)  int  20 B  1 2 ... 5  chunks 5
Data variables:
    t     (time, lat)  short  24 B  K  chunks 1x3  zlib
    none  ()  char  1 B
Attributes:
    title:  two lines
    n:      1.5f, 2.f

Group: /g
Dimensions:  (lat: 1)
Data variables:
    v  (lat, /lat)  int  12 B  chunks 1x3

Group: /g/deep
Attributes:
    a:  b
"""


@pytest.fixture
def store(tmp_path: Path, run: Run) -> Path:
    target = tmp_path / "s.zarr"
    assert run("gen", "-", "-o", target, stdin=SOURCE).code == 0
    return target


def test_a_dataset_at_a_glance(store: Path, run: Run):
    ran = run("dump", "--summary", store)
    assert ran.text == EXPECTED
    assert ran.code == 0


def test_values_are_left_out_with_h(store: Path, run: Run):
    lines = run("dump", "--summary", "-h", "-n", "other", store).text.splitlines()
    assert lines[0].startswith("<ncz.Dataset other>")
    assert lines[4] == "  * lat   (lat)  float  12 B  degrees_north  chunks 2"


def test_data_that_cannot_be_read_are_left_out_with_a_notice(store: Path, run: Run):
    (store / "far" / "0").write_bytes(b"short")
    ran = run("dump", "--summary", store)
    assert ran.code == 1
    assert "  * far   (far)  int  20 B  chunks 5" in ran.text
    assert "far: cannot show the values" in ran.stderr


def test_an_empty_store_has_one_line(tmp_path: Path, run: Run):
    assert run("gen", "-", "-o", tmp_path / "e.zarr", stdin=b"netcdf e {}").code == 0
    text = run("dump", "--summary", tmp_path / "e.zarr").text
    assert text == "<ncz.Dataset e> NCZarr 2 on Zarr V2, 0 variables, 0 B\n"


def test_lines_are_cut_at_the_width_of_a_terminal(store: Path):
    from ncz.commands.dump import DumpOptions, print_dataset

    parts: list[bytes] = []
    print_dataset(parse_location(str(store)), DumpOptions(view="summary", width=44), parts.append)
    lines = b"".join(parts).decode().splitlines()
    assert max(map(len, lines)) == 44
    assert lines[3] == "  * time  (time)  double  32 B  2026-01-0..."


STORES = sorted(p for p in (ROOT / "tests/stores/foreign").iterdir() if p.suffix != ".cdl")


@pytest.mark.parametrize("path", STORES, ids=lambda p: p.name)
def test_stores_of_others(path: Path, run: Run):
    ran = run("dump", "--summary", path)
    assert ran.code == 0
    assert ran.text.startswith("<ncz.Dataset ")


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("--json", "-s"), "-s"),
        (("--summary", "-v", "x"), "-v"),
        (("--ncml", "-t"), "-t"),
        (("--json", "-p", "3"), "-p"),
        (("--ncml", "-l", "70"), "-l"),
    ],
)
def test_an_option_that_a_view_does_not_heed_is_an_error(
    store: Path, run: Run, arguments: tuple[str, ...], option: str
):
    ran = run("dump", *arguments, store)
    assert ran.code == 2
    assert f"{option} cannot be used with {arguments[0]}; omit it" in ran.stderr


def test_coordinates_are_unpacked(tmp_path: Path, run: Run):
    """Like variables of xarray, which has no use for the numbers in the file."""
    (tmp_path / "p.cdl").write_text(
        "netcdf p { dimensions: x = 3 ; t = 2 ; variables: short x(x) ; x:scale_factor = 0.5 ;"
        ' x:_FillValue = 2s ; int64 t(t) ; t:units = "days since 2000-01-01" ; data:'
        " x = -20, 1, 2 ; t = 1, -9223372036854775808 ; }"
    )
    assert run("gen", tmp_path / "p.cdl", "-o", tmp_path / "p.nc").code == 0
    lines = run("dump", "--summary", tmp_path / "p.nc").text.splitlines()
    coordinates = [line.split("B  ")[1].split("  ")[0] for line in lines if "* " in line]
    assert coordinates == ["-10 0.5 missing", "2000-01-02 missing"]
