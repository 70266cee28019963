"""Messages are short, and have the error, the next step and the location."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import Any

import pytest

import ncz

LONG = "netcdf x { dimensions: n = 1 ; variables: double v(n) ; data: v = 0.12345678901234567 ; }"


@pytest.mark.parametrize("words", [["dump", "x.zarr"]])
def test_digits_are_a_matter_of_files_and_not_of_pipes_and_terminals(tmp_path, words):
    (tmp_path / "x.cdl").write_text(LONG)
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr")

    def told(stdout: Any, *more: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "ncz", *words, *more], stdout=stdout, stderr=subprocess.PIPE,
            text=True, check=True, timeout=60, cwd=tmp_path,
        ).stderr  # fmt: skip

    assert told(subprocess.PIPE) == ""
    with open(tmp_path / "out.cdl", "wb") as file:
        assert told(file).count("more digits") == 1
    if words[0] == "dump":
        assert told(subprocess.PIPE, "-o", "other.cdl").count("more digits") == 1
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb"):
        assert told(theirs) == ""
        os.close(theirs)


@pytest.mark.parametrize("command", ["copy", "gen"])
@pytest.mark.parametrize("name", ["x.zarr", "x.nc", "x.zip"])
def test_no_message_advises_to_overwrite_a_folder_that_is_no_store(run, tmp_path, command, name):
    (tmp_path / "x.cdl").write_text(LONG)
    kept = tmp_path / name / "thesis.txt"
    kept.parent.mkdir()
    kept.write_text("three years of work")
    target = ["-o"] if command == "gen" else []
    for options in ([], ["--overwrite"]):
        ran = run(command, tmp_path / "x.cdl", *target, kept.parent, *options)
        assert ran.code == 1
        assert "--overwrite" not in ran.stderr
        assert "directory" in ran.stderr
    assert kept.read_text() == "three years of work"


def test_many_profiles_are_counted(run, tmp_path, monkeypatch):
    file = tmp_path / "credentials"
    file.write_text("".join(f"[p{i:02}]\naws_access_key_id = a\n" for i in range(40)))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    ran = run("ls", "s3://bucket/x.zarr", "--profile", "other")
    assert "available: p00, p01, p02, p03, p04 and 35 more" in ran.stderr


def test_many_attributes_that_are_not_finite_are_counted(tmp_path):
    attributes = "".join(f":a{i} = NaN ; " for i in range(40))
    (tmp_path / "x.cdl").write_text(f"netcdf x {{ {attributes} }}")
    told: list[str] = []
    notify = lambda notice: told.append(notice.message)  # noqa: E731
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", modes=["v3"], notify=notify)
    (message,) = [text for text in told if "NaN" in text]
    assert message.endswith("and 35 more")


def test_a_filter_that_is_not_installed_is_named(run, tmp_path):
    import h5py

    with h5py.File(tmp_path / "x.nc", "w") as file:
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_chunk((4,))
        how.set_filter(32777, h5py.h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple((4,))
        made = h5py.h5d.create(file.id, b"v", h5py.h5t.STD_I32LE, space, dcpl=how)
        h5py.Dataset(made).id.write_direct_chunk((0,), b"compressed", filter_mask=0)
    ran = run("dump", tmp_path / "x.nc")
    assert ran.code == 1
    assert "HDF5 filter 32777" in ran.stderr
    assert "set HDF5_PLUGIN_PATH to the folder of the plugin" in ran.stderr
