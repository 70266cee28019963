"""``ncz check``: lines, JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run

CDL = b"netcdf s { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }"


@pytest.fixture
def store(tmp_path: Path, run: Run) -> Path:
    target = tmp_path / "s.zarr"
    assert run("gen", "-q", "-", "-o", target, stdin=CDL).code == 0
    return target


def test_a_good_store(run, store):
    ran = run("check", "--census", "--data", store)
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.text == "/v: 1 of 1 chunk, 12 bytes\n0 errors, 0 warnings, 0 notes\n"


def test_findings_are_lines(run, store):
    (store / "v/1").write_bytes(bytes(12))
    (store / "v/0").write_bytes(b"")
    ran = run("check", store)
    assert ran.code == 1
    assert ran.text == (
        "error: chunk-empty: /v/0: 1 object: the chunk has no bytes; restore it, or delete it to"
        " read the fill value\n"
        "warning: chunk-outside: /v/1: 1 object: the chunk is outside of the shape of its array,"
        " and no reader sees it; delete it, or correct the shape\n"
        "1 error, 1 warning, 0 notes\n"
    )


def test_json(run, store):
    (store / "v/1").write_bytes(bytes(12))
    ran = run("check", "--json", store)
    assert ran.code == 1
    report = json.loads(ran.text)
    assert (report["format"], report["version"]) == ("ncz-check", 1)
    assert [(f["code"], f["severity"], f["key"]) for f in report["findings"]] == [
        ("chunk-outside", "warning", "/v/1")
    ]
    assert report["arrays"] == [
        {"key": "/v", "expected": 1, "present": 1, "missing": 0, "empty": 0, "bytes": 12}
    ]


def test_quiet_omits_notes(run, tmp_path):
    target = tmp_path / "t.zarr#mode=zarr,v3"
    assert run("gen", "-q", "-", "-o", target, stdin=CDL).code == 0
    assert "note: reader-unopened" in run("check", tmp_path / "t.zarr").text
    ran = run("check", "-q", tmp_path / "t.zarr")
    assert (ran.code, ran.text) == (0, "0 errors, 0 warnings, 1 note\n")
    assert run("check", "--for", "netcdf-c", tmp_path / "t.zarr").code == 1
    assert run("check", "--for", "nothing", tmp_path / "t.zarr").code == 2


def test_names_cannot_control_the_terminal(run, store):
    (store / "\x1b[31m").write_text("x")
    ran = run("check", store)
    assert "\x1b" not in ran.text
    assert "\\x1b[31m" in ran.text
