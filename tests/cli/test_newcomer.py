"""Sixty tasks of a newcomer (newcomer.toml): at least 55 of them work as first typed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.guesses import names_of, tried
from tests.cli.newcomers_folder import enter, fill

TASKS = tomllib.loads(Path(__file__).with_name("newcomer.toml").read_text("utf-8"))["task"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("xarray")
    folder = tmp_path_factory.mktemp("newcomer")
    fill(folder)
    small = "netcdf made { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"
    (folder / "temperature.cdl").write_text(small)
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(files, tmp_path / "here", monkeypatch)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["guess"][:60])
def test_first_guess(task, here, run):
    names = names_of(run)
    failed = tried(task["guess"], run, names)
    works = not failed and bool(eval(task["expected"], names))
    if "answer" in task:
        assert not works, "this works now: remove the answer"
        assert task["answer"] in (failed or names["said"])
    else:
        assert works, failed or names.get("out")


def test_most_guesses_work():
    assert len(TASKS) == 60
    assert sum("answer" not in task for task in TASKS) >= 55
