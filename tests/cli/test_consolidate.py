"""``ncz consolidate`` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

CDL = b"netcdf c { variables: int v ; data: v = 1 ; }"


@pytest.mark.parametrize(("mode", "document"), [("zarr", ".zmetadata"), ("v3", "zarr.json")])
def test_metadata_are_written_and_nothing_is_printed(
    run: Run, tmp_path: Path, mode: str, document: str
):
    store = tmp_path / "c.zarr"
    assert run("gen", "-q", f"--mode={mode}", "-", "-o", store, stdin=CDL).code == 0
    ran = run("consolidate", store)
    assert (ran.code, ran.text) == (0, "")
    assert b"metadata" in (store / document).read_bytes()


def test_what_cannot_be_changed_is_an_error(run: Run, tmp_path: Path):
    ran = run("consolidate", tmp_path / "missing.zarr")
    assert ran.code == 1
    assert "no file or store exists" in ran.stderr
    assert run("consolidate").code == 2
