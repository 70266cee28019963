"""``dump --attribute``: the values of attributes."""

from __future__ import annotations

import pytest

from tests.conftest import Run

CDL = b"""netcdf a {
dimensions: x = 2 ;
variables:
  float v(x) ; v:units = "m s-1" ; v:_FillValue = -9.f ; v:range = 1s, 2s ; v:a.b = "dot" ;
  :title = "One\\nand two" ;
group: g {
  :note = "in g" ;
  variables: int w(x) ; string w:flags = "low", "high" ; w:offset = 0.5 ;
}
}
"""


@pytest.fixture
def store(tmp_path, run: Run):
    assert run("gen", "-", "-o", tmp_path / "a.nc", stdin=CDL).code == 0
    return tmp_path / "a.nc"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("v:units", "m s-1"), ("v.units", "m s-1"), ("v@units", "m s-1"), ("/v:units", "m s-1"),
        ("v:a.b", "dot"), ("v:_FillValue", "-9.f"), ("v:range", "1s\n2s"),
        (":title", "One\nand two"), ("title", "One\nand two"), ("global:title", "One\nand two"),
        ("/g:note", "in g"), ("g:note", "in g"),
        ("w:flags", "low\nhigh"), ("g/w:offset", "0.5"),
    ],
)  # fmt: skip
def test_the_value_alone_is_printed(store, run: Run, name, value):
    ran = run("dump", "-a", name, store)
    assert (ran.code, ran.text) == (0, f"{value}\n")


def test_several_values_have_a_line_each(store, run: Run):
    assert run("dump", "-a", "v:units", "--attribute", "w:offset", store).text == "m s-1\n0.5\n"


@pytest.mark.parametrize(
    ("name", "hint"), [("v:unit", "did you mean 'v:units'"), (":", "see 'ncz dump -h'")]
)
def test_an_attribute_that_does_not_exist(store, run: Run, name, hint):
    ran = run("dump", "-a", name, store)
    assert (ran.code, ran.text) == (1, "")
    assert f"no attribute {name}; {hint}" in ran.stderr
