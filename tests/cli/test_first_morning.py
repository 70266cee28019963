"""Tasks of a first morning (first_morning.toml): most work as typed, and others in one step."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ncz
from tests.cli.five_people_folder import fill, fill_bucket
from tests.cli.guesses import assert_task, done_at_first, enter, names_of
from tests.conftest import Run
from tests.servers.processes import S3Server

TASKS = tomllib.loads(Path(__file__).with_name("first_morning.toml").read_text("utf-8"))["task"]
READERS = ("modeller", "operators", "notebook", "cloud", "manager")
"""The people who have read README.md and the screen of ``ncz --help``."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("xarray")
    folder = tmp_path_factory.mktemp("people")
    fill(folder)
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(files, tmp_path / "here", monkeypatch)


@pytest.fixture
def bucket(moto: S3Server, files: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket with stores, on the server that the environment names."""
    with moto.bucket("climate", monkeypatch) as url:
        fill_bucket(url, files)
        yield url


def _opens(path: str) -> bool:
    try:
        ncz.open(path)
    except ncz.NczError:
        return False
    return True


def _names(run: Run) -> dict[str, Any]:
    return names_of(run) | {"ncz_of": lambda line: run(*line.split()).text, "opens": _opens}


@pytest.mark.filterwarnings("ignore::UserWarning", "default::ncz.NczWarning")
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["guess"][:60])
def test_a_task(task, here, run, request):
    if "s3://" in task["guess"]:
        request.getfixturevalue("bucket")
    assert_task(task, run, _names(run))


def test_most_tasks_work_or_need_one_step():
    done_by_ncz = [task for task in TASKS if "elsewhere" not in task]
    at_once = [task for task in done_by_ncz if not {"then", "misled"} & {*task}]
    assert len(at_once) >= 0.85 * len(done_by_ncz)
    assert sum("misled" in task for task in TASKS) <= 1


@pytest.mark.parametrize(
    ("number", "have_read", "at_once", "in_one_step"),
    [(1, True, 40, 43), (1, False, 43, 45), (2, True, 22, 24), (2, False, 26, 29)],
)
def test_what_became_of_the_tasks_at_first(number, have_read, at_once, in_one_step):
    tasks = [task for task in TASKS if (task["who"] in READERS) is have_read]
    assert len([task for task in tasks if task.get("round", 1) == number]) == (50, 30)[number - 1]
    assert done_at_first(tasks, number) == (at_once, in_one_step)
