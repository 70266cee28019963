"""Floating-point numbers of few decimal exponents as text."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.text import scaled_numbers
from ncz.text.format_numbers import decimal_digits
from ncz.text.lost_digits import loses_digits
from ncz.text.scaled_numbers import format_scaled_numbers
from tests.text.test_format_numbers import COUNT, KINDS


@pytest.mark.parametrize(("code", "digits"), KINDS)
def test_numbers_of_every_exponent_without_e(code: str, digits: int):
    chance = np.random.default_rng(3)
    for exponent in range(-4, digits):
        for decimals in (0, 1, 3, digits):
            values = (chance.uniform(1, 10, 500).round(decimals) * 10.0**exponent).astype(code)
            values = values[(values > 1.01 * 10.0**exponent) & (values < 9.99 * 10.0**exponent)]
            values *= chance.choice([-1, 1], values.size).astype(code)
            scaled = format_scaled_numbers(values, digits, [], 1, check=True)
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
            scaled = format_scaled_numbers(values, digits, [], 1, check=True)
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
    assert format_scaled_numbers(beyond, digits, [], 1, check=False) is None


def test_doubles_near_a_tie_are_rounded_as_printf_does():
    chance = np.random.default_rng(4)
    ties = (chance.integers(10**14, 10**15, COUNT) + 0.5) / 10.0 ** chance.integers(1, 14, COUNT)
    for exponent in range(1, 14):
        values = ties[(ties >= 10.0**exponent) & (ties < 10.0 ** (exponent + 1))]
        scaled = format_scaled_numbers(values, 15, [], 1, check=False)
        assert scaled is None or scaled.text == b"\n".join(b"%.15g" % v for v in values.tolist())


def test_few_doubles_are_rounded_twice(monkeypatch):
    """The product of a double and a power of ten decides, unless it is a tie itself."""
    again = []

    def counted(magnitudes, digits):
        again.append(magnitudes.size)
        return decimal_digits(magnitudes, digits)

    monkeypatch.setattr(scaled_numbers, "decimal_digits", counted)
    temperatures = np.random.default_rng(7).normal(280, 15, COUNT)
    assert format_scaled_numbers(temperatures, 15, (), 100, check=True) is not None
    assert sum(again) < 0.1 * COUNT


def test_words_and_zeros_among_numbers_of_one_exponent():
    values = np.array([280.5, np.nan, 0.0, -0.0, 1e30, -281.25], "f4")
    words = [(np.isnan(values), b"NaNf"), (values == 1e30, b"_")]
    scaled = format_scaled_numbers(values, 7, words, 3, check=True)
    assert scaled is not None
    assert scaled.text == b"280.5, NaNf, 0\n-0, _, -281.25"
    assert not scaled.loses_digits
