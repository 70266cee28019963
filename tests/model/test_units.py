"""Units that are equal, and units that cannot be converted."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ncz.model.units import Units, UnitsError, converter


def test_equal_units_need_no_conversion(monkeypatch):
    monkeypatch.setitem(sys.modules, "cf_units", None)
    assert converter(Units("K"), Units(" K ")) is None
    with pytest.raises(UnitsError, match="'K' to 'degC' needs the package cf-units"):
        converter(Units("K"), Units("degC"))


def test_values_are_converted():
    pytest.importorskip("cf_units")
    convert = converter(Units("K"), Units("degC"))
    assert convert is not None
    assert np.allclose(convert(np.array([273.15, 300])), [0, 26.85])
    for theirs, message in (("m", "cannot be converted"), ("no unit!", "not a valid unit")):
        with pytest.raises(UnitsError, match=message):
            converter(Units("K"), Units(theirs))
