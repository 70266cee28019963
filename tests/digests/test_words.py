"""Elements of values as bytes and words, as docs/reference/digest.md specifies them."""

from __future__ import annotations

import math
import struct
from hashlib import blake2b

import numpy as np
import pytest

from ncz.digests.words import (
    bytes_of_text,
    elements_of,
    encoder_of,
    hash_of,
    plain_floats,
    words_of,
)
from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, Vlen

PAIR = Compound(
    name="/p",
    fields=(Field(name="c", type=Atomic.CHAR, shape=(2,)), Field(name="n", type=Atomic.SHORT)),
)


@pytest.mark.parametrize(
    ("nc_type", "value", "data"),
    [
        (Atomic.INT, -2, b"\xfe\xff\xff\xff"),
        (Atomic.UBYTE, 255, b"\xff"),
        (Atomic.FLOAT, 1.5, struct.pack("<f", 1.5)),
        (Atomic.DOUBLE, -0.0, bytes(8)),
        (Atomic.FLOAT, math.nan, b"\0\0\xc0\x7f"),
        (Atomic.FLOAT, 1e300, struct.pack("<f", math.inf)),
        (Atomic.CHAR, "a", b"a"),
        (Atomic.CHAR, "\udcff", b"\xff"),
        (Atomic.STRING, "\u00e9", struct.pack("<q", 2) + b"\xc3\xa9"),
        (Atomic.STRING, None, bytes(8)),
        (Opaque(name="/o", size=2), b"ab", b"ab"),
        (Enumeration(name="/e", base=Atomic.SHORT, members=(("a", 1),)), 1, b"\1\0"),
        (Vlen(name="/l", base=Atomic.UBYTE), (1, 2), struct.pack("<q", 2) + b"\1\2"),
        (Vlen(name="/l", base=Atomic.UBYTE), None, bytes(8)),
        (PAIR, ("ab", 3), b"ab\3\0"),
    ],
)
def test_bytes_of_values(nc_type, value, data):
    assert encoder_of(nc_type)(value) == data


def test_text_that_is_not_valid():
    assert bytes_of_text("\udcff") == b"\xff"
    assert bytes_of_text("\ud800") == b"\xed\xa0\x80"


def test_elements_are_numbers_or_hashes():
    values = np.array(["a", None], object)
    found = elements_of(values, Atomic.STRING)
    expected = [hash_of(encoder_of(Atomic.STRING)(value)) for value in ("a", None)]
    assert found.tobytes() == b"".join(expected)
    assert hash_of(b"x") == blake2b(b"x", digest_size=8).digest()
    chars = elements_of(np.array([b"a"], "S1"), Atomic.CHAR)
    assert chars.dtype.itemsize == 1
    enum = Enumeration(name="/e", base=Atomic.SHORT, members=(("a", 1),))
    assert elements_of(np.array([1, 1], object), enum).dtype == np.dtype("i2")


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_one_pattern_of_nan_and_of_zero(dtype):
    other = np.array([0, 0], dtype)
    other.view(f"u{other.itemsize}")[:] = [2 ** (8 * other.itemsize) - 1, 0]
    numbers = np.array([1, -0.0, np.nan, np.inf, other[0]], dtype)
    buffer = np.empty_like(numbers)
    with np.errstate(all="ignore"):
        found = plain_floats(numbers, buffer)
        assert plain_floats(np.array([1, 2], dtype), buffer[:2]).tolist() == [1, 2]
        plain = np.array([np.nan, 0, -1], dtype)
        assert plain_floats(plain, buffer[:3]) is plain
    assert found is buffer
    assert found.tobytes() == np.array([1, 0, np.nan, np.inf, np.nan], dtype).tobytes()


@pytest.mark.parametrize(
    ("elements", "start", "words", "first"),
    [
        (np.array([1, 2], "<i4"), 0, [1 | 2 << 32], 0),
        (np.array([1, 2], ">i4"), 0, [1 | 2 << 32], 0),
        (np.array([1, 2], "<i4"), 1, [1 << 32, 2], 0),
        (np.array([7], "<u8"), 5, [7], 5),
        (np.array([1, 2, 3], "u1"), 15, [1 << 56, 2 | 3 << 8], 1),
        (np.array([b"a"], "S1"), 0, [ord("a")], 0),
    ],
)
def test_words_begin_at_multiples_of_eight_bytes(elements, start, words, first):
    found, at = words_of(elements, start)
    assert (found.tolist(), at) == (words, first)
