"""A row of the benchmarks runs both commands in turn, each with a target that does not exist."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from benchmarks.row import Limit, Row, run_row
from benchmarks.scale import Scale

EXISTS = "import os, sys; print(0.25 if os.path.exists(sys.argv[1]) else 0)"
"""Prints a time that shows whether the target of ncz is there."""

TWICE = Scale(values=1, megabytes=1, tenth=True, times=2, seconds=60.0)


@pytest.mark.skipif(shutil.which("cp") is None, reason="this system has no cp")
@pytest.mark.parametrize(("many_files", "kept"), [(False, 0), (True, 4)])
def test_targets_are_removed_or_set_aside(tmp_path: Path, many_files: bool, kept: int):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    texts, source = tmp_path / "texts", tmp_path / "source"
    texts.mkdir()
    source.mkdir()
    (source / "f").write_bytes(b"data")
    row = Row(
        "copy", "cp", ["cp", "-r", str(source), str(ours)],
        ["cp", "-r", str(source), str(theirs)],
        targets=(ours, theirs), many_files=many_files,
        limit=Limit("the target", [sys.executable, "-c", EXISTS, str(ours)]),
    )  # fmt: skip
    result = run_row(row, texts, TWICE)
    assert result.ratio
    assert result.limit == 0.25
    left = set(tmp_path.iterdir()) - {texts, source}
    assert len(left) == kept
    assert not {ours, theirs} & left
    assert all((path / "f").read_bytes() == b"" for path in left)
    assert (source / "f").read_bytes() == b"data"
