"""A hundred tasks of newcomers (first_hour.toml): most work as typed, others in one step."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import ncz
from tests.cli.guesses import assert_kept, contents, names_of, tried
from tests.cli.newcomers_folder import QUIET, enter, fill

TASKS = tomllib.loads(Path(__file__).with_name("first_hour.toml").read_text("utf-8"))["task"]
ELSEWHERE = [task for task in TASKS if "elsewhere" in task]
ONE_STEP = [task for task in TASKS if "then" in task]
MISLED = [task for task in TASKS if "misled" in task]

GROUPS = """netcdf groups { dimensions: x = 2 ; variables: int top(x) ; data: top = 1, 2 ;
group: forecast { variables: float v(x) ; data: v = 1, 2 ; } }"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("xarray")
    folder = tmp_path_factory.mktemp("hour")
    fill(folder)
    (folder / "groups.cdl").write_text(GROUPS)
    (folder / "notes.txt").write_text("milk\n")
    ncz.gen(folder / "groups.cdl", folder / "groups.nc", **QUIET)
    ncz.copy(folder / "temperature.nc", folder / "packed.nc", pack="short", **QUIET)
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(files, tmp_path / "here", monkeypatch)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["guess"][:60])
def test_a_task(task, here, run):
    names, before = names_of(run), contents()
    said = tried(task["guess"], run, names)
    if "elsewhere" in task:
        assert said
        assert task["elsewhere"] in said
    elif "then" in task:
        assert said
        assert task["then"] in said
        if task["then"].startswith("ncz "):
            assert tried(task["then"], run, names) == ""
            assert eval(task["expected"], names)
    else:
        assert not said
        assert eval(task["expected"], names) is not ("misled" in task), names["out"]
    assert_kept(before, task)


def test_most_tasks_work_or_need_one_step():
    done_by_ncz = len(TASKS) - len(ELSEWHERE)
    at_once = done_by_ncz - len(ONE_STEP) - len(MISLED)
    assert len(TASKS) >= 100
    assert at_once >= 0.85 * done_by_ncz
    assert len(MISLED) <= 0.05 * done_by_ncz
