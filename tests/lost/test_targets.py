"""Targets that are not stores, and levels, are refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lost.stores import CDL


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("x.hdf", "an HDF4 file"),
        ("x.grib", "a GRIB file"),
        ("x.tif", "a TIFF file"),
    ],
)
def test_names_that_no_store_has_are_refused(run, target, told):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    for ran in (run("gen", "-", "-o", target, stdin=CDL), run("copy", "s.zarr", target)):
        assert ran.code == 1
        assert told in ran.stderr
        assert len(ran.stderr.splitlines()) == 1
    assert not list(Path().glob("x*"))


def test_the_name_of_an_hdf5_file_matches_a_netcdf_file(run):
    assert run("gen", "-", "-o", "x.h5", stdin=CDL).code == 0
    assert run("dump", "-k", "x.h5").stdout == b"netCDF-4\n"


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("x.json", "a JSON file; use ncz dump --json for JSON"),
        ("x.parquet", "a Parquet reference set"),
    ],
)
def test_names_of_reference_sets_are_for_copy_only(run, target, told):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    ran = run("gen", "-", "-o", target, stdin=CDL)
    assert ran.code == 1
    assert told in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert not list(Path().glob("x*"))
    assert run("copy", "-q", "s.zarr", target).code == 0
    assert run("diff", "s.zarr", f"{target}#mode=reference").code == 0


def test_a_mode_says_that_a_store_is_meant(run):
    assert run("gen", "-", "-o", "x.nc#mode=nczarr,file", stdin=CDL).code == 0
    assert run("copy", "-q", "--mode", "nczarr", "x.nc", "y.nc").code == 0


def test_a_store_cannot_be_written_to_standard_output(run):
    ran = run("gen", "-", "-o", "-", stdin=CDL)
    assert ran.code == 1
    assert "a store cannot be written to standard output" in ran.stderr
    assert not Path("-").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("copy", "s.zarr", "t.zarr", "--codec", "zlib:10"),
        ("copy", "s.zarr", "t.zarr", "--codec", "zstd:99"),
        ("copy", "s.zarr", "t.zarr", "-d", "10"),
        ("copy", "s.zarr", "t.zarr", "-F", "v,1,10"),
    ],
)
def test_levels_are_checked_before_a_copy_writes(run, command):
    assert run("gen", "-q", "-", "-o", "s.zarr", stdin=CDL).code == 0
    ran = run(*command)
    assert ran.code in (1, 2)
    assert "level" in ran.stderr
    assert not Path("t.zarr").exists()


def test_levels_are_checked_before_gen_writes(run):
    text = CDL.replace(b"_ChunkSizes = 1, 2", b"_DeflateLevel = 10")
    ran = run("gen", "-", "-o", "t.zarr", stdin=text)
    assert ran.code == 1
    assert "DeflateLevel" in ran.stderr or "level" in ran.stderr
    assert not Path("t.zarr").exists()
