"""Keyword arguments of xarray, zarr-python and netCDF4."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT

QUIET: Any = {"notify": ignore_notice}


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ncz.gen(ROOT / "cdl_examples/weather.cdl", "w.nc", **QUIET)
    return "w.nc"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({"zarr_format": 3}, {"modes": ["v3"]}),
        ({"zarr_version": 2}, {"modes": ["v2"]}),
        ({"compressor": "zstd:5"}, {"codecs": ["zstd:5"]}),
        ({"compressor": None}, {"codecs": ["none"]}),
        ({"compressors": [{"id": "zlib", "level": 3}]}, {"codecs": ["zlib:3"]}),
        ({"zlib": True, "complevel": 6}, {"deflate": 6}),
        ({"encoding": {"lat": {"chunks": (2,)}}}, {"chunks": ["lat:2"]}),
        ({"encoding": {"lat": {"zlib": True, "complevel": 1}}}, {"codecs": ["lat=shuffle+zlib:1"]}),
        ({"significant_digits": 3}, {"quantize": 3}),
        ({"drop_variables": ["station"]}, {"exclude": ["station"]}),
        ({"sel": {"lat": 51}, "method": "nearest"}, {"sel": {"lat": 51}, "nearest": True}),
        ({"chunksizes": {"time": 1}}, {"chunks": {"time": 1}}),
        ({"engine": "netcdf4", "progress": True}, {}),
    ],
    ids=str,
)
def test_a_copy_follows_them(file, theirs, ours):
    target = "x.nc" if "deflate" in ours else "x.zarr"
    ncz.copy(file, target, **theirs, **QUIET)
    ncz.copy(file, f"ours-{target}", **ours, **QUIET)
    stored = [
        [(v.path, v.chunks, v.codecs) for v in ncz.open(path).variables.values()]
        for path in (target, f"ours-{target}")
    ]
    assert stored[0] == stored[1]


def test_codecs_can_come_from_numcodecs_and_zarr(file):
    numcodecs = pytest.importorskip("numcodecs")
    zarr = pytest.importorskip("zarr", minversion="3")
    theirs: Any = {"compressor": numcodecs.Blosc(cname="zstd", clevel=3)}
    ncz.copy(file, "a.zarr", **theirs, **QUIET)
    theirs = {"compressors": zarr.codecs.BloscCodec(cname="zstd", clevel=3)}
    ncz.copy(file, "b.zarr", **theirs, **QUIET)
    for path in ("a.zarr", "b.zarr"):
        (codec,) = ncz.open(path)["lat"].codecs
        assert (codec["id"], codec["cname"], codec["clevel"]) == ("blosc", "zstd", 3)


def test_the_mode_of_a_writer(file):
    ncz.copy(file, "x.zarr", **QUIET)
    modes: Any = {mode: {"mode": mode, **QUIET} for mode in ("w-", "w", "a")}
    with pytest.raises(ncz.NczError, match="already exists"):
        ncz.copy(file, "x.zarr", **modes["w-"])
    ncz.copy(file, "x.zarr", **modes["w"])
    assert ncz.copy(file, "x.zarr", **modes["a"]).variables == 0  # it has all of them


def test_the_mode_of_the_command_line(file):
    for mode, document in (("nczarr", ".nczattrs"), ("zarr,v3", "zarr.json")):
        theirs: Any = {"mode": mode, **QUIET}
        ncz.copy(file, f"{mode}.zarr", **theirs)
        assert not ncz.diff(file, f"{mode}.zarr")
        assert any(key.endswith(document) or key == "/.zgroup" for key in ncz.ls(f"{mode}.zarr"))
    theirs = {"mode": "nonsense", **QUIET}
    with pytest.raises(ncz.NczError, match="mode cannot be 'nonsense'"):
        ncz.copy(file, "y.zarr", **theirs)


def test_flags_of_the_command_line_are_views(file):
    for flag in ("json", "csv", "ncml", "summary"):
        theirs: Any = {flag: True, "vars": ["lat"]} if flag == "csv" else {flag: True}
        own: Any = {"view": flag, "vars": ["lat"]} if flag == "csv" else {"view": flag}
        assert ncz.dump(file, **theirs) == ncz.dump(file, **own)


def test_joins_have_the_names_of_xarray(file):
    parts = [ncz.open(file).isel(time=slice(i, i + 1)) for i in range(4)]
    theirs: Any = {"concat_dim": "time", **QUIET}
    ncz.copy(parts, "joined.zarr", **theirs)
    assert ncz.open("joined.zarr").dims["time"] == 4
    ncz.copy(parts[0], "first.zarr", **QUIET)
    theirs = {"append_dim": "time", **QUIET}
    ncz.copy(parts[1], "first.zarr", **theirs)
    assert ncz.open("first.zarr").dims["time"] == 2


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"chunks": {}}, "use ncz.open_dataset"),
        ({"store": "x.zarr"}, "as the first argument"),
        ({"nonsense": 1}, "unexpected keyword argument 'nonsense'"),
    ],
)
def test_keywords_that_open_lacks_are_answered(file, keywords, says):
    with pytest.raises(TypeError, match=says):
        ncz.open(file, **keywords)


def test_storage_options_reach_the_server(file, moto, monkeypatch):
    pytest.importorskip("s3fs")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with moto.place(monkeypatch) as url:
        for name in moto.environment:
            monkeypatch.delenv(name, raising=False)
        place = "s3://" + url.partition("://")[2].partition("/")[2] + "/x.zarr"
        options = {
            "key": moto.access_key,
            "secret": moto.secret_key,
            "client_kwargs": {"endpoint_url": moto.endpoint},
        }
        theirs: Any = {"storage_options": options}
        ncz.copy(file, place, **theirs, **QUIET)
        assert "lat" in ncz.open(place, **theirs)
        alone: Any = {**options, "endpoint_url": moto.endpoint}
        del alone["client_kwargs"]
        assert "lat" in ncz.open(place, **alone)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", moto.access_key)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", moto.secret_key)
    theirs = {"storage_options": {"nonsense": 1}}
    with pytest.raises(ncz.NczError, match="the storage option 'nonsense' is not known"):
        ncz.open(place, **theirs)


@pytest.mark.parametrize("version", [2, 3])
def test_a_version_of_zarr_leaves_the_form_of_the_target(version: int, file, tmp_path):
    for name in ("refs.json", "w.zarr.zip"):
        theirs: Any = {"zarr_format": version}
        ncz.copy(file, name, **theirs, **QUIET)
        assert (tmp_path / name).is_file()
        keys = ncz.ls(name)
        assert any(key.endswith("zarr.json") for key in keys) == (version == 3)


def test_a_form_of_the_target_by_the_keyword_format(file, tmp_path):
    for form, document in (("reference", "reference"), ("zarr", "zarr/.zgroup")):
        theirs: Any = {"format": form}
        ncz.copy(file, form, **theirs, **QUIET)
        assert json.loads((tmp_path / document).read_text())
    theirs = {"format": "grib"}
    with pytest.raises(ncz.NczError, match="NETCDF3_CLASSIC, cf, cfa, icechunk"):
        ncz.copy(file, "other", **theirs)


@pytest.mark.parametrize(
    ("typed", "own"),
    [
        ('ncz.dump(f, "lat")', 'ncz.dump(f, variables="lat")'),
        ('ncz.dump(f, v="lat")', 'ncz.dump(f, variables="lat")'),
        ("ncz.dump(f, dates=True)", 'ncz.dump(f, times=" ")'),
        ("ncz.dump(f, precision=3)", "ncz.dump(f, digits=(3, 3))"),
        ('ncz.dump(f, format="json")', 'ncz.dump(f, view="json")'),
        ('ncz.dump(f, time="2026-01-01")', 'ncz.dump(f, sel={"time": "2026-01-01"})'),
        ("ncz.dump(f, lat=slice(50, 53))", "ncz.dump(f, sel={'lat': slice(50, 53)})"),
        (
            'ncz.dump(f, lat=50, sel={"lon": 0})',
            'ncz.dump(f, sel={"lat": 50, "lon": 0})',
        ),
        ('ncz.info(f, "lat")', 'ncz.info(f, variables="lat")'),
        ("ncz.diff(f, g, atol=1)", "ncz.diff(f, g, tolerance=1)"),
        ("ncz.diff(f, g, max=1)", "ncz.diff(f, g, most=1)"),
        ('ncz.diff(f, g, ignore="station")', 'ncz.diff(f, g, exclude="station")'),
        ('ncz.check(f, for_="xarray")', 'ncz.check(f, audience="xarray")'),
        ('ncz.view(f, "lat", cmap="viridis")', 'ncz.view(f, "lat", colormap="viridis")'),
        ('ncz.plot(f, "lat", vmin=40, vmax=60)', 'ncz.view(f, "lat", range="40:60")'),
        ('ncz.view(f, "lat", vmax=60)', 'ncz.view(f, "lat", range=":60")'),
        ("ncz.ls(s, r=True)", "ncz.ls(s, recursive=True)"),
    ],
)
def test_names_of_options_are_keywords(file, typed: str, own: str):
    ncz.copy(file, "g.nc", allow_loss=True, vars=["lat", "lon", "station"], **QUIET)
    ncz.copy(file, "s.zarr", **QUIET)
    names = {"ncz": ncz, "f": file, "g": "g.nc", "s": "s.zarr"}
    assert eval(typed, names) == eval(own, names)


@pytest.mark.parametrize(
    ("keywords", "own"),
    [
        ({"compression": "zstd", "level": 5}, {"codecs": "zstd:5"}),
        ({"dtype": "float"}, {"types": "float"}),
        ({"fill_value": -1}, {"missing_value": -1}),
        ({"time": "2026-01-01"}, {"sel": {"time": "2026-01-01"}}),
        ({"decode": True}, {"unpack": True}),
    ],
)
def test_words_of_libraries_make_the_same_copy(file, keywords: Any, own: Any):
    ncz.copy(file, "theirs.zarr", vars=["lat", "time"], **keywords, **QUIET)
    ncz.copy(file, "own.zarr", vars=["lat", "time"], **own, **QUIET)
    assert not ncz.diff("theirs.zarr", "own.zarr", storage=True)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ('ncz.dump(f, output="x.cdl")', "ncz.copy(source, 'x.cdl')"),
        ("ncz.check(f, cf=True)", "use cfchecks"),
        ('ncz.edit(f, "lat:units", "m")', "positional argument"),
        ("ncz.copy(f, 'x.nc', level=850)", "no coordinate or dimension|level"),
    ],
)
def test_keywords_of_another_function_are_answered(file, call: str, says: str):
    with pytest.raises((TypeError, ncz.NczError)) as raised:
        eval(call, {"ncz": ncz, "f": file})
    assert any(part in str(raised.value) for part in says.split("|"))


def test_an_output_is_a_picture_a_page_or_a_target(file, tmp_path):
    theirs: Any = {"output": "a.png"}
    assert ncz.view(file, "lat", **theirs) == "a.png"
    theirs = {"output": "a.html"}
    assert ncz.view(file, "lat", **theirs) == "a.html"
    theirs = {"output": "b.nc"}
    ncz.gen("netcdf b { dimensions: x = 1 ; }", **theirs)
    assert ncz.open("b.nc").dims["x"] == 1


def test_two_names_may_ask_for_the_same_and_not_for_different_things(file):
    same: Any = {"mode": "w", "overwrite": True}
    ncz.copy(file, "a.zarr", **QUIET)
    ncz.copy(file, "a.zarr", **same, **QUIET)
    different: Any = {"mode": "w", "overwrite": False}
    with pytest.raises(TypeError, match="mode"):
        ncz.copy(file, "a.zarr", **different, **QUIET)


def test_sizes_are_texts_too(file):
    sizes: Any = {"chunk_size": "1kB", "memory": "1GB"}
    ncz.copy(file, "a.zarr", **sizes, **QUIET)
    ncz.copy(file, "b.zarr", chunk_size=1000, memory=10**9, **QUIET)
    assert not ncz.diff("a.zarr", "b.zarr", storage=True)
    sizes = {"chunk_size": "large"}
    with pytest.raises(ncz.NczError, match="chunk_size cannot be 'large'"):
        ncz.copy(file, "c.zarr", **sizes, **QUIET)
