"""Tasks on data of archives (other_data.toml): most work as typed, and others in one step."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.guesses import assert_task, done_at_first, enter, names_of
from tests.cli.other_data_folder import fill, fill_bucket
from tests.servers.processes import S3Server

TASKS = tomllib.loads(Path(__file__).with_name("other_data.toml").read_text("utf-8"))["task"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("xarray")
    folder = tmp_path_factory.mktemp("other")
    fill(folder)
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(files, tmp_path / "here", monkeypatch)


@pytest.fixture
def bucket(moto: S3Server, files: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket with stores, on the server that the environment names."""
    with moto.bucket("data", monkeypatch) as url:
        fill_bucket(url, files)
        yield url


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["guess"][:60])
def test_a_task(task, here, run, request):
    if "s3://" in task["guess"]:
        request.getfixturevalue("bucket")
    names = names_of(run) | {"ncz_of": lambda line: run(*line.split()).text}
    assert_task(task, run, names)


def test_most_tasks_work_or_need_one_step():
    done_by_ncz = [task for task in TASKS if "elsewhere" not in task]
    at_once = [task for task in done_by_ncz if not {"then", "misled"} & {*task}]
    assert len(TASKS) == 90
    assert len(at_once) >= 0.9 * len(done_by_ncz)
    assert sum("misled" in task for task in TASKS) <= 1


@pytest.mark.parametrize(("number", "at_once", "in_one_step"), [(1, 37, 41), (2, 25, 26)])
def test_what_became_of_the_tasks_at_first(number, at_once, in_one_step):
    assert done_at_first(TASKS, number) == (at_once, in_one_step)
