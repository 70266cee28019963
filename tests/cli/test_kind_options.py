"""Options that choose the kind of netCDF file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location
from tests.conftest import Run

CDL = b"netcdf k { variables: int v ; data: v = 1 ; }"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["-k", "nc3"], "classic"),
        (["-k", "NC6"], "64-bit offset"),
        (["--kind", "netCDF-4 classic model"], "netCDF-4 classic model"),
        (["-3"], "classic"),
        (["-5"], "cdf5"),
        (["--netcdf4"], "netCDF-4"),
        (["--64-bit-offset"], "64-bit offset"),
        (["-k", "nc4", "-7"], "netCDF-4 classic model"),
        ([], "classic"),
    ],
)
def test_each_spelling_chooses_its_kind(run: Run, tmp_path: Path, words: list[str], kind: str):
    target = tmp_path / "k.nc"
    assert run("gen", *words, "-", "-o", target, stdin=CDL).code == 0
    with open_dataset(parse_location(str(target))) as opened:
        assert opened.netcdf_kind == kind


@pytest.mark.parametrize("word", ["nczarr", "zarr"])
def test_a_zarr_store_is_no_kind_of_file(run: Run, tmp_path: Path, word: str):
    assert run("gen", "-k", word, "-", "-o", tmp_path / "k.zarr", stdin=CDL).code == 0
    assert (tmp_path / "k.zarr" / ".zgroup").exists()


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("nczar", "use one of 'classic', '64-bit offset', 'cdf5', 'netCDF-4',"),
        ("9", "use one of 'classic'"),
        ("zip", "use --mode zip"),
    ],
)
def test_another_word_is_refused_with_the_valid_ones(run: Run, word: str, hint: str):
    ran = run("gen", "-k", word, "-", "-o", "k.nc", stdin=CDL)
    assert ran.code == 2
    assert f"'{word}' is not a kind of netCDF file; {hint}" in ran.stderr
