"""Facts about the twelve atomic types."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from ncz.model.types import Atomic


@pytest.mark.parametrize("atomic", [t for t in Atomic if t is not Atomic.STRING])
def test_the_dtype_has_the_size_and_kind_of_the_type(atomic):
    dtype = np.dtype(atomic.dtype)
    assert dtype.itemsize == atomic.size
    assert dtype.kind == atomic.kind
    assert dtype.isnative


@pytest.mark.parametrize("atomic", [t for t in Atomic if t.is_integer])
def test_the_limits_match_numpy_and_contain_the_fill_value(atomic):
    limits = np.iinfo(atomic.dtype)
    assert atomic.limits == (limits.min, limits.max)
    assert limits.min <= atomic.default_fill <= limits.max


def test_the_floating_fill_value_has_netcdfs_bits():
    assert struct.pack(">d", Atomic.DOUBLE.default_fill).hex() == "479e000000000000"
    assert struct.pack(">f", Atomic.FLOAT.default_fill).hex() == "7cf00000"


def test_the_fill_values_against_netcdf_c():
    netcdf4 = pytest.importorskip("netCDF4", reason="the peer netCDF4 is not installed")
    for atomic in Atomic:
        if atomic.kind in "iuf":
            assert netcdf4.default_fillvals[atomic.dtype] == atomic.default_fill, atomic
