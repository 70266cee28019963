"""Reference sets on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.zmap.reference.sets import write_set

ARRAY = {
    "zarr_format": 2, "shape": [6], "chunks": [3], "dtype": "<i2", "fill_value": None, "order": "C",
    "compressor": None, "filters": None,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with ``data.bin``, and the set ``refs.json`` in the folder ``sets`` next to it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NCZ_ALLOW_TARGETS", raising=False)
    (tmp_path / "data.bin").write_bytes(b"x" + np.arange(6, dtype="<i2").tobytes())
    write_set(
        tmp_path / "sets" / "refs.json",
        {
            ".zgroup": {"zarr_format": 2},
            "v/.zarray": ARRAY,
            "v/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]},
        },
        gen=[
            {
                "key": "v/{{i}}",
                "url": "../data.bin",
                "offset": "{{1 + i * 6}}",
                "length": "6",
                "dimensions": {"i": {"stop": 2}},
            }
        ],
    )
    return tmp_path


CDL = """netcdf refs {
dimensions:
	x = 6 ;
variables:
	short v(x) ;
data:

 v = 0, 1, 2, 3, 4, 5 ;
}
"""


def test_the_header_needs_no_permission(run, folder):
    done = run("dump", "-h", "sets/refs.json")
    assert done.code == 0
    assert done.text == CDL.partition("data:")[0] + "}\n"


def test_a_target_outside_is_refused_and_the_message_says_how_to_permit_it(run, folder):
    done = run("dump", "sets/refs.json")
    assert done.code == 1
    assert done.stderr.endswith(f"if you trust the set, add --allow-target {folder}\n")
    assert "/v/0" in done.stderr


def test_a_target_that_is_permitted(run, folder):
    assert run("dump", "--allow-target", folder, "sets/refs.json").text == CDL
    both = ("--allow-target", "s3://bucket/", "--allow-target", "data.bin")
    assert run("dump", *both, "sets/refs.json").text == CDL


def test_the_environment_permits_targets(run, folder, monkeypatch):
    monkeypatch.setenv("NCZ_ALLOW_TARGETS", f"s3://bucket/ {folder}")
    assert run("dump", "sets/refs.json").text == CDL


def test_a_prefix_must_be_valid(run, folder):
    done = run("dump", "--allow-target", "https://", "sets/refs.json")
    assert done.code == 1
    assert "must name a folder, a host or a bucket" in done.stderr


def test_relative_to_the_working_folder(run, folder, monkeypatch):
    (folder / "sets" / "below").mkdir()
    monkeypatch.chdir(folder / "sets")
    arguments = ("--relative-to", "cwd", "--allow-target", folder, "refs.json")
    assert run("dump", *arguments).text == CDL
    monkeypatch.chdir(folder / "sets" / "below")
    done = run("dump", *arguments[:-1], "../refs.json")
    assert "the target of the reference does not exist" in done.stderr


def test_ls(run, folder):
    assert run("ls", "-r", "sets/refs.json").text == (
        "/.zgroup\n/v/.zarray\n/v/.zattrs\n/v/0\n/v/1\n"
    )
    lines = run("ls", "-l", "sets/refs.json", "/v").text.splitlines()
    assert [line.split()[:3] for line in lines[-2:]] == [
        ["6", "chunk", "/v/0"], ["6", "chunk", "/v/1"],
    ]  # fmt: skip
    assert [line.split()[3].endswith("data.bin") for line in lines[-2:]] == [True, True]
    done = run("ls", "--json", "sets/refs.json", "/v/0")
    assert [entry["size"] for entry in json.loads(done.text)] == [6]
    decoded = run("ls", "--cat", "/v/1", "--decode", "--allow-target", folder, "sets/refs.json")
    assert decoded.text.split() == ["[3", "4", "5]"] or "3" in decoded.text


def test_copy_makes_it_real(run, folder):
    done = run("copy", "sets/refs.json", "out.zarr")
    assert done.code == 1
    assert not (folder / "out.zarr").exists()
    arguments = ("--allow-target", folder, "sets/refs.json", "out.zarr")
    done = run("copy", "--verify", *arguments)
    assert done.code == 0, done.stderr
    (folder / "data.bin").unlink()
    assert run("dump", "out.zarr").text == CDL.replace("netcdf refs", "netcdf out")


def test_a_dead_link_is_not_filled(run, folder):
    (folder / "data.bin").unlink()
    done = run("dump", "--allow-target", folder, "sets/refs.json")
    assert done.code == 1
    assert "the target of the reference does not exist" in done.stderr
