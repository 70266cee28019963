"""Names and texts in HDF5."""

from __future__ import annotations

import pytest

from ncz.formats.hdf5.text_types import encode_name, fixed_text, string_type

h5py = pytest.importorskip("h5py")


@pytest.mark.parametrize(
    ("name", "data"), [("a b", b"a b"), ("é", b"\xc3\xa9"), ("\udcff", b"\xff"), ("", b"")]
)
def test_names_are_utf_8_or_the_bytes_that_were_read(name: str, data: bytes):
    assert encode_name(name) == data


def test_a_text_of_fixed_length_ends_with_nul():
    found = fixed_text(5)
    assert (found.get_size(), found.is_variable_str()) == (5, False)
    assert found.get_strpad() == h5py.h5t.STR_NULLTERM
    assert h5py.h5t.C_S1.get_size() == 1  # the type that it was copied from


def test_a_string_has_any_length_in_utf_8():
    found = string_type()
    assert found.is_variable_str()
    assert found.get_cset() == h5py.h5t.CSET_UTF8
