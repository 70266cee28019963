"""Rounding before compression, as netCDF-C defines it."""

from __future__ import annotations

from typing import get_args

import pytest

from ncz.model.quantization import ATTRIBUTES, MAX_DIGITS, Quantization, QuantizeAlgorithm
from ncz.model.types import Atomic


def test_each_algorithm_has_its_attribute_and_its_limits():
    algorithms = {*get_args(QuantizeAlgorithm)}
    assert {*ATTRIBUTES} == algorithms
    assert {*MAX_DIGITS} == {(a, t) for a in algorithms for t in (Atomic.FLOAT, Atomic.DOUBLE)}
    assert len({*ATTRIBUTES.values()}) == 3


def test_limits_are_the_digits_or_bits_of_the_type():
    assert MAX_DIGITS["BitRound", Atomic.FLOAT] == 23
    assert MAX_DIGITS["BitRound", Atomic.DOUBLE] == 52
    assert MAX_DIGITS["BitGroom", Atomic.FLOAT] == 7


def test_a_number_of_digits_is_needed():
    with pytest.raises(TypeError, match="digits"):
        Quantization(algorithm="BitGroom")  # type: ignore[call-arg]
