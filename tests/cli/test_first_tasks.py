"""Tasks of people who are new to ncz: most work as they type them, and others in one step.

Each sheet is a file of tasks, such as five_people.toml and first_morning.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.cli import five_people_folder, other_data_folder
from tests.cli.guesses import assert_task, done_at_first, enter, names_of
from tests.conftest import Run
from tests.servers.processes import S3Server

FOLDERS: dict[str, tuple[ModuleType, str]] = {
    "five_people": (five_people_folder, "climate"),
    "first_morning": (five_people_folder, "climate"),
    "second_morning": (five_people_folder, "climate"),
    "third_morning": (five_people_folder, "climate"),
    "fourth_morning": (five_people_folder, "climate"),
    "fifth_morning": (five_people_folder, "climate"),
    "sixth_morning": (five_people_folder, "climate"),
    "seventh_morning": (five_people_folder, "climate"),
    "other_data": (other_data_folder, "data"),
}
"""The module with the folder of each sheet, and the bucket on the server."""

SHEETS: dict[str, list[dict[str, Any]]] = {
    sheet: tomllib.loads(Path(__file__).with_name(f"{sheet}.toml").read_text("utf-8"))["task"]
    for sheet in FOLDERS
}
READERS = {
    *("modeller", "operators", "notebook", "cloud", "manager"),
    *("oceanographer", "forecaster", "phd", "platform", "curator"),
    *("teacher", "hydrologist", "sre", "archivist", "glaciologist"),
    *("marine biologist", "ocean modeller", "cloud engineer", "climate scientist"),
    *("data engineer", "master student", "reanalysis curator", "software tester"),
    *("oceanographer at a desk", "operations engineer", "PhD student"),
    *("data librarian", "model developer"),
    *("data manager", "research software engineer", "GIS consultant", "lecturer"),
    *("post-processor", "doctoral student", "archive keeper", "cloud data engineer"),
    *("university lecturer", "intercomparison analyst", "satellite scientist", "engineer on call"),
    *("research developer", "station hydrologist"),
    *("marine forecaster", "postdoc", "data steward", "cloud architect", "student with data"),
    *("coordinator of ensembles",),
}
"""The people of the mornings who have read README.md and the screen of ``ncz --help``."""


def _marks(number: int, task: dict[str, Any]) -> tuple[pytest.MarkDecorator, ...]:
    """Mark most tasks as long; every second task that failed at first is short."""
    is_sampled = number % (2 if "first" in task else 6) == 0
    return () if is_sampled else (pytest.mark.long,)


TASKS = [
    pytest.param(sheet, task, id=f"{sheet}-{task['guess'][:60]}", marks=_marks(number, task))
    for sheet, tasks in SHEETS.items()
    for number, task in enumerate(tasks)
]


@pytest.fixture(scope="module")
def files_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that returns the files of a sheet, which are written once."""
    pytest.importorskip("xarray")
    filled: dict[ModuleType, Path] = {}

    def files(sheet: str) -> Path:
        module, _ = FOLDERS[sheet]
        if module not in filled:
            filled[module] = tmp_path_factory.mktemp("files")
            module.fill(filled[module])
        return filled[module]

    return files


@pytest.fixture
def bucket_of(
    files_of: Callable[[str], Path],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str], None]:
    """Return a function that fills the bucket of a sheet; the environment names its server."""

    def fill(sheet: str) -> None:
        moto: S3Server = request.getfixturevalue("moto")
        module, name = FOLDERS[sheet]
        files = files_of(sheet)
        moto.filled_bucket(name, lambda url: module.fill_bucket(url, files), monkeypatch)

    return fill


@pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore:Usage of 'use_cftime':FutureWarning", "default::ncz.NczWarning"
)
@pytest.mark.parametrize(("sheet", "task"), TASKS)
def test_a_task(sheet, task, files_of, bucket_of, tmp_path, monkeypatch, run: Run):
    enter(files_of(sheet), tmp_path / "here", monkeypatch)
    if "s3://" in task["guess"]:
        bucket_of(sheet)
    assert_task(task, run, names_of(run))


@pytest.mark.parametrize("sheet", SHEETS)
def test_most_tasks_work_or_need_one_step(sheet):
    done_by_ncz = [task for task in SHEETS[sheet] if "elsewhere" not in task]
    at_once = [task for task in done_by_ncz if not {"then", "misled", "unmet"} & {*task}]
    assert len(at_once) >= 0.85 * len(done_by_ncz)
    assert sum("misled" in task for task in done_by_ncz) <= 1


@pytest.mark.parametrize(
    ("sheet", "number", "at_once", "in_one_step"),
    [
        ("five_people", 1, 12, 31),
        ("five_people", 2, 30, 32),
        ("five_people", 3, 21, 25),
        ("five_people", 4, 27, 34),
        ("other_data", 1, 37, 41),
        ("other_data", 2, 25, 26),
    ],
)
def test_the_first_results_of_tasks(sheet, number, at_once, in_one_step):
    assert done_at_first(SHEETS[sheet], number) == (at_once, in_one_step)


@pytest.mark.parametrize(
    ("sheet", "number", "have_read", "at_once", "in_one_step"),
    [
        ("first_morning", 1, True, 40, 43),
        ("first_morning", 1, False, 43, 45),
        ("first_morning", 2, True, 22, 24),
        ("first_morning", 2, False, 26, 29),
        ("second_morning", 1, True, 36, 38),
        ("second_morning", 1, False, 30, 35),
        ("second_morning", 2, True, 20, 21),
        ("second_morning", 2, False, 20, 20),
        ("third_morning", 1, True, 47, 48),
        ("third_morning", 1, False, 32, 34),
        ("third_morning", 2, True, 25, 25),
        ("third_morning", 2, False, 20, 20),
        ("fourth_morning", 1, True, 32, 34),
        ("fourth_morning", 1, False, 36, 36),
        ("fifth_morning", 1, True, 20, 24),
        ("fifth_morning", 1, False, 16, 17),
        ("fifth_morning", 2, True, 37, 39),
        ("fifth_morning", 2, False, 38, 39),
        ("sixth_morning", 1, True, 31, 31),
        ("sixth_morning", 2, False, 36, 36),
        ("seventh_morning", 1, True, 43, 45),
        ("seventh_morning", 1, False, 45, 45),
        ("seventh_morning", 2, True, 48, 49),
        ("seventh_morning", 2, False, 34, 35),
        ("seventh_morning", 3, True, 52, 55),
        ("seventh_morning", 3, False, 37, 37),
    ],
)
def test_the_first_results_of_readers_and_others(sheet, number, have_read, at_once, in_one_step):
    tasks = [task for task in SHEETS[sheet] if (task["who"] in READERS) is have_read]
    assert done_at_first(tasks, number) == (at_once, in_one_step)
