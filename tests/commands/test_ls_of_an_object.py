"""A list of one object."""

from __future__ import annotations

import json

import pytest

from ncz.commands.key_patterns import LsOptions
from ncz.commands.ls import list_entries
from ncz.zmap.location import parse_location

SET = {
    "version": 1,
    "templates": {"u": "server.domain/path", "f": "{{c}}"},
    "gen": [
        {
            "key": "gen_key{{i}}",
            "url": "http://{{u}}_{{i}}",
            "offset": "{{(i + 1) * 1000}}",
            "length": "1000",
            "dimensions": {"i": {"stop": 2}},
        }
    ],
    "refs": {
        "key0": "data",
        "key1": ["http://target_url?signature=secret", 10000, 100],
        "key2": ["beside.nc"],
        "key3": ["http://{{f(c='text')}}", 10000, 100],
        "key4": "base64:AP8=",
    },
}


@pytest.fixture
def reference_set(tmp_path):
    path = tmp_path / "set.json"
    path.write_text(json.dumps(SET))
    (tmp_path / "beside.nc").write_bytes(b"12345")
    return path


def test_targets_of_a_set_are_reported_and_need_no_permission(reference_set):
    options = LsOptions(source=parse_location(str(reference_set)), details=True)
    found = {entry.key: entry for entry in list_entries(options)}
    assert {key: entry.target for key, entry in found.items()} == {
        "/key0": None,
        "/key1": ("http://target_url", 10000, 100),
        "/key2": (str(reference_set.parent / "beside.nc"),),
        "/key3": ("http://text", 10000, 100),
        "/key4": None,
        "/gen_key0": ("http://server.domain/path_0", 1000, 1000),
        "/gen_key1": ("http://server.domain/path_1", 2000, 1000),
    }
    assert [found[f"/key{n}"].size for n in range(3)] == [4, 100, 5]


def test_a_set_that_is_no_store_is_expanded(run, reference_set, tmp_path):
    ran = run("ls", "--references", reference_set)
    assert (ran.code, ran.stderr) == (0, "")
    expanded = json.loads(ran.text)
    assert expanded == {
        "key0": "data",
        "key1": ["http://target_url?signature=secret", 10000, 100],
        "key2": [str(tmp_path / "beside.nc")],
        "key3": ["http://text", 10000, 100],
        "key4": "base64:AP8=",
        "gen_key0": ["http://server.domain/path_0", 1000, 1000],
        "gen_key1": ["http://server.domain/path_1", 2000, 1000],
    }
    again = tmp_path / "again.json"
    again.write_text(ran.text)
    assert json.loads(run("ls", "--references", again).text) == expanded
    assert list(json.loads(run("ls", "--references", again, "key*", "--exclude", "key4").text)) == [
        "key0", "key1", "key2", "key3",
    ]  # fmt: skip


def test_targets_in_the_listings_of_the_command(run, reference_set, tmp_path):
    lines = run("ls", "-l", reference_set).text.splitlines()
    assert "         100  other       /key1  http://target_url 10000 100  (not permitted)" in lines
    assert f"           5  other       /key2  {tmp_path / 'beside.nc'}  (5 bytes, present)" in lines
    rows = {row["key"]: row for row in json.loads(run("ls", "--json", reference_set).text)}
    assert rows["/key1"]["target"] == ["http://target_url", 10000, 100]
    assert "target" not in rows["/key0"]


def test_only_reference_sets_are_expanded(run, tmp_path):
    assert run("gen", "-", "-o", tmp_path / "x.zarr", stdin="netcdf x {}").code == 0
    ran = run("ls", "--references", tmp_path / "x.zarr")
    assert (ran.code, "this is not a reference set" in ran.stderr) == (1, True)
    assert run("ls", "--references", "--json", tmp_path / "x.zarr").code == 2
