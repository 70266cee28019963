"""Arrays of numbers as rows of text."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.types import Atomic
from ncz.text.format_values import Precision, default_format, format_number
from ncz.text.number_rows import fill_mask, format_by_printf, format_rows
from tests.sampled import sampled
from tests.text.test_format_numbers import COUNT, KINDS, hard_numbers


def check_items(printed: bytes, expected: bytes) -> None:
    """Compare long texts. An assertion about them as a whole takes minutes to fail."""
    if printed != expected:
        for found, wanted in zip(printed.split(b","), expected.split(b","), strict=True):
            assert found == wanted


@pytest.mark.parametrize(("code", "digits"), KINDS)
@pytest.mark.parametrize("name", hard_numbers("f4", 0))
def test_hard_numbers(name: str, code: str, digits: int):
    values = hard_numbers(code, seed=7)[name]
    nc_type = Atomic.FLOAT if code == "f4" else Atomic.DOUBLE
    style = default_format(nc_type, Precision())
    printed = format_rows(values.reshape(-1, 100), nc_type, style)
    check_items(printed, format_by_printf(values.reshape(-1, 100), style, []))


@pytest.mark.parametrize("code", ["f4", "f8", "i2", "u8"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (2, 70_000)])
def test_rows_with_only_fill(code: str, shape: tuple[int, int]):
    nc_type = {"f4": Atomic.FLOAT, "f8": Atomic.DOUBLE, "i2": Atomic.SHORT, "u8": Atomic.UINT64}
    values = np.full(shape, 7, code)
    style = default_format(nc_type[code], Precision())
    row = b", ".join([b"_"] * shape[1])
    assert format_rows(values, nc_type[code], style, 7) == b"\n".join([row] * shape[0])
    values[-1, -1] = 8
    assert format_rows(values, nc_type[code], style, 7).endswith(b"8")


INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


@cache
def hard_integers(code: str):
    """Name -> array: every width, both signs, and the ends of the type."""
    chance = np.random.default_rng(11)
    limits = np.iinfo(code)
    ends = [limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1]
    tens = [n for k in range(20) for n in (10**k, 10**k - 1, -(10**k))]
    bits = chance.integers(0, 256, (COUNT, np.dtype(code).itemsize), "u1").view(code)[:, 0]
    return {
        "any bits": bits,
        "ends": chance.choice(np.array(ends, code), COUNT),
        "powers of ten": chance.choice(
            np.array([n for n in tens if limits.min <= n <= limits.max], code), COUNT
        ),
        "small": chance.integers(0, 12, COUNT).astype(code),
        "zeros": np.zeros(COUNT, code),
        **{f"{n} digits": numbers_of_length(n, code) for n in range(1, 10)},
    }


def numbers_of_length(digits: int, code: str):
    """Numbers with this number of digits, or as many as the type has."""
    limits = np.iinfo(code)
    low, high = 10 ** (digits - 1), min(10**digits - 1, limits.max)
    few = np.array([low, high, (low + high) // 2, low + 1, high - 1] if low < high else [1])
    return np.resize(few.astype(code), COUNT)


@pytest.mark.parametrize(
    ("name", "code"), sampled(itertools.product(hard_integers("i1"), INTEGERS), 3)
)
def test_hard_integers(name: str, code: str):
    values = hard_integers(code)[name]
    nc_type = next(t for t in Atomic if t.dtype == code)
    style = default_format(nc_type, Precision())
    for columns in (1, 8, 1000):
        rows = values.reshape(-1, columns)
        printed = format_rows(rows, nc_type, style)
        check_items(printed, format_by_printf(rows, style, []))
        fill = values[0].item()
        mask = fill_mask(values, fill)
        assert mask is not None
        printed = format_rows(rows, nc_type, style, fill)
        check_items(printed, format_by_printf(rows, style, [(mask, b"_")]))


@pytest.mark.parametrize("code", INTEGERS)
def test_no_integers(code: str):
    nc_type = next(t for t in Atomic if t.dtype == code)
    style = default_format(nc_type, Precision())
    assert format_rows(np.zeros((0, 3), code), nc_type, style) == b""


@given(
    st.sampled_from(KINDS),
    st.integers(1, 5),
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=40),
)
def test_any_floats(kind, columns, numbers):
    code, _ = kind
    nc_type = Atomic.FLOAT if code == "f4" else Atomic.DOUBLE
    with np.errstate(all="ignore"):
        values = np.resize(np.array(numbers).astype(code), (len(numbers), columns))
    style = default_format(nc_type, Precision())
    wanted = [[format_number(v, nc_type, style) for v in row] for row in values.tolist()]
    printed = format_rows(values, nc_type, style).decode()
    assert printed == "\n".join(", ".join(row) for row in wanted)


def test_signalling_nans_are_nans():
    values = np.array([[0x7F800001, 0xFF800001, 0]], "u4").view("f4")
    printed = format_rows(values, Atomic.FLOAT, default_format(Atomic.FLOAT, Precision()), 1.5)
    assert printed == b"NaNf, NaNf, 0"


def test_rows_longer_than_a_block_are_one_row():
    values = np.arange(100_000, dtype="i4").reshape(1, -1)
    printed = format_rows(values, Atomic.INT, default_format(Atomic.INT, Precision()))
    check_items(printed, ", ".join(map(str, range(100_000))).encode())


@pytest.mark.parametrize("code", ["f4", "f8"])
def test_fill_is_equal_within_an_epsilon_of_the_value(code: str):
    one = np.dtype(code).type
    epsilon = np.finfo(code).eps
    values = np.array([1, 1 + epsilon, 1 - epsilon / 2, 1 - epsilon, 1 + 2 * epsilon, -1], code)
    mask = fill_mask(values, one(1))
    assert mask is not None
    assert mask.tolist() == [True, True, True, False, False, False]


@pytest.mark.parametrize(
    ("fill", "found"),
    [
        (math.nan, [True, False, False, False]),
        (math.inf, [False, True, False, False]),
        (-math.inf, [False, False, True, False]),
        (0.0, [False, False, False, True]),
        (5.0, None),
        (None, None),
    ],
)
def test_fill_that_is_not_finite(fill, found):
    mask = fill_mask(np.array([math.nan, math.inf, -math.inf, -0.0]), fill)
    assert (None if mask is None else mask.tolist()) == found


def test_fill_among_whole_numbers():
    printed = format_rows(
        np.array([[1, 2], [3, 1]]), Atomic.INT64, default_format(Atomic.INT64, Precision()), 1
    )
    assert printed == b"_, 2\n3, _"
