"""Paths that an option took as its value."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "copy --concat a.nc b.zarr",
            "--concat takes a dimension, and got 'a.nc'; type: ncz copy --concat time a.nc b.zarr",
        ),
        ("dump -v a.nc", "-v takes names of variables, and got 'a.nc'; type: ncz dump -v VAR a.nc"),
        ("dump -g a.nc", "-g takes names of groups, and got 'a.nc'; type: ncz dump -g GROUP a.nc"),
        (
            "copy --type a.nc b.zarr",
            "--type takes a type, and got 'a.nc'; type: ncz copy --type short a.nc b.zarr",
        ),
        ("dump -v s3://b/a", "-v takes names of variables, and got 's3://b/a'; type: "),
        ("dump -v folder", "-v takes names of variables, and got 'folder'; type: "),
    ],
)
def test_a_path_is_not_the_value_of_an_option(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    ran = run(*line.split())
    assert ran.code != 0
    assert message in ran.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dump a.nc -v", "-v takes names of variables; type: ncz dump a.nc -v VAR"),
        ("copy a.nc --concat", "--concat takes a dimension; type: ncz copy a.nc --concat time"),
        ("dump a.nc -n", "requires an argument"),
    ],
)
def test_an_option_at_the_end_lacks_its_value(run: Run, line: str, message: str):
    ran = run(*line.split())
    assert ran.code != 0
    assert message in ran.stderr


def test_the_parts_of_a_selection_are_one_word(run: Run):
    ran = run("copy", "--sel", "lat=50:53", "lon=-1:1", "time=2026", "a.nc", "b.nc")
    assert ran.code == 2
    assert "type: --sel lat=50:53,lon=-1:1,time=2026" in ran.stderr


def test_a_path_with_an_equal_sign_follows_a_selection(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("year=2026").mkdir()
    assert "type: --isel" not in run("info", "--isel", "time=0", "year=2026").stderr
    assert "type: --isel" not in run("info", "--isel", "time=0", "year=2026.nc").stderr


def test_a_variable_that_is_named_like_no_path_is_a_value(run: Run, tmp_path: Path):
    ran = run("dump", "-v", "time", tmp_path / "missing.nc")
    assert "takes names" not in ran.stderr
    assert "no file or store exists" in ran.stderr
