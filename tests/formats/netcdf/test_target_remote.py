"""netCDF files that are written to S3: complete, or not at all."""

from __future__ import annotations

import os

import pytest

from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.conftest import ROOT

pytest.importorskip("s3fs", reason="s3fs is not installed")

TEXT = ROOT / "cdl_examples/chunks.cdl"


@pytest.fixture
def names(s3):
    """Lists the objects of the prefix."""

    def names():
        zmap = open_zmap(parse_location(f"{s3}#mode=s3"))
        found = list(zmap.walk())
        zmap.close()
        return found

    return names


@pytest.mark.parametrize(("kind", "word"), [("netCDF-4", "-4"), ("classic", "-3")])
def test_gen_and_copy(run, s3, tmp_path, kind, word):
    url = f"{s3}/x.nc#mode=s3"
    ran = run("gen", word, TEXT, "-o", url)
    assert (ran.code, ran.stderr) == (0, "")
    assert run("gen", word, TEXT, "-o", tmp_path / "x.nc").code == 0
    assert run("dump", "-k", url).text.strip() == kind
    assert run("dump", url).text == run("dump", tmp_path / "x.nc").text
    copied = f"{s3}/y.nc#mode=s3"
    ran = run("copy", "--verify", url, copied)
    assert ran.code == 0, ran.stderr
    assert run("diff", url, copied).code == 0


def test_an_existing_object_is_replaced_only_if_it_is_a_netcdf_file(run, s3, names):
    url = f"{s3}/x.nc#mode=s3"
    assert run("gen", "-4", TEXT, "-o", url).code == 0
    ran = run("gen", "-3", TEXT, "-o", url)
    assert ran.code == 1
    assert "already exists; use --overwrite" in ran.stderr
    assert run("gen", "-3", "--overwrite", TEXT, "-o", url).code == 0
    assert run("dump", "-k", url).text == "classic\n"
    other = open_zmap(parse_location(f"{s3}#mode=s3"), write=True)
    other.put("y.nc", b"something else")
    other.put("z.nc/.zgroup", b"{}")
    other.close()
    ran = run("copy", "--overwrite", url, f"{s3}/y.nc#mode=s3")
    assert "it is an object, but not a netCDF file" in ran.stderr
    ran = run("copy", "--overwrite", url, f"{s3}/z.nc#mode=s3")
    assert "a store that is not a netCDF file exists here" in ran.stderr
    assert sorted(names()) == ["x.nc", "y.nc", "z.nc/.zgroup"]


def test_an_error_leaves_nothing(run, s3, names, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    os.mkdir(tmp_path / "temporary")
    assert run("gen", TEXT, "-o", f"{s3}/kept.nc#mode=s3").code == 0
    assert run("gen", TEXT, "-o", tmp_path / "a.zarr").code == 0
    chunk = next(p for p in sorted((tmp_path / "a.zarr").rglob("*")) if p.name[-1].isdigit())
    chunk.write_bytes(b"damaged")
    ran = run("copy", tmp_path / "a.zarr", f"{s3}/x.nc#mode=s3")
    assert ran.code == 1
    assert names() == ["kept.nc"]
    assert os.listdir(tmp_path / "temporary") == []


def test_targets_that_cannot_be_written(run, web):
    ran = run("gen", TEXT, "-o", f"{web.endpoint}/x.nc")
    assert "a web server is read-only" in ran.stderr
    ran = run("gen", TEXT, "-o", "memory://x.nc")
    assert "a netCDF file cannot be written to memory" in ran.stderr
