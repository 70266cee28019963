"""``--follow-links``: links that lead out of a store are read only with this option."""

from __future__ import annotations

import os

import pytest

from tests.conftest import Run

TEXT = b"netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 7, 8 ; }"


@pytest.fixture
def linked(run: Run, tmp_path):
    """A store whose chunk is a link to a file outside of it."""
    assert run("gen", "-", "-o", tmp_path / "a.zarr", stdin=TEXT).code == 0
    (chunk,) = (tmp_path / "a.zarr/v").glob("0*")
    os.rename(chunk, tmp_path / "outside")
    os.symlink(tmp_path / "outside", chunk)
    return tmp_path / "a.zarr"


def test_dump(run: Run, linked):
    ran = run("dump", linked)
    assert ran.code == 1
    assert "leads out of the store" in ran.stderr
    followed = run("dump", linked, "--follow-links")
    assert followed.code == 0
    assert "v = 7, 8" in followed.text
    assert followed.text.startswith("netcdf a {")


def test_copy(run: Run, linked, tmp_path):
    assert run("copy", linked, tmp_path / "b.zarr").code == 1
    assert not (tmp_path / "b.zarr").exists()
    assert run("copy", linked, tmp_path / "b.zarr", "--follow-links").code == 0
    assert "v = 7, 8" in run("dump", tmp_path / "b.zarr").text
    assert not any(path.is_symlink() for path in (tmp_path / "b.zarr").rglob("*"))


def test_ls(run: Run, linked):
    assert run("ls", linked, "--cat", "/v/0").code == 1
    assert run("ls", linked, "--cat", "/v/0", "--follow-links").code == 0
