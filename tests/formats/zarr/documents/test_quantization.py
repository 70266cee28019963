"""Rounding that attributes record."""

from __future__ import annotations

import pytest

from ncz.formats.zarr.documents.quantization import read_quantize, write_quantize
from ncz.model.quantization import ATTRIBUTES, Quantization
from ncz.model.tree import Attribute
from ncz.model.types import Atomic


@pytest.mark.parametrize("algorithm", ATTRIBUTES)
def test_a_rounding_comes_back(algorithm):
    rounding = Quantization(algorithm=algorithm, digits=3)
    assert read_quantize([write_quantize(rounding)]) == rounding


@pytest.mark.parametrize("values", [(0,), (53,), (1, 2), ("3",), ()])
def test_other_values_record_nothing(values):
    name = ATTRIBUTES["BitGroom"]
    assert read_quantize([Attribute(name=name, type=Atomic.INT, values=values)]) is None
