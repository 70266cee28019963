"""Copies to standard output: the bytes of a netCDF file, a zip file or a reference set."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT


@pytest.fixture
def store(tmp_path, monkeypatch):
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    ncz.gen(ROOT / "cdl_examples/weather.cdl", tmp_path / "w.zarr", notify=ignore_notice)
    yield tmp_path / "w.zarr"
    assert [*copies.iterdir()] == []


@pytest.mark.parametrize(
    ("options", "start"),
    [
        ((), b"\x89HDF\r\n"),
        (("-k", "classic", "--exclude", "station"), b"CDF\1"),
        (("--mode", "zip"), b"PK\3\4"),
        (("--mode", "zarr,zip", "--zarr-format", "3"), b"PK\3\4"),
    ],
)
def test_a_pipe_gets_the_bytes_of_a_file(run, store, options, start):
    ran = run("copy", "-q", store, "-", *options)
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.startswith(start)
    assert run("diff", "--exclude", "station", "-", store, stdin=ran.stdout).text == ""


def test_a_pipe_gets_a_reference_set(run, store, tmp_path):
    (tmp_path / "refs.json").write_bytes(run("copy", store, "-", "--mode", "reference").stdout)
    assert ncz.diff(tmp_path / "refs.json", store) == []


def test_a_part_of_a_piped_source(run, store):
    whole = run("copy", "-q", store, "-").stdout
    part = run("copy", "-q", "-", "-", "--isel", "time=0", stdin=whole).stdout
    assert "(1 currently)" in run("dump", "-h", "-", stdin=part).text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--mode", "zarr"), "a store on standard output is one file; add --mode zip"),
        (("--zarr-format", "3"), "a store on standard output is one file; add --mode zip"),
        (("--cloud",), "a store on standard output is one file; add --mode zip"),
        (("--dry-run",), "--dry-run needs a path or a URL as DST"),
        (("--split", "time=1"), "--split needs a path or a URL as DST"),
    ],
)
def test_bytes_that_are_not_a_file_are_refused(run, store, options, says):
    ran = run("copy", store, "-", *options)
    assert (ran.code, ran.stdout) == (2, b"")
    assert says in ran.stderr


def test_an_error_writes_nothing(run, store, tmp_path):
    ncz.gen(ROOT / "cdl_examples/groups.cdl", tmp_path / "g.zarr", notify=ignore_notice)
    ran = run("copy", tmp_path / "g.zarr", "-", "-k", "classic")
    assert (ran.code, ran.stdout) == (1, b"")
    assert "copies" not in ran.stderr


def test_a_terminal_is_refused_and_a_closed_pipe_is_not_reported(store):
    line = [sys.executable, "-m", "ncz", "copy", "-q", store, "-"]
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb"):
        ran = subprocess.run(line, stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=60)
        os.close(theirs)
    assert ran.returncode == 2
    assert "a terminal cannot show the bytes of a file" in ran.stderr
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(line, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writer)
    assert ran.stderr == ""
