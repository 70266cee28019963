"""Strings of a declared length: refused or truncated if they are longer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.errors import NczError
from ncz.formats.zarr.arrays.strings import truncate, truncate_source
from ncz.model.data import MemoryArray
from ncz.model.types import Atomic
from tests.conftest import Run

CDL = """netcdf s {
dimensions: x = 3 ;
variables:
  string s(x) ; s:_nczarr_maxstrlen = 6 ;
  string t ;
  string free(x) ; free:_nczarr_maxstrlen = 20 ;
  :_nczarr_default_maxstrlen = 2 ;
data:
  s = "onetwothree", "two", "12345\u00e9" ; t = "abc" ; free = "onetwothree", NIL, "x" ;
}""".encode()


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.integers(0, 40))
def test_truncate(text, length):
    cut = truncate(text, length) or ""
    assert text.startswith(cut)
    assert len(cut.encode()) <= length
    if cut != text:
        assert len(text[: len(cut) + 1].encode()) > length  # another character would not fit


def test_nil_and_bytes_that_are_not_text():
    assert truncate(None, 2) is None
    assert truncate("a\udcff\udcffb", 2) == "a\udcff"


def test_chunks_keep_their_shape():
    values = np.array([["abc", None], ["d", "efgh"]], "O")
    source = truncate_source(MemoryArray(values, Atomic.STRING), 2)
    chunk = source.chunk((0, 0))
    assert chunk is not None
    assert chunk.tolist() == [["ab", None], ["d", "ef"]]
    assert source.grid.shape == (2, 2)


def test_gen_truncates_on_request(run: Run, tmp_path):
    refused = run("gen", "-", "-o", tmp_path / "s.zarr", stdin=CDL)
    assert refused.code == 1
    assert "omit the declaration, or use --truncate-strings" in refused.stderr
    done = run("gen", "-", "-o", tmp_path / "s.zarr", "--truncate-strings", stdin=CDL)
    assert done.stderr == (
        "ncz: notice: /s: strings of up to 11 bytes are truncated to 6, as declared\n"
        "ncz: notice: /t: strings of up to 3 bytes are truncated to 2, as declared\n"
        "ncz: notice: scalars have the shape [1] in NCZarr V2, also in xarray: /t; use"
        " --mode zarr to keep the shape []\n"
        "ncz: notice: xarray reads these strings as bytes: /s, /t, /free; use --for xarray to write"
        " text\n"
    )
    text = run("dump", tmp_path / "s.zarr").text
    assert ' s = "onetwo", "two", "12345" ;' in text
    assert ' t = "ab" ;' in text
    assert ' free = "onetwothree", NIL, "x" ;' in text


@pytest.mark.parametrize("more", [[], ["-c", "x/2"], ["-u", "-d", "1"]])
def test_copy_truncates_on_request(more, run: Run, tmp_path):
    long, short = tmp_path / "long.zarr", tmp_path / "short.zarr"
    # Zarr V3 stores strings of any length, so that nothing is truncated there.
    assert run("gen", "-", "-o", long, "--zarr-format=3", "--truncate-strings", stdin=CDL).code == 0
    assert '"onetwothree", "two"' in run("dump", long).text
    arguments = ["copy", long, short, "--mode=nczarr", "--zarr-format=2", *more]
    assert run(*arguments).code == 1
    done = run(*arguments, "--truncate-strings")
    assert done.code == 0
    assert "/s: strings of up to 11 bytes are truncated to 6, as declared" in done.stderr
    assert ' s = "onetwo", "two", "12345" ;' in run("dump", short).text


def test_truncated_strings_cannot_be_verified(run: Run):
    done = run("copy", "a.zarr", "b.zarr", "--truncate-strings", "--verify")
    assert done.code == 2
    assert "--truncate-strings changes values, which --verify would report" in done.stderr
    with pytest.raises(NczError, match="truncate_strings=True changes values, which verify=True"):
        ncz.copy("a.zarr", "b.zarr", truncate_strings=True, verify=True)
