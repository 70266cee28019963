"""``ncz diff``: a table of pairs with the lines that it prints, for every kind of source."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = """netcdf s {
dimensions: x = 3 ; y = 2 ;
variables:
  float v(x, y) ; v:units = "K" ; v:_ChunkSizes = 1, 2 ;
  int n(x) ;
  string s(y) ;
  :title = "one" ;
data:
  v = 1, 2, 3, _, NaN, 6 ;
  n = 1, 2, 3 ;
  s = "a", "b" ;
}
"""

PAIRS = [
    ("1, 2, 3, _", "1, 2, 3.5, _", ["/v[1,0]: 3.0 != 3.5", "1 of 6 values differ, by at most 0.5"]),
    ("1, 2, 3, _", "1, 2, 281.4, _", ["/v[1,0]: 3.0 != 281.4", "1 of 6 values differ"]),
    ("_, NaN", "_, 5", ["/v[2,0]: nan != 5.0", "/v: 1 of 6 values differ"]),
    ('"a", "b"', '"a", "c"', ['/s[1]: "b" != "c"', "/s: 1 of 2 values differ"]),
    ('units = "K"', 'units = "C"', ['/v: attribute units: "K" != "C"']),
    ('v:units = "K" ;', "", ["/v: attribute units is only in A"]),
    ("n = 1, 2, 3 ;", "n = 9, 9, 9 ;", ["/n[0]: 1 != 9", "/n[1]: 2 != 9", "/n[2]: 3 != 9", "3 of"]),
    ("x = 3 ;", "x = 3 ; z = 4 ;", ["/: dimension z is only in B"]),
    ("int n(x)", "short n(x)", ['/n: type: "int" != "short"']),
    (
        "int n(x) ;",
        "int n(y) ;",
        ["/n: shape: 3 != 2", '/n: dimensions: "/x" != "/y"'],
    ),
    ("_ChunkSizes = 1, 2", "_ChunkSizes = 3, 1", []),
    (':title = "one"', ":title = 1", ['/: attribute title: "one" != 1']),
]


def edited(old: str, new: str) -> str:
    text = CDL.replace("n = 1, 2, 3 ;", "n = 1, 2 ;") if "n(y)" in new else CDL
    assert old in text
    return text.replace(old, new)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("diff")
    (folder / "s.cdl").write_text(CDL)
    ncz.gen(folder / "s.cdl", folder / "s.zarr", notify=ignore_notice)
    return folder / "s.zarr"


def lines(run: Run, *arguments: object) -> list[str]:
    done = run("diff", *map(str, arguments))
    assert (done.code, done.stderr) == (int(bool(done.stdout)), "")
    return done.text.splitlines()


@pytest.mark.parametrize(("old", "new", "expected"), PAIRS)
@pytest.mark.parametrize("form", ["cdl", "store", "v3"])
def test_differences_are_printed(run: Run, store, tmp_path, old, new, expected, form):
    other = tmp_path / "t.cdl"
    other.write_text(edited(old, new))
    if form != "cdl":
        target = f"{tmp_path}/" + ("t.zip" if form == "store" else "t.zarr#mode=v3")
        ncz.gen(other, target, notify=ignore_notice)
        other = target
    found = lines(run, store, other)
    assert len(found) == len(expected)
    for line, text in zip(found, expected, strict=True):
        assert text in line


def test_stores_of_all_forms_and_the_text_are_equal(run, store, tmp_path):
    target = f"{tmp_path}/v3.zip#mode=v3"
    ncz.copy(store, target, chunks=["v:3,2"], shards=["v:6,2"], notify=ignore_notice)
    assert lines(run, store, target) == []
    assert lines(run, store, store.with_name("s.cdl")) == []
    assert run("diff", "-", str(store), stdin=CDL.encode()).code == 0


def test_storage(run, store, tmp_path):
    other = f"{tmp_path}/t.zarr"
    ncz.copy(store, other, chunks=["v:3,2"], codecs=["n=zlib:1"])
    assert lines(run, store, other) == []
    assert lines(run, "--storage", store, other) == [
        "/v: chunks: (1, 2) != (3, 2)",
        '/n: codecs: "" != "zlib(level=1)"',
    ]


def test_storage_of_a_netcdf_file(run, store, tmp_path):
    other = f"{tmp_path}/t.nc"
    ncz.copy(store, f"{tmp_path}/c.zarr", chunks=["v:3,2"])
    ncz.copy(f"{tmp_path}/c.zarr", other, notify=ignore_notice)
    assert "/v: chunks: (1, 2) != (3, 2)" in lines(run, "--storage", store, other)


def test_limits_of_numbers(run, store, tmp_path):
    other = tmp_path / "t.cdl"
    other.write_text(CDL.replace("1, 2, 3, _, NaN, 6", "1, 2, 3.5, _, NaN, 6.000001"))
    assert len(lines(run, store, other)) == 3
    assert len(lines(run, store, other, "--ulp", "3")) == 2
    assert len(lines(run, store, other, "--rtol", "1e-5")) == 2
    assert lines(run, store, other, "--tolerance", "0.5") == []


def test_a_selection(run, store, tmp_path):
    other = tmp_path / "t.cdl"
    other.write_text(CDL.replace('"one"', '"two"').replace("n = 1", "n = 5"))
    assert lines(run, store, other, "-v", "v,s") == []
    assert lines(run, store, other, "-h") == ['/: attribute title: "one" != "two"']
    assert len(lines(run, store, other, "-v", "n")) == 2
    done = run("diff", str(store), str(other), "-v", "none")
    assert (done.code, done.text) == (2, "")
    assert "neither dataset has a variable 'none'" in done.stderr


def test_the_number_of_listed_values_is_limited(run, store, tmp_path):
    other = tmp_path / "t.cdl"
    other.write_text(CDL.replace("n = 1, 2, 3", "n = 5, 5, 5"))
    assert lines(run, store, other, "--max", "1") == [
        "/n[0]: 1 != 5",
        "/n: 3 of 3 values differ, by at most 4",
    ]


def test_json(run, store, tmp_path):
    other = tmp_path / "t.cdl"
    other.write_text(CDL.replace("_, NaN", "_, -Infinity"))
    done = run("diff", "--json", str(store), str(other))
    assert json.loads(done.text) == {
        "differences": [
            {"kind": "value", "path": "/v", "index": [2, 0], "a": "NaN", "b": "-Infinity"},
            {"kind": "values", "path": "/v", "count": 1, "size": 6},
        ],
        "equal": False,
    }
    assert json.loads(run("diff", "--json", str(store), str(store)).text)["equal"] is True


def test_data_that_cannot_be_read_do_not_hide_the_rest(run, store, tmp_path):
    other = tmp_path / "t.zarr"
    ncz.copy(store, str(other), codecs=["v=zlib:1"])
    ncz.copy(store, str(tmp_path / "u.zarr"), codecs=["v=zlib:1"])
    (other / "v" / "0.0").write_bytes(b"damaged")
    (other / "n" / "0").write_bytes(bytes(12))
    done = run("diff", "--json", str(tmp_path / "u.zarr"), str(other))
    assert done.code == 2
    assert "v/0.0" in done.stderr
    assert {d["path"] for d in json.loads(done.text)["differences"]} == {"/n"}
    (other / "n" / "0").write_bytes((store / "n" / "0").read_bytes())
    done = run("diff", "--json", str(tmp_path / "u.zarr"), str(other))
    assert (done.code, json.loads(done.text)["equal"]) == (2, None)
    assert run("diff", "--allow-loss", str(tmp_path / "u.zarr"), str(other)).code == 0


def test_equal_chunks_are_not_decoded(run, store, tmp_path):
    one, other = tmp_path / "t.zarr", tmp_path / "u.zarr"
    for target in (one, other):
        ncz.copy(store, str(target), codecs=["v=zlib:1"])
        (target / "v" / "0.0").write_bytes(b"what no codec can decode")
    assert lines(run, one, other) == []


def test_missing_chunks_equal_chunks_of_fill(run, store, tmp_path):
    one, other = tmp_path / "t.zarr", tmp_path / "u.zarr"
    for target in (one, other):
        ncz.copy(store, str(target))
    (one / "n" / "0").write_bytes(np.full(3, -2147483647, "<i4").tobytes())
    (other / "n" / "0").unlink()
    assert lines(run, one, other) == []


def test_an_unlimited_dimension_that_another_variable_extended(run, tmp_path):
    text = "netcdf s { dimensions: t = UNLIMITED ; variables: int a(t) ; int b(t) ; data: %s }"
    (tmp_path / "one.cdl").write_text(text % "a = 1, 2, 3 ; b = 1 ;")
    (tmp_path / "two.cdl").write_text(text % "a = 1, 2, 3 ; b = 1, _, 5 ;")
    ncz.gen(tmp_path / "one.cdl", tmp_path / "one.zarr")
    assert lines(run, tmp_path / "one.zarr", tmp_path / "one.cdl") == []
    assert lines(run, tmp_path / "one.cdl", tmp_path / "two.cdl")[0].startswith("/b[2]: ")


def test_the_exit_code_matches_diff(run, store, tmp_path):
    same, other = str(tmp_path / "t.zarr"), tmp_path / "t.cdl"
    ncz.copy(store, same)
    other.write_text(CDL.replace("n = 1", "n = 5"))
    assert run("diff", str(store), same).code == 0
    assert run("diff", str(store), str(other)).code == 1
    for trouble in (
        (str(store), str(tmp_path / "none.zarr")),
        (str(store), same, "-v", "none"),
        (str(store), same, "--isel", "none=1"),
        (str(store), same, "--unknown"),
    ):
        done = run("diff", *trouble)
        assert (done.code, done.text) == (2, "")
    (tmp_path / "t.zarr" / "v" / "0.0").write_bytes(b"short")
    assert run("diff", same, str(other)).code == 2  # n differs, too


def test_only_shapes_and_values_are_compared(run, store, tmp_path):
    other = tmp_path / "t.cdl"
    text = CDL.replace('units = "K"', 'units = "C"').replace(':title = "one"', ":title = 1")
    text = text.replace("int n(x)", "double n(z)").replace("x = 3 ;", "x = 3 ; z = 3 ;")
    other.write_text(text)
    assert ncz.diff(store, other, data_only=True) == []
    other.write_text(
        text.replace("1, 2, 3 ;", "1, 2, 4 ;")
        .replace("string s(y)", "string r(y)")
        .replace(" s =", " r =")
    )
    found = ncz.diff(store, other.rename(tmp_path / "u.cdl"), data_only=True)
    assert [(each.kind, each.fqn) for each in found][:2] == [
        ("missing-variable", "/s"),
        ("extra-variable", "/r"),
    ]
    assert found[2].index == (2,)
    done = run("diff", "--data-only", str(store), str(tmp_path / "u.cdl"))
    assert (done.code, len(done.text.splitlines())) == (1, len(found))


UNLIMITED = """netcdf s {
dimensions: c = UNLIMITED ; b = UNLIMITED ; a = 2 ;
variables: int v(b, a) ; int w(c) ;
data: v = 1, 2, 3, 4 ; w = 1, 2 ;
}
"""


@pytest.mark.parametrize("turned", [False, True])
def test_parts_that_one_side_cannot_represent_are_a_notice(run, tmp_path, turned):
    text, pure = tmp_path / "s.cdl", f"{tmp_path}/p.zarr"
    text.write_text(UNLIMITED)
    ncz.gen(text, f"{pure}#mode=zarr", annotations=False, allow_loss=True, notify=ignore_notice)
    sides = (pure, str(text)) if turned else (str(text), pure)
    done = run("diff", *sides)
    assert (done.code, done.text) == (0, "")
    assert "p.zarr: pure Zarr does not record that dimension b of / is unlimited" in done.stderr
    assert "pure Zarr does not record the order of the dimensions of /" in done.stderr
    assert run("diff", "-q", *sides).stderr == ""


def test_a_second_unlimited_dimension_in_a_classic_file_is_a_notice(run, tmp_path):
    text, classic = tmp_path / "s.cdl", str(tmp_path / "s.nc")
    text.write_text(UNLIMITED)
    ncz.gen(text, classic, kind="classic", allow_loss=True, notify=ignore_notice)
    done = run("diff", str(text), classic)
    assert (done.code, done.text) == (0, "")
    assert "one unlimited dimension, does not record that dimension b of /" in done.stderr
    text.write_text(UNLIMITED.replace("c = UNLIMITED", "c = 2"))
    assert run("diff", str(text), classic).code == 1  # which holds that b is unlimited


def test_the_python_function_returns_records(store, tmp_path):
    other = tmp_path / "t.cdl"
    other.write_text(CDL.replace("n = 1", "n = 5"))
    assert ncz.diff(store, other) == [
        ncz.Difference(kind="value", fqn="/n", index=(0,), expected=1, found=5),
        ncz.Difference(kind="values", fqn="/n", count=1, size=3, largest=4),
    ]
    assert ncz.diff(store, other, tolerance=4) == []


def test_netcdf_files(run, store, tmp_path):
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    with netcdf4.Dataset(tmp_path / "s.nc", "w") as file:
        file.title = "one"
        file.createDimension("x", 3)
        file.createVariable("n", "i4", ("x",), chunksizes=(2,), zlib=True)[:] = [1, 2, 4]
    found = lines(run, store, tmp_path / "s.nc", "-v", "n")
    assert found == ["/n[2]: 3 != 4", "/n: 1 of 3 values differ, by at most 1"]


def test_attributes_are_left_out(run, store, tmp_path):
    other = tmp_path / "other.zarr"
    assert run("copy", "-q", store, other).code == 0
    assert run("edit", other, ":title=new", "v:units=degC").code == 0
    assert run("diff", store, other).code == 1
    assert run("diff", store, other, "--drop-attribute", "title,v:units").text == ""
    assert ncz.diff(store, other, drop_attributes=["title", "v:u*"]) == []
    done = run("diff", store, other, "--exclude", "title")
    assert "leave it out with --drop-attribute title" in done.stderr
    assert run("diff", store, other, "--drop-attribute", "nothing").code == 2


def test_lines_with_signs_and_json_exclude_each_other(run: Run, store, tmp_path):
    other = tmp_path / "t.cdl"
    other.write_text(CDL.replace('"one"', '"two"'))
    ran = run("diff", "-u", store, other)
    assert (ran.code, ran.text.splitlines()[:2]) == (1, [f"--- {store}", f"+++ {other}"])
    assert run("diff", "-u", "--json", store, other).code == 2
    assert run("diff", "-u", store, store).text == ""
