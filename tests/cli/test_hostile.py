"""Short texts and documents that require endless work: each is an error of one line."""

from __future__ import annotations

import json

import pytest

from tests.bombs import MIB, run

DIMENSIONS = " ".join(f"d{n} = 1;" for n in range(65))
NAMES = ", ".join(f"d{n}" for n in range(65))

CDL = {
    "cells": ("dimensions: a = 2147483648; b = 2147483648; variables: byte v(a, b); data: v = 1;",
              "/v has data and 4611686018427387904 elements"),
    "strings": ("dimensions: a = 2147483648; b = 2147483648;"
                ' variables: string v(a, b); data: v = "a";', "4611686018427387904 elements"),
    "chunk": ("dimensions: a = 2; variables: int v(a); v:_ChunkSizes = 2147483648; data: v = 1;",
              "a chunk has 2147483648 elements, but only 2 are within the array"),
    "exponent": ("variables: int v; data: v = 1e99999999999999999999;", "1e99999999999999999999"),
    "attribute": ("variables: int v; v:a = 1e99999999999999999999;", "1e99999999999999999999"),
    "axes": (f"dimensions: {DIMENSIONS} variables: int v({NAMES}); data: v = 1;",
             "65 dimensions, and at most 64"),
    "string": ('variables: int v; v:a = "' + '\\"' * 20_000, "not terminated"),
}  # fmt: skip


@pytest.mark.parametrize("name", CDL)
def test_cdl(name, tmp_path):
    text, reason = CDL[name]
    source = tmp_path / "x.cdl"
    source.write_text(f"netcdf x {{ {text} }}" if name != "string" else f"netcdf x {{ {text}")
    done = run("gen", "-o", tmp_path / "x.zarr", source, seconds=20)
    assert done.code == 1
    assert reason in done.error
    assert done.error.count("\n") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.cdl"]


def test_65_dimensions_without_data(tmp_path):
    source = tmp_path / "x.cdl"
    source.write_text(f"netcdf x {{ dimensions: {DIMENSIONS} variables: int v({NAMES}); }}")
    assert run("gen", "-o", tmp_path / "x.zarr", source).code == 0
    assert run("dump", "-h", tmp_path / "x.zarr").code == 0


def test_many_codecs_are_read_back(tmp_path):
    filters = "|".join(["307,9"] * 50)
    source = tmp_path / "x.cdl"
    source.write_text(
        f'netcdf x {{ dimensions: x = 2; variables: int v(x); v:_Filter = "{filters}";'
        " data: v = 1, 2; }"
    )
    assert run("gen", "-o", tmp_path / "x.zarr", source).code == 0
    done = run("dump", tmp_path / "x.zarr")
    assert done.code == 0, done.error
    assert b"v = 1, 2 ;" in done.out


@pytest.fixture
def store(tmp_path):
    (tmp_path / "s" / "v").mkdir(parents=True)
    (tmp_path / "s" / ".zgroup").write_text('{"zarr_format": 2}')
    document = {
        "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "order": "C",
        "fill_value": 0, "filters": None, "compressor": None,
    }  # fmt: skip

    def filled(attributes='{"_ARRAY_DIMENSIONS": ["x"]}', **members):
        (tmp_path / "s" / "v" / ".zattrs").write_text(attributes)
        text = json.dumps(document | members).replace('"HUGE"', "1e999")
        (tmp_path / "s" / "v" / ".zarray").write_text(text)
        return tmp_path / "s"

    return filled


@pytest.mark.parametrize("quote", ['\\"', '"'])
def test_a_string_without_an_end(store, quote):
    done = run("dump", "-h", store('{"a": "' + quote * 60_000), seconds=15)
    assert done.code == 1
    assert "invalid JSON" in done.error
    assert done.error.endswith("left out")


def test_a_long_list_of_numbers(store):
    text = '{"a": [' + ",".join(["1.5"] * 5_000_000) + "]}"
    done = run("dump", "-h", store(text))
    assert done.code == 1
    assert done.error.endswith("more than 4000000 values; left out")
    assert done.grown < len(text) * 3 + 64 * MIB


def test_many_names(store):
    text = json.dumps({f"k{n}": n for n in range(600_000)})
    done = run("dump", "-h", store(text))
    assert done.code == 1
    assert done.error.endswith("more than 500000 different names; left out")
    assert done.grown < 256 * MIB


def test_many_names_are_checked_for_repetitions_in_linear_time(store):
    names = [f'"k{n}": 1' for n in range(40_000)]
    done = run("check", store("{" + ", ".join([*names, '"k7": 2']) + "}"), seconds=10)
    assert "the member 'k7' is given more than once" in done.out.decode()


def test_commas_in_a_text_are_no_values(store):
    done = run("dump", "-h", store(json.dumps({"a": "," * 5_000_000})))
    assert done.code == 0
    assert done.out.count(b",") >= 5_000_000


@pytest.mark.parametrize("value", ["HUGE", {"0": "x"}, [["HUGE"]]])
def test_a_parameter_of_a_codec_that_no_codec_has(store, value):
    target = store(compressor={"id": "blosc", "shuffle": value})
    done = run("dump", "--json", target)
    assert done.code == 0, done.error
    assert json.loads(done.out)["variables"]["v"]["storage"]["codecs"][0]["id"] == "blosc"
    assert run("dump", "-s", target).code == 0


def test_the_header_of_a_huge_array(store):
    done = run("dump", "-h", store(shape=[2**40], chunks=[2]), seconds=20)
    assert done.code == 0
    assert b"x = 1099511627776 ;" in done.out
