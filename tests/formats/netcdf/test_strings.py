"""Strings as char in files whose kind lacks strings."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.formats.netcdf.strings import (
    BytesAsChars,
    StringsAsChars,
    bytes_as_chars,
    longest_text,
    strings_as_chars,
)
from ncz.model.data import MemoryArray, read_all
from ncz.model.tree import Dataset
from ncz.model.types import Atomic
from tests.test_round_trip import parsed

CDL = b"""netcdf s { dimensions: x = 2 ; %s variables: string v(x) ; int n ; string none ;
data: v = "a", "h\xc3\xa9llo" ; n = 1 ; }"""


def texts(*values: str) -> MemoryArray:
    array = np.array(values, object)
    return MemoryArray(values=array, type=Atomic.STRING)


def chars(dimensions: bytes = b"") -> Dataset:
    found, notices = strings_as_chars(parsed(CDL % dimensions), "classic")
    (notice,) = notices
    assert notice.code == "string-as-char"
    return found


def test_each_variable_is_as_long_as_its_longest_text():
    root = chars().root
    v, n, none = root.variables
    assert [(each.type, each.dimensions) for each in (v, n, none)] == [
        (Atomic.CHAR, ("/x", "/string6")), (Atomic.INT, ()), (Atomic.CHAR, ("/string1",))
    ]  # fmt: skip
    assert v.data is not None
    assert read_all(v.data).tolist() == [
        [b"a", b"", b"", b"", b"", b""], [b"h", b"\xc3", b"\xa9", b"l", b"l", b"o"]
    ]  # fmt: skip
    assert [a.values for a in v.attributes if a.name == "_Encoding"] == [("utf-8",)]


@pytest.mark.parametrize(
    ("dimension", "name"),
    [(b"string6 = 6 ;", "/string6"), (b"string6 = 5 ;", "/string6_")],
)
def test_a_dimension_of_that_name_is_used_if_it_has_the_length(dimension: bytes, name: str):
    root = chars(dimension).root
    assert root.variables[0].dimensions[-1] == name
    assert len([each for each in root.dimensions if each.size == 6]) == 1


def test_a_dataset_without_strings_is_unchanged():
    numbers = parsed(b"netcdf n { variables: int v ; data: v = 1 ; }")
    assert strings_as_chars(numbers, "classic") == (numbers, ())
    assert bytes_as_chars(numbers) is numbers


@pytest.mark.parametrize(("values", "longest"), [((), 1), (("",), 1), (("a", "\xe9\xe9"), 4)])
def test_lengths_are_bytes(values: tuple[str, ...], longest: int):
    assert longest_text(texts(*values)) == longest


def test_texts_are_padded_and_an_empty_byte_is_nul():
    source = StringsAsChars(texts("ab", ""), 3)
    assert (source.grid.shape, source.grid.chunks) == ((2, 3), (2, 3))
    assert read_all(source).tobytes() == b"ab\0\0\0\0"
    assert read_all(BytesAsChars(texts("a", "", "b"))).tobytes() == b"a\0b"
