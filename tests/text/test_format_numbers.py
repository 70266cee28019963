"""Many numbers at a time: the same bytes as printf's, one at a time."""

from __future__ import annotations

import itertools
import math
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.types import Atomic
from ncz.text import scaled_numbers
from ncz.text.format_numbers import (
    LARGEST,
    SMALLEST,
    decimal_digits,
    decimal_exponents,
    format_floats,
    format_integers,
)
from ncz.text.format_values import Precision, default_format, format_number
from ncz.text.lost_digits import loses_digits
from ncz.text.number_rows import fill_mask, format_by_printf, format_rows
from ncz.text.scaled_numbers import format_scaled
from tests.sampled import sampled

np = pytest.importorskip("numpy")

KINDS = [("f4", 7), ("f8", 15)]
COUNT = 20_000


@cache
def hard_numbers(code: str, seed: int):
    """Name -> array: what is hard about %g."""
    chance = np.random.default_rng(seed)
    bits = chance.integers(0, 256, (COUNT, np.dtype(code).itemsize), "u1").view(code)[:, 0]
    unsigned = f"u{code[1]}"
    with np.errstate(all="ignore"):
        tens = (10.0 ** chance.integers(-30, 30, COUNT)).astype(code)
        nines = np.array([float("9.99999" + "9" * k) for k in range(12)])
        halves = (chance.integers(0, 10**8, COUNT) + 0.5) * 10.0 ** chance.integers(-5, 9, COUNT)
        return {
            "any bits": np.where(np.isfinite(bits), bits, 0),
            "subnormal": chance.integers(1, 2**20, COUNT).astype(unsigned).view(code),
            "temperatures": chance.normal(280, 15, COUNT).astype(code),
            "floats as doubles": chance.normal(280, 15, COUNT).astype("f4").astype(code),
            "two decimals": chance.normal(0, 1000, COUNT).round(2).astype(code),
            "whole": chance.integers(-(10**9), 10**9, COUNT).astype(code),
            "every exponent": (chance.random(COUNT) * tens).astype(code),
            "powers of ten": tens,
            "near them": (tens.view(unsigned) + chance.integers(0, 9, COUNT).astype(unsigned) - 4)
            .astype(unsigned)
            .view(code),
            "powers of two": (2.0 ** chance.integers(-60, 60, COUNT)).astype(code),
            "ties": halves.astype(code),
            "nines": (chance.choice(nines, COUNT) * tens).astype(code),
            "zeros": chance.choice([0.0, -0.0, 1, 0.5, 1e15, 999999999999999, 1e7], COUNT).astype(
                code
            ),
        }


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


@pytest.mark.parametrize(("code", "digits"), KINDS)
def test_most_numbers_need_no_printf(code: str, digits: int):
    for name in ("temperatures", "ties", "zeros", "powers of ten", "every exponent"):
        values = hard_numbers(code, seed=7)[name]
        assert format_floats(values, digits, [], 1) is not None, name


@pytest.mark.parametrize(("code", "digits"), KINDS)
def test_numbers_of_every_exponent_without_e(code: str, digits: int):
    chance = np.random.default_rng(3)
    for exponent in range(-4, digits):
        for decimals in (0, 1, 3, digits):
            values = (chance.uniform(1, 10, 500).round(decimals) * 10.0**exponent).astype(code)
            values = values[(values > 1.01 * 10.0**exponent) & (values < 9.99 * 10.0**exponent)]
            values *= chance.choice([-1, 1], values.size).astype(code)
            scaled = format_scaled(values, digits, [], 1, check=True)
            assert scaled is not None, (exponent, decimals)
            assert scaled.text == "\n".join(f"{v:.{digits}g}" for v in values.tolist()).encode()
            assert scaled.loses_digits == loses_digits(values, digits)


@pytest.mark.parametrize(("code", "digits"), KINDS)
def test_numbers_with_exponents(code: str, digits: int):
    chance = np.random.default_rng(5)
    largest = 37 if code == "f4" else 99
    for exponent in (*range(-22, -4), *range(digits, 30)):
        for decimals in (0, 1, 3, digits):
            values = (chance.uniform(1, 10, 500).round(decimals) * 10.0**exponent).astype(code)
            values = values[(values > 1.01 * 10.0**exponent) & (values < 9.99 * 10.0**exponent)]
            values *= chance.choice([-1, 1], values.size).astype(code)
            values[::7] = 0.5
            scaled = format_scaled(values, digits, [], 1, check=True)
            if abs(digits - 1 - exponent) > 22:
                assert scaled is None
                continue
            if scaled is None:  # ties of quotients
                assert exponent >= digits
                assert decimals == digits == 15
                continue
            assert scaled.text == "\n".join(f"{v:.{digits}g}" for v in values.tolist()).encode()
            assert scaled.loses_digits == loses_digits(values, digits)
    beyond = np.array([1.5, 10.0**largest, 2.5], code)
    assert format_scaled(beyond, digits, [], 1, check=False) is None


def test_doubles_near_a_tie_are_rounded_as_printf_does():
    chance = np.random.default_rng(4)
    ties = (chance.integers(10**14, 10**15, COUNT) + 0.5) / 10.0 ** chance.integers(1, 14, COUNT)
    for exponent in range(1, 14):
        values = ties[(ties >= 10.0**exponent) & (ties < 10.0 ** (exponent + 1))]
        scaled = format_scaled(values, 15, [], 1, check=False)
        assert scaled is None or scaled.text == b"\n".join(b"%.15g" % v for v in values.tolist())


def test_few_doubles_are_rounded_twice(monkeypatch):
    """The product of a double and a power of ten decides, unless it is a tie itself."""
    again = []

    def counted(magnitudes, digits):
        again.append(magnitudes.size)
        return decimal_digits(magnitudes, digits)

    monkeypatch.setattr(scaled_numbers, "decimal_digits", counted)
    temperatures = np.random.default_rng(7).normal(280, 15, COUNT)
    assert format_scaled(temperatures, 15, (), 100, check=True) is not None
    assert sum(again) < 0.1 * COUNT


@pytest.mark.parametrize("digits", range(1, 21))
def test_positive_integers_of_equal_length(digits):
    chance = np.random.default_rng(digits)
    values = chance.integers(10 ** (digits - 1), min(10**digits, 2**64 - 1), 600, dtype="u8")
    wanted = b"\n".join(
        b", ".join(b"%d" % v for v in row) for row in values.reshape(200, 3).tolist()
    )
    assert format_integers(values, (), 3) == wanted
    if digits < 19:
        assert format_integers(values.astype("i8"), (), 3) == wanted


@pytest.mark.parametrize("code", ["f4", "f8", "i2", "u8"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (2, 70_000)])
def test_rows_of_nothing_but_fill(code: str, shape: tuple[int, int]):
    nc_type = {"f4": Atomic.FLOAT, "f8": Atomic.DOUBLE, "i2": Atomic.SHORT, "u8": Atomic.UINT64}
    values = np.full(shape, 7, code)
    style = default_format(nc_type[code], Precision())
    row = b", ".join([b"_"] * shape[1])
    assert format_rows(values, nc_type[code], style, 7) == b"\n".join([row] * shape[0])
    values[-1, -1] = 8
    assert format_rows(values, nc_type[code], style, 7).endswith(b"8")


def test_words_and_zeros_among_numbers_of_one_exponent():
    values = np.array([280.5, np.nan, 0.0, -0.0, 1e30, -281.25], "f4")
    words = [(np.isnan(values), b"NaNf"), (values == 1e30, b"_")]
    scaled = format_scaled(values, 7, words, 3, check=True)
    assert scaled is not None
    assert scaled.text == b"280.5, NaNf, 0\n-0, _, -281.25"
    assert not scaled.loses_digits


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
    """Numbers of so many digits, as far as the type has them."""
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


def test_very_large_and_small_doubles_are_left_to_printf():
    values = np.array([1e300, 1e-300, 5e-324, 1.7976931348623157e308])
    assert format_floats(values, 15, [], 4) is None


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


def test_the_exponent_of_a_power_of_ten_is_its_own():
    exponents = range(SMALLEST + 1, LARGEST)
    powers = np.array([float(f"1e{e}") for e in exponents])
    assert decimal_exponents(powers).tolist() == list(exponents)
    below = np.nextafter(powers, 0)
    assert decimal_exponents(below).tolist() == [e - 1 for e in exponents]
