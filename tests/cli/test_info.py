"""``ncz info``: the text for people, JSON, sizes against the files, statistics against xarray."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

CDL = """netcdf s {
dimensions: time = UNLIMITED ; x = 4 ;
variables:
  short p(time, x) ; p:scale_factor = -0.5 ; p:add_offset = 10. ; p:_FillValue = -1s ;
    p:_ChunkSizes = 1, 4 ; p:_DeflateLevel = 1 ;
  float f(x) ; f:missing_value = 5.f ;
  string s(x) ;
data:
  p = 1, 2, 3, _, 5, 6, 7, 8 ;
  f = 1, NaN, 5, Infinity ;
  s = "a", "b", "c", "d" ;
group: g { variables: int v(x) ; v:_ChunkSizes = 1 ; }
}
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("info")
    (folder / "s.cdl").write_text(CDL)
    ncz.gen(folder / "s.cdl", folder / "s.zarr", notify=ignore_notice)
    return folder / "s.zarr"


def described(run, *arguments):
    done = run("info", "--json", *map(str, arguments))
    assert (done.code, done.stderr) == (0, "")
    document = json.loads(done.text)
    return document, {v["path"]: v for v in document["variables"]}


def test_the_text(run, store, monkeypatch):
    lines = run("info", store).text.splitlines()
    assert lines[0] == "s: NCZarr 2 on Zarr V2, 4 variables in 2 groups"
    assert lines[2:5] == ["Dimensions", "  time  2 unlimited", "  x     4"]
    monkeypatch.setenv("COLUMNS", "120")
    text = run("info", "--stats", "--storage", store).text
    shown = [line.split() for line in text.splitlines()]
    assert any(line.startswith("Written by version=2,ncz=") for line in text.splitlines())
    size = sum((store / "p" / key).stat().st_size for key in ("0.0", "1.0"))
    assert ["/p", "2x4", "1x4", "zlib", "16", "B", f"{size}", "B"] in [line[:8] for line in shown]
    assert ["/p", "7", "1", "6", "9.5", "7.71429", "1.22057"] in [line[:7] for line in shown]
    assert "█" in text
    assert "unpacked" not in text


def test_sizes_match_the_files(run, store):
    document, variables = described(run, store)
    assert document["format"] == "NCZarr 2 on Zarr V2"
    assert document["groups"] == 2
    for size in ("stored_bytes", "unpacked_bytes"):
        assert document[size] == sum(each[size] or 0 for each in variables.values()) > 0
    for path in ("p", "f", "s"):
        chunks = [f for f in (store / path).iterdir() if not f.name.startswith(".")]
        assert variables[f"/{path}"]["stored_bytes"] == sum(f.stat().st_size for f in chunks)
        assert variables[f"/{path}"]["chunks_present"] == len(chunks)
    assert (variables["/g/v"]["chunks_present"], variables["/g/v"]["chunks_expected"]) == (0, 4)
    assert variables["/s"]["unpacked_bytes"] is None


def test_statistics_match_xarray(run, store):
    xarray = pytest.importorskip("xarray")
    _, variables = described(run, "--stats", store)
    with xarray.open_zarr(store, consolidated=False) as dataset:
        found = variables["/p"]["statistics"]
        packed = dataset["p"].astype("f8")
        assert found["count"] == int(packed.count())
        for name in ("min", "max", "mean", "std"):
            assert found[name] == pytest.approx(float(getattr(packed, name)()), rel=1e-6)
    found = variables["/f"]["statistics"]
    assert (found["count"], found["missing"], found["infinite"]) == (1, 2, 1)
    assert (found["min"], found["std"]) == (1, 0)
    assert "statistics" not in variables["/s"]


@pytest.mark.parametrize("form", ["cdl", "v3", "zip"])
def test_every_form_has_the_same_statistics(run, store, tmp_path, form):
    expected = described(run, "--stats", store)[1]
    if form == "cdl":
        other = str(store.with_name("s.cdl"))
    else:
        other = f"{tmp_path}/t.{form}" + ("#mode=v3" if form == "v3" else "")
        shards = ["p:2,4"] if form == "v3" else []
        ncz.copy(store, other, chunks=["p:1,2"], shards=shards, notify=ignore_notice)
    found = described(run, "--stats", other)[1]
    for path in ("/p", "/f", "/g/v"):
        numbers, others = expected[path]["statistics"], found[path]["statistics"]
        assert others.pop("histogram") == numbers.pop("histogram")
        assert others == pytest.approx(numbers)


def test_shards_are_shown(run, store, tmp_path):
    target = f"{tmp_path}/t.zarr#mode=v3"
    ncz.copy(store, target, chunks=["p:1,2"], shards=["p:2,4"], notify=ignore_notice)
    _, variables = described(run, target)
    assert (variables["/p"]["chunks"], variables["/p"]["shards"]) == ([1, 2], [2, 4])
    assert variables["/p"]["chunks_expected"] == 4
    assert "chunks of 1x2 (4 B)\n  in shards of 2x4" in run("info", target).text
    assert "1x2 in 2x4" in run("info", "--storage", target).text


def test_missing_chunks_are_values_without_a_mask(store):
    (one,) = (v for v in ncz.info(store, stats=True).variables if v.path == "/g/v")
    assert one.statistics is not None
    assert (one.statistics.count, one.statistics.missing) == (4, 0)
    assert one.statistics.minimum == one.statistics.maximum == -2147483647


def test_a_selection(run, store):
    assert list(described(run, "-v", "p", store)[1]) == ["/p"]
    done = run("info", "-v", "none", store)
    assert (done.code, done.text) == (1, "")


def test_unreadable_data_do_not_hide_the_rest(run, store, tmp_path):
    ncz.copy(store, tmp_path / "t.zarr")
    (tmp_path / "t.zarr/p/0.0").write_bytes(b"damaged")
    done = run("info", "--stats", "--json", tmp_path / "t.zarr")
    assert done.code == 1
    assert "p/0.0" in done.stderr
    found = {v["path"]: v for v in json.loads(done.text)["variables"]}
    assert "statistics" not in found["/p"]
    assert found["/p"]["chunks_present"] == 2
    assert found["/f"]["statistics"]["count"] == 1
    assert run("info", "--stats", "--allow-loss", tmp_path / "t.zarr").code == 0


def test_chunks_larger_than_the_memory_limit(tmp_path):
    values = np.arange(40000.0).reshape(200, 200)
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(
        tmp_path / "t.zarr", name="v", shape=values.shape, chunks=(10, 10), shards=(200, 200),
        dtype="f8", dimension_names=("y", "x"),
    )  # fmt: skip
    array[:] = values
    for memory in (1 << 14, 1 << 26):
        (one,) = ncz.info(tmp_path / "t.zarr", stats=True, memory=memory).variables
        assert one.statistics is not None
        assert one.statistics.mean == pytest.approx(values.mean())
        assert one.statistics.std == pytest.approx(values.std())


def test_variables_can_follow_the_store(run, store):
    named = described(run, "-v", "p,f", store)
    assert described(run, store, "p", "f") == named
    assert described(run, "-v", "f", store, "p") == named
    assert [*named[1]] == ["/p", "/f"]
    done = run("info", store, "P")
    assert (done.code, done.stderr) == (1, "ncz: no variable is named 'P'; did you mean 'p'?\n")


def test_statistics_of_times_are_dates(run, tmp_path):
    (tmp_path / "t.cdl").write_text(
        """netcdf t { dimensions: t = 3 ; n = 2 ; variables:
        double t(t) ; t:units = "hours since 2000-01-01" ; t:calendar = "noleap" ; t:bounds = "b" ;
        float b(t, n) ; float v(t) ;
        data: t = 0, 6, 1416 ; b = 0, 1, 1, 2, 2, 3 ; v = 1, 2, 3 ; }"""
    )
    text = run("info", "--stats", tmp_path / "t.cdl").text
    rows = {line.split()[0]: line for line in text.splitlines() if line.startswith("/")}
    assert "2000-01-01 2000-03-01 2000-01-20 18 666.099 h" in " ".join(rows["/t"].split())
    document = json.loads(run("info", "--stats", "--json", tmp_path / "t.cdl").text)
    found = {v["path"]: v["statistics"] for v in document["variables"]}
    assert found["/t"]["min"] == 0
    assert found["/t"]["dates"] == {
        "min": "2000-01-01", "max": "2000-03-01", "mean": "2000-01-20 18"
    }  # fmt: skip
    assert found["/b"]["dates"]["max"] == "2000-01-01 03"
    assert "dates" not in found["/v"]


def test_several_datasets(run, store, tmp_path):
    other = tmp_path / "other.zarr"
    ncz.copy(store, other, notify=ignore_notice)
    done = run("info", store, other)
    assert (done.code, done.stderr) == (0, "")
    assert done.text == run("info", store).text + "\n" + run("info", other).text
    done = run("info", store, "f", other)
    assert done.text.count("float") == 2
    assert "/p" not in done.text
    documents = json.loads(run("info", "--json", store, other, "f").text)
    assert documents == {
        str(place): json.loads(run("info", "--json", place, "f").text) for place in (store, other)
    }
    assert run("info", "--html", tmp_path / "page.html", store, other).code == 2
