"""Lengths of chunks as text: what is printed is parsed as the same lengths."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.commands.chunkspec import WHOLE, ChunkSpec, chunkspec_of, parse_chunkspec
from ncz.commands.option_error import OptionError
from tests.sampled import share_of

NAMES = st.text(string.ascii_lowercase + "_", min_size=1, max_size=5)
LENGTHS = st.integers(1, 2**31 - 1)
SPECS = st.one_of(
    st.builds(
        ChunkSpec,
        st.dictionaries(NAMES, st.one_of(st.just(WHOLE), LENGTHS), min_size=1, max_size=3),
    ),
    st.builds(ChunkSpec, variable=NAMES, lengths=st.lists(LENGTHS, min_size=1).map(tuple)),
    st.builds(ChunkSpec, variable=NAMES, storage_class=st.sampled_from(["contiguous", "compact"])),
    st.just(ChunkSpec(storage_class="contiguous")),
)


@given(SPECS)
@settings(max_examples=share_of(200))
def test_what_is_printed_is_parsed_as_the_same_lengths(spec):
    assert parse_chunkspec(str(spec)) == spec


def test_whole_dimensions_in_the_words_of_others():
    assert parse_chunkspec("time/-1,lat=all") == parse_chunkspec("time/,lat/")
    assert parse_chunkspec("all") == parse_chunkspec("/")


def test_a_mapping_has_the_lengths_of_a_text():
    lengths: dict[str, Any] = {"time": 100, "lat": -1, "lon": None, "x": np.int32(4)}
    assert chunkspec_of(lengths) == parse_chunkspec("time/100,lat/,lon/,x/4")


@pytest.mark.parametrize("length", [0, -2, 2**31, 2.5, "10"])
def test_a_length_that_is_not_valid(length):
    lengths: dict[str, Any] = {"time": length}
    with pytest.raises(OptionError, match="is not a valid chunk length"):
        chunkspec_of(lengths)
