"""``dump --ncml`` compared with ncdump's -x, and additions of ncz."""

from __future__ import annotations

import io
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import Notice
from ncz.views.ncml import NAMESPACE, print_ncml
from tests.conftest import EXAMPLES, Run

CLASSIC = r"""netcdf c {
dimensions:
  time = UNLIMITED ; lat = 3 ; n\ 1 = 2 ; none = UNLIMITED ;
variables:
  double time(time) ;
    time:units = "days since 2000-01-01" ; time:actual_range = 0., 1.5 ;
  float lat(lat) ;
    lat:numbers = 1.f, 3.1415926f, 16777216.f ; lat:d = 0.1, 1e300, -0., 123456789.125 ;
    lat:b = 1b, -2b ; lat:s = 3s ; lat:i = 7 ; lat:empty = "" ;
    lat:text = "a<b>&\"q\"'x'\n\ttab\rcr é" ; lat:nuls = "ab\000\000" ;
  int x(time, lat) ; char c(lat, n\ 1) ; short scalar ; byte without ;
:title = "multi\nline é" ; :n = 5 ;
data:
  time = 0, 1.5 ; lat = 1, 2, 3 ;
}""".replace(" none = UNLIMITED ;", "")


def ncml(text: bytes, **options: object) -> tuple[str, list[Notice]]:
    out = io.BytesIO()
    notices: list[Notice] = []
    dataset = read_cdl(text, source="t")
    print_ncml(dataset, out.write, location="here", notify=notices.append, **options)  # type: ignore[arg-type]
    return out.getvalue().decode(), notices


@pytest.mark.parametrize(
    "arguments", [(), ("-h",), ("-v", "x"), ("-c",), ("-p", "4,9"), ("-v", "time,lat", "-p", "3")]
)
def test_a_classic_dataset_is_printed_as_ncdump_prints_it(
    tmp_path: Path, run: Run, arguments: tuple[str, ...]
):
    if shutil.which("ncdump") is None or shutil.which("ncgen") is None:
        pytest.skip("ncgen and ncdump are not installed (netcdf-bin)")
    source, classic, store = tmp_path / "c.cdl", tmp_path / "c.nc", tmp_path / "c.zarr"
    source.write_text(CLASSIC.replace("lat:d = 0.1, 1e300, -0.,", "lat:d = 0.1, 1e300,"))
    subprocess.run(["ncgen", "-o", classic, source], check=True)
    peer = subprocess.run(
        ["ncdump", "-x", *arguments, classic], check=True, capture_output=True
    ).stdout.decode()
    assert run("gen", source, "-o", store).code == 0
    ours = run("dump", "-x", *arguments, store).text
    assert ours == peer.replace(str(classic), str(store))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_becomes_well_formed(path: Path):
    text, _ = ncml(path.read_bytes())
    root = ElementTree.fromstring(text)
    assert root.tag == f"{{{NAMESPACE}}}netcdf"


EXTENDED = rb"""netcdf e {
types: byte enum sky_t { clear = 0, "a&b" = 1 } ; compound obs_t { int n ; float w(2) ; } ;
       int(*) list_t ; opaque(4) raw_t ;
dimensions: x = 2 ; odd\ \<\& = 1 ;
variables:
  sky_t sky(x) ; obs_t obs(x) ; list_t list(x) ; raw_t raw ;
  int64 long(x) ; ubyte small ; string words(x) ;
    long:limits = -1LL, 2LL ; small:big = 18446744073709551615ULL ;
    small:not_number = NaN, -Infinity ;
    string words:one = "a b" ; string words:two = "a|b", "c", NIL ;
    words:bell = "a\007b" ; words:bytes = "\377" ;
group: g { dimensions: x = 3 ; variables: int v(x, /x) ; v:_FillValue = 3 ;
group: h { } } }""".replace(b'"a&b"', b"partly\\ cloudy")

EXPECTED = """<?xml version="1.0" encoding="UTF-8"?>
<netcdf xmlns="https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2" location="here">
  <enumTypedef name="sky_t" type="enum1">
    <enum key="0">clear</enum>
    <enum key="1">partly cloudy</enum>
  </enumTypedef>
  <dimension name="x" length="2" />
  <dimension name="odd &lt;&amp;" length="1" />
  <variable name="sky" shape="x" type="enum1" typedef="sky_t" />
  <variable name="obs" shape="x" type="Structure">
    <variable name="n" type="int" />
    <variable name="w" shape="2" type="float" />
  </variable>
  <variable name="list" shape="x *" type="int" />
  <variable name="raw" type="opaque" />
  <variable name="long" shape="x" type="long">
    <attribute name="limits" type="long" value="-1 2" />
  </variable>
  <variable name="small" type="ubyte">
    <attribute name="big" type="ulong" value="18446744073709551615" />
    <attribute name="not_number" type="double" value="NaN -Infinity" />
  </variable>
  <variable name="words" shape="x" type="String">
    <attribute name="one" type="String" value="a b" />
    <attribute name="two" type="String" separator=";" value="a|b;c;" />
    <attribute name="bell" value="a\ufffdb" />
    <attribute name="bytes" value="\ufffd" />
  </variable>
  <group name="g">
    <dimension name="x" length="3" />
    <variable name="v" shape="x /x" type="int">
      <attribute name="_FillValue" type="int" value="3" />
    </variable>
    <group name="h">
    </group>
  </group>
</netcdf>
"""


def test_features_outside_the_classic_model():
    text, notices = ncml(EXTENDED, header_only=True)
    assert text == EXPECTED
    ElementTree.fromstring(text)
    assert [str(n) for n in notices] == [
        f"/words/{name}: characters that XML does not allow are replaced by U+FFFD;"
        " use --json to see them"
        for name in ("bell", "bytes")
    ]


def test_secrets_in_the_location_are_not_printed():
    out = io.BytesIO()
    place = "s3://b/k#aws.secret_access_key=hush&mode=zarr"
    print_ncml(read_cdl(b"netcdf e {}", source="t"), out.write, location=place)
    assert b"hush" not in out.getvalue()
    assert b"s3://b/k#aws.secret_access_key=***&amp;mode=zarr" in out.getvalue()


TYPES = b"""netcdf t {
types: byte enum cloud { clear = 0, cloudy = 1 } ; opaque(2) id ;
  compound pt { int a ; cloud c ; } ; compound outer { pt p(2) ; } ; pt(*) pts ;
variables: outer o ; pts q ; cloud sky ; cloud sky:_FillValue = cloudy ;
  pt o:origin = {1, cloudy}, {2, clear} ; id q:key = 0X01FF ; pts q:none = {{3, clear}} ;
group: g { variables: cloud inner ; } }"""

AS_NCML = """  <enumTypedef name="cloud" type="enum1">
    <enum key="0">clear</enum>
    <enum key="1">cloudy</enum>
  </enumTypedef>
  <variable name="o" type="Structure">
    <variable name="p" shape="2" type="Structure">
      <variable name="a" type="int" />
      <variable name="c" type="enum1" typedef="cloud" />
    </variable>
    <attribute name="origin" type="String" value="{1, cloudy}, {2, clear}" />
  </variable>
  <variable name="q" shape="*" type="Structure">
    <variable name="a" type="int" />
    <variable name="c" type="enum1" typedef="cloud" />
    <attribute name="key" type="String" value="0X01FF" />
    <attribute name="none" type="String" value="{{3, clear}}" />
  </variable>
  <variable name="sky" type="enum1" typedef="cloud">
    <attribute name="_FillValue" type="enum1" value="1" />
  </variable>
  <group name="g">
    <variable name="inner" type="enum1" typedef="cloud" />
  </group>
"""


def test_user_defined_types_within_others():
    text, notices = ncml(TYPES, header_only=True)
    assert AS_NCML in text
    ElementTree.fromstring(text)
    assert [(n.code, n.location) for n in notices] == [
        ("attribute-as-text", f"/{path}") for path in ("o/origin", "q/key", "q/none")
    ]
