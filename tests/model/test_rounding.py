"""Rounding, bit for bit against netcdf-c, and its promises without it."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.model.rounding import round_floats

FILL = float.fromhex("0x1.ep+122")
CASES = [
    *(("BitGroom", n) for n in (1, 3, 5, 6)),
    *(("GranularBitRound", n) for n in (1, 2, 3, 5, 6)),
    *(("BitRound", n) for n in (1, 5, 12, 23)),
]


def samples(dtype: str) -> np.ndarray:
    generator = np.random.default_rng(7)
    wide = generator.standard_normal(2000) * 10.0 ** generator.integers(-30, 30, 2000)
    hard = [0.0, -0.0, 1.0, -1.0, 9.9999999, 0.1, 123456.789, 1e-38, FILL, 3.0, 1e30, 9.5, 99.5]
    return np.asarray([*hard, *wide], dtype)


def odd_places(values: np.ndarray) -> np.ndarray:
    odd: np.ndarray = np.arange(values.size) % 2 == 1
    return odd


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(("algorithm", "digits"), CASES)
def test_the_same_bits_as_netcdf_c(tmp_path, algorithm, digits, dtype):
    netcdf4 = pytest.importorskip("netCDF4", reason="the peer netCDF4 is not installed")
    values = samples(dtype)
    with netcdf4.Dataset(tmp_path / "q.nc", "w") as dataset:
        dataset.createDimension("x", values.size)
        variable = dataset.createVariable(
            "v", dtype, ("x",), zlib=True, significant_digits=digits, quantize_mode=algorithm
        )
        variable.set_auto_mask(False)
        variable[:] = values
    with netcdf4.Dataset(tmp_path / "q.nc") as dataset:
        dataset.set_auto_mask(False)
        expected = dataset["v"][:]
    ours = round_floats(values, algorithm, digits, FILL, odd_places(values))
    differing = np.flatnonzero(ours.view(f"u{ours.itemsize}") != expected.view(f"u{ours.itemsize}"))
    assert differing.size == 0, (
        values[differing[:5]],
        ours[differing[:5]],
        expected[differing[:5]],
    )


@pytest.mark.parametrize(("algorithm", "digits"), [(a, n) for a, n in CASES if a != "BitRound"])
def test_the_requested_digits_survive(algorithm, digits):
    values = samples("f8")[20:]
    result = round_floats(values, algorithm, digits, FILL, odd_places(values))
    assert (np.abs(result - values) <= 0.5 * 10.0 ** (1 - digits) * np.abs(values)).all()


@pytest.mark.parametrize("algorithm", ["BitGroom", "GranularBitRound", "BitRound"])
def test_infinities_and_nan_stay(algorithm):
    """netcdf-c makes infinities 0 or NaN."""
    payload = np.array([0x7F800001], "u4").view("f4")[0]
    values = np.array([np.inf, np.inf, -np.inf, -np.inf, np.nan, np.nan, payload], "f4")
    result = round_floats(values, algorithm, 1, None, odd_places(values))
    np.testing.assert_array_equal(result.view("u4"), values.view("u4"))


def test_fill_values_stay_and_the_input_is_left_alone():
    values = np.array([FILL, 1.23456789, FILL], "f4")
    before = values.copy()
    result = round_floats(values, "BitGroom", 2, FILL, odd_places(values))
    assert result[0] == result[2] == np.float32(FILL)
    np.testing.assert_array_equal(values, before)
    assert result[1] != values[1]
