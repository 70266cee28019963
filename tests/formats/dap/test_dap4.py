"""Datasets that a server sends by DAP4."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ncz
from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location
from tests.sampled import share_of
from tests.servers.dap import DapDataset, Served

HEADER = (Path(__file__).parent / "four.cdl").read_text()


@pytest.mark.parametrize(
    "url", ["dap4://{}/four", "http://{}/four#mode=dap4", "http://{}/four#dap4"]
)
def test_the_header(run, dap, url):
    ran = run("dump", "-h", url.format(dap.address))
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.text == HEADER


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("checksums", [False, True])
def test_the_values(run, dap, tmp_path, big_endian, checksums):
    dataset = dap.datasets["four"]
    dataset.big_endian, dataset.checksums = big_endian, checksums
    url = dap.url("four", "dap4")
    ran = run("copy", "--verify", url, tmp_path / "four.nc")
    assert ran.code == 0, ran.stderr
    assert run("diff", url, tmp_path / "four.nc").code == 0
    text = run("dump", tmp_path / "four.nc").text
    assert " pair = {1.5, {0, 1, 2}}, {2.5, {3, 4, 5}} ;" in text
    assert " e = red, blue ;" in text
    assert ' c = "ab" ;' in text
    assert " i = -1, 2 ;" in text
    assert " big = 1, 1152921504606846976 ;" in text
    assert ' names = "abc", _, "Ørland" ;' in text


@st.composite
def _arrays(draw):
    dtypes = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "O"]
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=3, max_side=4))
    if dtype == "O":
        texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9)
        return draw(arrays.arrays(object, shape, elements=texts))
    return draw(arrays.arrays(dtype, shape))


@given(_arrays(), st.integers(1, 40), st.booleans(), st.booleans())
@settings(max_examples=share_of(150), deadline=None)
def test_any_array_is_read_unchanged(dap, values, most, big_endian, checksums):
    dims = [(f"d{axis}", size) for axis, size in enumerate(values.shape)]
    served = DapDataset([Served("g/v", values, dims)], big_endian=big_endian, checksums=checksums)
    dap.datasets["any"] = served
    with open_dataset(parse_location(dap.url("any", "dap4"))) as opened:
        (group,) = opened.dataset.root.groups
        data = group.variables[0].data
        assert data is not None
        source = data.split(most)
        for index in source.grid.indices():
            expected = values[source.grid.box(index).slices] if dims else values
            np.testing.assert_array_equal(source.chunk(index), expected)


def test_an_index_requests_only_its_values(dap):
    large = np.arange(4_000_000, dtype="f8").reshape(400, 100, 100)
    dims = [("t", 400), ("y", 100), ("x", 100)]
    dap.datasets["large"] = DapDataset([Served("v", large, dims)])
    with ncz.open(dap.url("large", "dap4")) as ds:
        dap.requests.clear()
        np.testing.assert_array_equal(ds["v"][7:9, 3, 2], large[7:9, 3, 2])
    (request,) = dap.requests
    assert unquote(request) == "/large.dap?dap4.ce=/v[7:1:8][3:1:3][2:1:2]&dap4.checksum=true"


def test_damaged_values_are_an_error(run, dap):
    def damage(data):
        return bytes([data[0] ^ 1]) + data[1:]

    v = Served("v", np.arange(4.0), [("n", 4)])
    dap.datasets["damaged"] = DapDataset([v], damage=damage)
    url = dap.url("damaged", "dap4")
    ran = run("dump", url)
    assert ran.code == 1
    assert (
        "/v: data of /v: the values do not match the checksum that the server states" in ran.stderr
    )
    assert run("dump", f"{url}&checksums=off").code == 0
