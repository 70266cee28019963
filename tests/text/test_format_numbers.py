"""Many numbers at a time: the same bytes as printf's, one at a time."""

from __future__ import annotations

from functools import cache

import pytest

from ncz.text.format_numbers import (
    LARGEST,
    SMALLEST,
    decimal_exponents,
    format_floats,
    format_integers,
)

np = pytest.importorskip("numpy")

KINDS = [("f4", 7), ("f8", 15)]
COUNT = 20_000


@cache
def hard_numbers(code: str, seed: int):
    """Name -> array: hard cases of %g."""
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


@pytest.mark.parametrize(("code", "digits"), KINDS)
def test_most_numbers_need_no_printf(code: str, digits: int):
    for name in ("temperatures", "ties", "zeros", "powers of ten", "every exponent"):
        values = hard_numbers(code, seed=7)[name]
        assert format_floats(values, digits, [], 1) is not None, name


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


def test_very_large_and_small_doubles_are_left_to_printf():
    values = np.array([1e300, 1e-300, 5e-324, 1.7976931348623157e308])
    assert format_floats(values, 15, [], 4) is None


def test_the_exponent_of_a_power_of_ten_is_its_own():
    exponents = range(SMALLEST + 1, LARGEST)
    powers = np.array([float(f"1e{e}") for e in exponents])
    assert decimal_exponents(powers).tolist() == list(exponents)
    below = np.nextafter(powers, 0)
    assert decimal_exponents(below).tolist() == [e - 1 for e in exponents]
