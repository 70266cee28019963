"""Filters that store numbers in a smaller type lose nothing in silence."""

from __future__ import annotations

import pytest

CDL = """netcdf x {{
dimensions: time = 7 ; x = 3 ;
variables:
    double v(time, x) ;
        v:_ChunkSizes = 5, 2 ;
        v:_Codecs = "[{codec}]" ;
data:
    v = 270, 271, 272.5, {value}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 ;
}}"""
SCALED = r"{\"id\": \"fixedscaleoffset\", \"offset\": 0, \"scale\": 100, \"dtype\": \"<f8\", "
SCALED += r"\"astype\": \"<i2\"}"


def test_chunks_at_the_edge_need_no_place_for_the_fill_value(run, tmp_path):
    text = CDL.format(codec=SCALED, value=273)
    assert run("gen", "-", "-o", tmp_path / "x.zarr", "-q", stdin=text).code == 0
    numbers = "v = 270, 271, 272.5, 273, 1"
    assert numbers in " ".join(run("dump", tmp_path / "x.zarr").text.split()).replace("\n", "")
    for options in ([], ["-c", "v:2,3"]):
        ran = run("copy", "-q", "--verify", *options, tmp_path / "x.zarr", tmp_path / "y.zarr",
                  "--overwrite")  # fmt: skip
        assert (ran.code, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("value", "shown"), [("_", "9.969209968386869e+36"), ("400", "400.0"), ("NaN", "nan")]
)
def test_a_value_that_does_not_fit_is_an_error(run, tmp_path, value, shown):
    text = CDL.format(codec=SCALED, value=value)
    ran = run("gen", "-", "-o", tmp_path / "x.zarr", stdin=text)
    assert ran.code == 1
    assert f"fixedscaleoffset cannot store {shown} as <i2" in ran.stderr
    assert not (tmp_path / "x.zarr").exists()
