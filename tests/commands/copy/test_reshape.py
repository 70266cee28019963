"""nccopy's options: the effect of each on the description of a dataset."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.cdl.reader import read_cdl
from ncz.commands.chunkspec import parse_chunkspec
from ncz.commands.copy.codec_specs import parse_codecs, parse_filterspec
from ncz.commands.copy.reshape import apply_reshape, with_data
from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.option_error import OptionError
from ncz.model.axes import axes_of
from ncz.model.default_chunks import balanced_chunks
from ncz.model.tree import variables_by_fqn
from tests.conftest import Run

CDL = b"""netcdf r {
dimensions: time = unlimited ; lat = 40 ; lon = 60 ; level = 5 ; n = 3 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ;
  float lon(lon) ; lon:units = "degrees_east" ;
  float t(time, level, lat, lon) ;
    t:_DeflateLevel = 1 ; t:_Shuffle = "true" ; t:_ChunkSizes = 1, 5, 40, 60 ;
  short s(lat, lon) ;
  int scalar ;
data: time = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ;
group: g {
  dimensions: m = 7 ; lat = 9 ;
  variables: byte b(m, lat) ; char c(m, n) ;
  group: h { variables: int deep(lat) ; }
}
}"""


def dataset():
    return read_cdl(CDL, source="r.cdl")


PARSE: dict[str, Callable[[str], Any]] = {
    "chunkspecs": parse_chunkspec,
    "codecs": parse_codecs,
    "filters": parse_filterspec,
}
"""The functions that parse the values of these fields on the command line."""


def made(**options):
    parsed: dict[str, Any] = {
        name: tuple(PARSE[name](spec) for spec in value) if name in PARSE else value
        for name, value in options.items()
    }
    return dict(variables_by_fqn(apply_reshape(dataset(), Reshape(**parsed)).root))


def chunks(**options):
    return {fqn: v.storage.chunks for fqn, v in made(**options).items()}


def codecs(name, **options):
    return [f.to_json() for f in made(**options)[name].storage.filters]


def test_dimensions_by_name():
    found = chunks(chunkspecs=("time/4,lon/,lat/10",))
    assert found["/t"] == (4, 5, 10, 60)
    assert found["/s"] == (10, 60)
    assert found["/time"] is None  # a coordinate, which only its name divides
    assert chunks(chunkspecs=("time:4",))["/time"] == (4,)
    assert found["/g/b"] == (7, 9)  # this lat has length 9
    assert found["/g/c"] is None
    assert found["/scalar"] is None


def test_a_dimension_that_grows_may_have_longer_chunks_than_it_has_values():
    assert chunks(chunkspecs=("time/100",))["/t"] == (100, 5, 40, 60)
    assert chunks(chunkspecs=("time/100",), fixed=True)["/t"] == (10, 5, 40, 60)


def test_a_dimension_by_fqn():
    found = chunks(chunkspecs=("/g/lat/2",))
    assert found["/g/b"] == (7, 2)
    assert found["/g/h/deep"] == (2,)
    assert found["/s"] is None


def test_one_variable_and_all():
    assert chunks(chunkspecs=("t:1,2,3,4",))["/t"] == (1, 2, 3, 4)
    assert chunks(chunkspecs=("/g/b:3,3",))["/g/b"] == (3, 3)
    assert chunks(chunkspecs=("t:",))["/t"] == (10, 5, 40, 60)
    assert chunks(chunkspecs=("/",))["/t"] == (10, 5, 40, 60)
    assert chunks(chunkspecs=("//",)) == chunks(chunkspecs=("/",))
    assert chunks(chunkspecs=("/", "t:1,1,1,1"))["/t"] == (1, 1, 1, 1)
    assert chunks(chunkspecs=("t: 1,2,3,4",))["/t"] == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("specs", "storage_class"),
    [
        (("/",), "contiguous"),
        (("//",), "contiguous"),
        (("s:",), "contiguous"),
        (("s:contiguous",), "contiguous"),
        (("s:Compact",), "compact"),
        (("/", "s:5,5"), "chunked"),
        (("s:5,5", "/"), "contiguous"),
        (("/", "lat/5"), "chunked"),
        (("t:contiguous",), None),
    ],
)
def test_storage_classes(specs, storage_class):
    assert made(chunkspecs=specs)["/s"].storage.storage_class == storage_class


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nowhere/3", "no dimension is named 'nowhere'"),
        ("lat", "is not a valid chunkspec"),
        ("lat/0", "0 is not a valid chunk length"),
        ("lat/99999999999", "is not a valid chunk length"),
        ("t:1,2", "2 lengths for /t, which has 4 dimensions"),
        ("u:1,2", "no variable is named 'u'"),
        ("", "is not a valid chunkspec"),
    ],
)
def test_wrong_chunkspecs(spec, message):
    with pytest.raises(OptionError, match=message):
        chunks(chunkspecs=(spec,))


def test_chunks_of_few_bytes_become_one():
    specs = ("s:10,60", "t:1,1,1,1")
    assert chunks(chunkspecs=specs, least_chunk=1200)["/s"] == (10, 60)
    assert chunks(chunkspecs=specs, least_chunk=1201)["/s"] == (40, 60)
    # A variable that can grow keeps its chunks, as in nccopy.
    assert chunks(chunkspecs=specs, least_chunk=1201)["/t"] == (1, 1, 1, 1)
    assert chunks(chunkspecs=specs, least_chunk=1201, fixed=True)["/t"] == (10, 5, 40, 60)


def test_deflate_takes_the_place_of_a_compressor():
    assert codecs("/t", deflate=7) == [
        {"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 7},
    ]  # fmt: skip
    assert codecs("/s", deflate=2) == [{"id": "zlib", "level": 2}]
    assert codecs("/s", deflate=2, shuffle=True) == [
        {"id": "shuffle", "elementsize": 2}, {"id": "zlib", "level": 2},
    ]  # fmt: skip
    assert codecs("/t", deflate=0) == []
    # There is nothing to shuffle in bytes, nor where nothing compresses.
    assert codecs("/g/b", deflate=2, shuffle=True) == [{"id": "zlib", "level": 2}]
    assert codecs("/s", shuffle=True) == []
    assert made(deflate=5)["/scalar"].storage.filters is None


def test_variables_and_groups():
    assert set(made(only=("s",))) == {"/s"}
    assert set(made(only=("/g/b", "lat"))) == {"/g/b", "/lat"}
    assert set(made(only_groups=("g",))) == {"/g/b", "/g/c"}
    assert set(made(only_groups=("/",))) == {"/time", "/lat", "/lon", "/t", "/s", "/scalar"}
    assert set(made(only_groups=("/g/h",))) == {"/g/h/deep"}
    root = apply_reshape(dataset(), Reshape(only=("deep",))).root
    assert [d.name for d in root.dimensions] == []
    assert [d.name for d in root.groups[0].dimensions] == ["lat"]
    assert with_data(dataset().root, Reshape(data_of=("b", "/s"))) == {"/g/b", "/s", "/lat", "/lon"}
    assert with_data(dataset().root, Reshape(data_of_groups=("g",))) == {"/g/b", "/g/c"}
    for options in ({"only": ("x",)}, {"only_groups": ("x",)}):
        with pytest.raises(OptionError, match=r"no (variable|group with variables) is named 'x'"):
            made(**options)
    with pytest.raises(OptionError, match="no variable is named 'x'"):
        with_data(dataset().root, Reshape(data_of=("x",)))


def test_axes_are_known_by_their_coordinates():
    assert axes_of(dataset().root) == {
        "/time": "T", "/lat": "Y", "/lon": "X", "/level": "Z", "/g/lat": "Y",
    }  # fmt: skip


def test_balanced_chunks_of_a_size():
    found = chunks(chunk_size=4000)["/t"]
    assert found[1] == 1  # neither a series nor a map needs a second level
    assert math.prod(found) * 4 <= 4000
    assert chunks(chunk_size=4000, chunking="netcdf")["/t"][0] == 1


@given(
    st.lists(st.integers(0, 3000), max_size=4),
    st.lists(st.sampled_from(["T", "Z", "Y", "X", None]), min_size=4, max_size=4),
    st.integers(1, 8),
    st.integers(1, 10**6),
)
def test_balance(lengths, axes, size, largest):
    axes = axes[: len(lengths)]
    if len({a for a in axes if a}) != len([a for a in axes if a]):
        return  # two axes of one kind
    found = balanced_chunks(lengths, axes, size, largest)
    assert len(found) == len(lengths)
    assert all(1 <= c <= max(1, n) for c, n in zip(found, lengths, strict=True))
    assert math.prod(found) <= max(1, largest // size)


@pytest.mark.skipif(not shutil.which("nccopy"), reason="netCDF's nccopy is not installed")
@pytest.mark.parametrize(
    "options",
    [
        ["-c", "time/2,lat/10"],
        ["-c", "t:2,1,10,20"],
        ["-d", "4", "-s"],
        ["-d", "0"],
        ["-u"],
        ["-V", "t,lat"],
        ["-v", "lat,s"],
        ["-F", "s,1,7"],
        ["-F", "*,none"],
    ],
    ids=" ".join,
)
def test_nccopy_does_the_same(options, run: Run, tmp_path):
    """The headers, chunks and filters with netCDF's nccopy, from the same CDL."""
    cdl = tmp_path / "r.cdl"
    cdl.write_bytes(CDL)
    netcdf, theirs = tmp_path / "r.nc", tmp_path / "out" / "r.nc"
    theirs.parent.mkdir()
    subprocess.run(["ncgen", "-k", "nc4", "-o", netcdf, cdl], check=True)
    subprocess.run(["nccopy", *options, netcdf, theirs], check=True)
    printed = subprocess.run(
        ["ncdump", "-h", "-s", theirs], check=True, capture_output=True, text=True
    ).stdout
    assert run("gen", cdl, "-o", tmp_path / "r.zarr").code == 0
    ran = run("copy", *options, tmp_path / "r.zarr", tmp_path / "out/r.zarr")
    assert ran.code == 0, ran.stderr
    ours = run("dump", "-h", "-s", tmp_path / "out/r.zarr").text
    assert told(ours, options) == told(printed, options)


def told(text, options):
    """The subjects of the option, line by line."""
    words = ["(", "= "]  # declarations
    lines = [line.strip() for line in text.splitlines()]
    special = {"-c": "_ChunkSizes", "-d": "_DeflateLevel", "-F": "_DeflateLevel"}.get(options[0])
    kept = [
        line
        for line in lines
        if ("_" not in line and any(w in line for w in words))
        or (special and special in line)
        or (options[0] == "-d" and "_Shuffle" in line)
    ]
    if options[0] in ("-v", "-V"):
        # nccopy keeps dimensions that nothing uses, and forgets the length of unlimited ones.
        kept = [line for line in kept if "=" not in line]
    if options[0] == "-d":  # nccopy shuffles bytes one by one, too, which does nothing
        kept = [line for line in kept if not line.startswith(("b:_Shuffle", "c:_Shuffle"))]
    if special == "_ChunkSizes":  # of the requested ones: others have other defaults
        kept = [line for line in kept if "_ChunkSizes" not in line or line.startswith("t:")]
    return [line for line in kept if not line.startswith("netcdf ")]


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("zstandard:3", "zstd:3"),
        ("deflate:5", "zlib:5"),
        ("gzip=5", "gzip:5"),
        ("gzip 5", "gzip:5"),
        ("blosc-zstd", "blosc:zstd"),
        ("shuffle,zlib:4", "shuffle+zlib:4"),
        ("t=bzip2:9", "t=bz2:9"),
    ],
)
def test_codecs_have_the_names_of_other_programs(text, usual):
    assert parse_codecs(text) == parse_codecs(usual)
