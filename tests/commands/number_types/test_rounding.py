"""Copies with --quantize, compared with values of netCDF-C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ncz
from ncz.commands.number_types.options import quantizations_of
from ncz.commands.option_error import OptionError
from ncz.errors import ignore_notice
from tests.conftest import Run

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")

NAMES = {"BitGroom": 3, "GranularBitRound": 3, "BitRound": 9}
KINDS = [(name, dtype) for name in NAMES for dtype in ("f4", "f8")]
FILL = -999.0


def _written(path, *, rounds: bool) -> None:
    """Write a file whose variables netCDF-C rounds, or not."""
    values = np.random.default_rng(5).normal(280, 10, (7, 9))
    values[::3, ::2] = FILL
    with netCDF4.Dataset(path, "w") as root:
        root.createDimension("t", None)
        root.createDimension("x", 9)
        root.createVariable("x", "f8", ("x",))[:] = np.linspace(0, 1, 9)
        packed = root.createVariable("packed", "i2", ("x",))
        packed.scale_factor = 0.5
        packed[:] = np.arange(9)
        for name, dtype in KINDS:
            how = {"significant_digits": NAMES[name], "quantize_mode": name} if rounds else {}
            variable = root.createVariable(
                f"{name}_{dtype}", dtype, ("t", "x"), zlib=True, chunksizes=(2, 4),
                fill_value=FILL, **how,
            )  # fmt: skip
            variable[:] = values


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _written("a.nc", rounds=False)
    _written("theirs.nc", rounds=True)


@pytest.mark.parametrize("target", ["b.nc", "b.zarr", "b.zarr#mode=nczarr,v3"])
def test_the_copy_has_the_bits_and_the_attributes_of_netcdf_c(files, target):
    how: dict[str, Any] = {"verify": True, "notify": ignore_notice}
    digits = {f"{name}_{dtype}": f"{name}:{NAMES[name]}" for name, dtype in KINDS}
    ncz.copy("a.nc", target, quantize=digits, **how)
    assert ncz.diff(target, "theirs.nc") == []
    ncz.copy(target, "rechunked.zarr", chunks={"t": 3}, **how)  # is not rounded again
    assert ncz.diff("rechunked.zarr", "theirs.nc") == []


def test_one_number_is_for_floating_point_data_alone(files, run: Run):
    assert run("copy", "a.nc", "b.nc", "--quantize", "3,BitRound_f8=bitround:9").code == 0
    ours, theirs = ncz.open("b.nc"), ncz.open("theirs.nc")
    for name in ("GranularBitRound_f4", "GranularBitRound_f8", "BitRound_f8", "x", "packed"):
        np.testing.assert_array_equal(ours[name].values, theirs[name].values)
        assert ours[name].attrs == theirs[name].attrs
    assert not ncz.diff("b.nc", "a.nc", vars=["x", "packed"])


def test_only_the_last_rounding_is_recorded(files):
    ncz.copy("theirs.nc", "b.zarr", quantize=1, notify=ignore_notice)
    with netCDF4.Dataset("theirs.nc") as theirs:
        assert "_QuantizeBitGroomNumberOfSignificantDigits" in theirs["BitGroom_f4"].ncattrs()
    found = [name for name in ncz.open("b.zarr")["BitGroom_f4"].attrs if "Quantize" in name]
    assert found == ["_QuantizeGranularBitRoundNumberOfSignificantDigits"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("BitRound_f4=8", "/BitRound_f4 is float, which keeps 1 to 7 significant digits, not 8"),
        ("BitRound_f4:bitround:24", "which keeps 1 to 23 bits, not 24"),
        ("packed=3", "/packed is short; only float and double are rounded"),
        ("0", "'0' is not valid; write a number of significant digits"),
        ("nowhere=3", "nowhere"),
    ],
)
def test_types_that_cannot_be_rounded(files, run: Run, tmp_path, given, says):
    done = run("copy", "a.nc", "b.nc", "--quantize", given)
    assert (done.code == 0, says in done.stderr) == (False, True)
    assert not (tmp_path / "b.nc").exists()


def test_spellings():
    (((_, first),), ((_, second),)) = quantizations_of("granular:3"), quantizations_of(3)
    assert first == second
    with pytest.raises(OptionError, match="'bitshave:3' is not valid"):
        quantizations_of({"v": "bitshave:3"})


@pytest.mark.parametrize("mode", [{}, {"quantize_mode": "BitRound"}])
def test_the_encoding_of_xarray_matches_netcdf4(files, mode):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
    encoding = {"BitRound_f8": {"significant_digits": 9, "_FillValue": FILL, **mode}}
    with xarray.open_dataset("a.nc", drop_variables="packed") as dataset:
        dataset.to_netcdf("xarray.nc", engine="netcdf4", encoding=encoding)
        how: dict[str, Any] = {"encoding": encoding, "notify": ignore_notice}
        ncz.copy(dataset, "b.nc", **how)
        dataset["BitRound_f8"].encoding.update(encoding["BitRound_f8"])
        ncz.copy(dataset, "c.zarr", notify=ignore_notice)
    for ours in ("b.nc", "c.zarr"):
        assert not ncz.diff(ours, "xarray.nc", vars="BitRound_f8")
