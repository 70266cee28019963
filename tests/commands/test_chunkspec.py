"""Lengths of chunks as text: printed ones are parsed as the same lengths."""

from __future__ import annotations

import io
import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.commands.chunkspec import WHOLE, ChunkSpec, chunkspec_of, parse_chunkspec
from ncz.commands.option_error import OptionError
from ncz.errors import ignore_notice
from tests.sampled import share_of

CDL = b"netcdf a { dimensions: x = 4 ; y = 2 ; variables: int x(x) ; int v(x, y) ; int w(x, y) ; }"
NAMES = st.text(string.ascii_lowercase + "_", min_size=1, max_size=5)
LENGTHS = st.integers(1, 2**31 - 1)
SPECS = st.one_of(
    st.builds(
        ChunkSpec,
        st.dictionaries(NAMES, st.one_of(st.just(WHOLE), LENGTHS), min_size=1, max_size=3),
    ),
    st.builds(ChunkSpec, variable=NAMES, lengths=st.lists(LENGTHS, min_size=1).map(tuple)),
    st.builds(ChunkSpec, variable=NAMES, storage_class=st.sampled_from(["contiguous", "compact"])),
    st.builds(ChunkSpec, lengths=st.lists(LENGTHS, min_size=2).map(tuple)),
    st.just(ChunkSpec(storage_class="contiguous")),
)


@given(SPECS)
@settings(max_examples=share_of(200))
def test_printed_lengths_are_parsed_as_the_same_lengths(spec):
    assert parse_chunkspec(str(spec)) == spec


def test_whole_dimensions_in_the_words_of_others():
    assert parse_chunkspec("time/-1,lat=all") == parse_chunkspec("time/,lat/")
    assert parse_chunkspec("all") == parse_chunkspec("/")
    assert parse_chunkspec("contiguous") == parse_chunkspec("/")


@pytest.mark.parametrize("length", ["9" * 5000, "²", "٣", "1.5", "-2"])
@pytest.mark.parametrize("form", ["x/{}", "v:{}", "x={}", "1,{}", "v:1,{}"])
def test_a_length_that_is_no_number_is_an_error(form, length):
    with pytest.raises(OptionError, match=r"is not (a )?valid"):
        parse_chunkspec(form.format(length))


@pytest.mark.parametrize("text", ["1,5,6", "(1, 5, 6)", "[1,5,6]", "1x5x6"])
def test_a_shape_matches_variables_with_as_many_dimensions(text):
    assert parse_chunkspec(text) == ChunkSpec(lengths=(1, 5, 6))


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ('{"x": 6, "y": null}', "x/6,y/"),
        ("{'x': 6}", "x/6"),
        ("x:6,y:-1", "x/6,y/"),
        ("x=6, y=5", "x/6,y/5"),
        ("v=1,5,6", "v:1,5,6"),
        ("none", "/"),
    ],
)
def test_the_forms_of_python_are_chunkspecs(text, usual):
    assert parse_chunkspec(text) == parse_chunkspec(usual)


def test_a_shape_that_no_variable_has(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "a.zarr", notify=ignore_notice)
    ncz.copy(tmp_path / "a.zarr", tmp_path / "b.zarr", chunks="2,1", notify=ignore_notice)
    chunks = {name: v.chunks for name, v in ncz.open(tmp_path / "b.zarr").variables.items()}
    assert chunks == {"x": (4,), "v": (2, 1), "w": (2, 1)}
    with pytest.raises(OptionError, match="no variable has 3 dimensions"):
        ncz.copy(tmp_path / "a.zarr", tmp_path / "c.zarr", chunks="1,2,3")


def test_a_mapping_has_the_lengths_of_a_text():
    lengths: dict[str, Any] = {"time": 100, "lat": -1, "lon": None, "x": np.int32(4)}
    assert chunkspec_of(lengths) == parse_chunkspec("time/100,lat/,lon/,x/4")


@pytest.mark.parametrize("length", [0, -2, 2**31, 2.5, "10"])
def test_a_length_that_is_not_valid(length):
    lengths: dict[str, Any] = {"time": length}
    with pytest.raises(OptionError, match="is not a valid chunk length"):
        chunkspec_of(lengths)
