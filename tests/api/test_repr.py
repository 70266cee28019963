"""Descriptions of datasets and variables, as text and as HTML."""

from __future__ import annotations

import io
from html.parser import HTMLParser

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT

DATASET = """\
<ncz.Dataset weather> NCZarr 2 on Zarr V2, 6 variables, 448 B
Dimensions:  (time: 4 unlimited, lat: 3, lon: 5)
Coordinates:
  * time  (time)  double  32 B  hours since 2026-01-01 00:00:00  chunks 512
  * lat   (lat)  float  12 B  degrees_north  chunks 3
  * lon   (lon)  float  20 B  degrees_east  chunks 5
Data variables:
    temperature  (time, lat, lon)  float  240 B  K  chunks 2x3x5  shuffle zlib
    wind_speed   (time, lat, lon)  short  120 B  m s-1  chunks 1x3x5
    station      (lat)  string  24 B  chunks 3
Attributes:
    Conventions:  CF-1.11
    title:        A small forecast"""

VARIABLE = """\
<ncz.Variable /temperature (time: 4, lat: 3, lon: 5) float32, 240 B>
Chunks:      (2, 3, 5)
Codecs:      shuffle(elementsize=4), zlib(level=5)
Fill value:  -999.0
Attributes:
    standard_name:  air_temperature
    units:          K
    _FillValue:     -999.0
    valid_range:    [180.0, 330.0]"""

GROUP = """\
<ncz.Group /ocean/ice> 1 variable, 16 B
Dimensions:  (category: 2)
Data variables:
    thickness  (time, category)  float  16 B  m  chunks 2x2"""

HOSTILE = b"""netcdf h { variables: int v ; v:a = "<script>alert(1)</script>" ;
  :title = "<b onclick=x>&amp;" ; group: s { :c = "</div></details>" ; } }"""


def test_a_dataset(tmp_path):
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", tmp_path / "weather.zarr", notify=ignore_notice)
    ds = ncz.open(tmp_path / "weather.zarr")
    assert repr(ds) == DATASET
    assert repr(ds["temperature"]) == VARIABLE


def test_a_group(tmp_path):
    ncz.gen(ROOT / "cdl_examples" / "groups.cdl", tmp_path / "g.zarr")
    assert repr(ncz.open(tmp_path / "g.zarr")["ocean/ice"]) == GROUP


def test_long_descriptions_are_shortened():
    text = "netcdf l { " + "".join(f':a{i} = "{"x" * 200}" ; ' for i in range(30)) + "}"
    ncz.gen(io.BytesIO(text.encode()), "memory://long", overwrite=True)
    assert max(map(len, repr(ncz.open("memory://long")).splitlines())) <= 100


class Tags(HTMLParser):
    """Collects the tags, and checks that they are nested correctly."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.texts = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def hostile():
    ncz.gen(io.BytesIO(HOSTILE), "memory://hostile", overwrite=True, notify=ignore_notice)
    return ncz.open("memory://hostile")


def test_html_is_well_formed_and_texts_are_escaped(hostile):
    for each in (hostile, hostile["v"], hostile["s"]):
        tags = Tags()
        tags.feed(each._repr_html_())
        assert tags.open == []
        assert tags.seen <= {"div", "style", "table", "tr", "th", "td", "details", "summary", "b",
                             "span"}  # fmt: skip
    tags.feed(hostile._repr_html_())
    assert "<script>alert(1)</script>" in tags.texts
    assert "</div></details>" in tags.texts


def test_html_takes_the_colours_of_the_notebook(hostile):
    html = hostile._repr_html_()
    assert "color: inherit" in html
    assert "url(" not in html
    assert "#fff" not in html


def test_a_description_is_one_line_and_a_table(tmp_path):
    path = tmp_path / "weather.zarr"
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", path, notify=ignore_notice)
    found = ncz.info(path)
    assert repr(found) == ("<ncz.DatasetInfo weather: NCZarr 2 on Zarr V2, 6 variables, 424 B>")
    assert repr(found.variables[0]) == "<ncz.VariableInfo /time (time: 4) double, 32 B>"
    lines = str(found).splitlines()
    assert lines[0] == repr(found)
    assert len(lines) == 7
    assert "  /time (time: 4) double, 32 B, chunks of 512" in lines
    assert lines[4].endswith(" float, 240 B, chunks of 2x3x5, shuffle zlib")
    html = found._repr_html_()
    assert html.count("<tr>") == 7
    assert "<td>/temperature</td><td>(time: 4, lat: 3, lon: 5)</td><td>float</td>" in html
    Tags().feed(html)


def test_a_description_of_a_hostile_dataset_is_escaped():
    found = ncz.info(io.BytesIO(b"netcdf h { variables: int \\<b\\> ; }"))
    assert "<b>" not in found._repr_html_()


def test_a_summary_is_one_line_and_a_table(tmp_path):
    path = tmp_path / "weather.nc"
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", path, notify=ignore_notice)
    summary = ncz.copy(path, tmp_path / "a.zarr", notify=ignore_notice)
    assert repr(summary).startswith("<ncz.Summary: 6 variables, ")
    assert len(repr(summary).splitlines()) == 1
    several = ncz.copy([path], tmp_path / "out", each=True, notify=ignore_notice)
    assert repr(several).startswith("<ncz.Summary: 1 target, 6 variables, ")
    assert "weather.zarr</td><td>6</td>" in several._repr_html_()


def test_variables_of_a_description_have_names(tmp_path):
    ncz.gen(ROOT / "cdl_examples" / "groups.cdl", tmp_path / "g.zarr", notify=ignore_notice)
    found = ncz.info(tmp_path / "g.zarr").variables
    assert found["thickness"] is found["/ocean/ice/thickness"]
    assert found[found.index(found["thickness"])].path == "/ocean/ice/thickness"
    assert found[:1] == tuple(found)[:1]
    with pytest.raises(KeyError, match="no variable is named 'none'"):
        found["none"]


def test_floats_have_the_digits_of_their_type(tmp_path):
    cdl = """netcdf f { dimensions: x = 1 ; variables: float v(x) ; v:_FillValue = 1.e20f ;
      v:valid_range = 281.4f, 300.f ; v:scale_factor = 0.1f ; v:exact = 281.3999938964844 ; }"""
    ncz.gen(cdl, tmp_path / "f.nc")
    lines = repr(ncz.open(tmp_path / "f.nc")["v"]).splitlines()
    for text in (
        "value * 0.1 + 0", "Fill value:  1e+20", "valid_range:   [281.4, 300.0]",
        "exact:         281.3999938964844",
    ):  # fmt: skip
        assert any(text in line for line in lines), lines
