"""The requests that a pure Zarr V3 store without consolidated metadata takes on S3."""

from __future__ import annotations

import pytest

pytest.importorskip("s3fs", reason="s3fs is not installed")

CDL = b"""netcdf x { variables: int v; v:_CodecAttributes = "";
group: a { variables: int w; group: b { variables: int u; } } group: empty { } }"""
NODES = ("v", "a", "a/w", "a/b", "a/b/u", "empty")


@pytest.fixture
def store(web, run, tmp_path, monkeypatch):
    """A store with four groups, counting the root, and three arrays."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    path = tmp_path / "x.zarr"
    how = ("--no-consolidated", "--allow-loss", "-q")
    ran = run("gen", "-", *how, "-o", f"{path}#mode=zarr,v3", stdin=CDL)
    assert ran.code == 0, ran.stderr
    files = [file for file in path.rglob("*") if file.is_file()]
    web.objects = {f"b/x.zarr/{f.relative_to(path)}": f.read_bytes() for f in files}
    return f"{web.endpoint}/b/x.zarr#mode=s3"


def test_each_node_takes_one_request_and_each_group_one_listing(web, run, store):
    ran = run("dump", "-h", store)
    assert (ran.code, ran.stderr) == (0, "")
    listed = [request for request in web.requests if "list-type" in request]
    assert len(listed) == 4
    below = [request for request in web.requests if request.startswith("GET /b/x.zarr/")]
    documents = [request.removeprefix("GET /b/x.zarr/") for request in below]
    roots = {".zarray", ".zattrs", ".zgroup", ".zmetadata", "zarr.json"}
    assert sorted(documents) == sorted([*roots, *(f"{node}/zarr.json" for node in NODES)])
    above = ["GET /b/zarr.json"]  # of a store that could have notes about this group
    assert len(web.requests) == len(listed) + len(documents) + len(above)
    assert above[0] in web.requests


def test_a_group_with_the_name_of_the_document_is_read(web, run, store):
    group = web.objects["b/x.zarr/a/zarr.json"]
    web.objects["b/x.zarr/a/zarr.json/zarr.json"] = group
    web.objects["b/x.zarr/a/zarr.json/w/zarr.json"] = web.objects["b/x.zarr/a/w/zarr.json"]
    ran = run("dump", "-h", store)
    assert ran.code == 0
    assert "group: zarr.json {" in ran.text
    assert ran.text.count("int w ;") == 2
