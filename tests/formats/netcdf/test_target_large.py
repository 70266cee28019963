"""Datasets that are too large for a netCDF file are refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.mark.parametrize("kind", ["classic", "64-bit offset", "cdf5", "netCDF-4"])
@pytest.mark.parametrize(
    "lengths", [(5 * 10**9, 5 * 10**9, 4 * 10**9), (2**63 - 1,), (2**62, 3), (2**32, 2**32)]
)
def test_a_variable_larger_than_any_file(run: Run, tmp_path: Path, kind, lengths):
    names = [f"x{axis}" for axis in range(len(lengths))]
    declared = " ".join(f"{n} = {length} ;" for n, length in zip(names, lengths, strict=True))
    text = f"netcdf a {{ dimensions: {declared} variables: byte v({', '.join(names)}) ; }}"
    result = run("gen", "-k", kind, "-o", tmp_path / "a.nc", "-", stdin=text.encode())
    assert result.code == 1
    assert "variable /v of" in result.stderr
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("kind", ["classic", "64-bit offset"])
def test_a_dimension_longer_than_the_format_can_say(run: Run, tmp_path: Path, kind):
    text = b"netcdf a { dimensions: x = 5000000000 ; variables: byte v(x) ; }"
    result = run("gen", "-k", kind, "-o", tmp_path / "a.nc", "-", stdin=text)
    assert result.code == 1
    assert "dimension x of length 5000000000" in result.stderr
    assert "--kind cdf5" in result.stderr
    assert not [*tmp_path.iterdir()]
