"""Targets of ``ncz copy`` that are folders."""

from __future__ import annotations

import pytest

from tests.conftest import Run

CDL = b"netcdf x { dimensions: n = 2 ; variables: int v(n) ; data: v = 1, 2 ; }"


@pytest.fixture
def folder(tmp_path, monkeypatch, run: Run):
    """A folder with two files, and a folder for the copies."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.nc", "b.nc"):
        assert run("gen", "-", "-o", name, stdin=CDL).code == 0
    (tmp_path / "out").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("line", "names", "notice"),
    [
        ("a.nc out", ["a.nc"], ""),
        ("a.nc out/", ["a.nc"], ""),
        ("a.nc out --cloud", ["a.zarr"], ""),
        ("a.nc b.nc out", ["a.zarr", "b.zarr"], "the copies are Zarr stores; for netCDF, add -4"),
        ("a.nc b.nc out -4", ["a.nc", "b.nc"], ""),
        ("a.nc b.nc out --zarr-format 3", ["a.zarr", "b.zarr"], ""),
    ],
)
def test_each_source_has_its_own_name(folder, run: Run, line, names, notice):
    ran = run("copy", *line.split())
    assert ran.code == 0, ran.stderr
    assert sorted(path.name for path in (folder / "out").iterdir()) == names
    assert notice in ran.stderr
    assert bool(notice) == ("netCDF" in ran.stderr)


def test_a_store_is_no_folder_of_targets(folder, run: Run):
    assert run("copy", "a.nc", "out/a.zarr").code == 0
    ran = run("copy", "b.nc", "out/a.zarr")
    assert ran.code == 1
    assert "already exists" in ran.stderr
