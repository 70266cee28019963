"""Sixty tasks of a newcomer (newcomer.toml): at least 55 of them work as first typed."""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from glob import glob
from pathlib import Path
from typing import Any

import pytest

import ncz
from tests.cli.newcomers_folder import enter, fill
from tests.conftest import Run

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


def _names(run: Run) -> dict[str, Any]:
    """Return the names that guesses in Python and expectations may use."""
    import xarray

    return {
        "ncz": ncz,
        "xarray": xarray,
        "has": os.path.exists,
        "header": lambda path: run("dump", "-h", path).text,
        "values": lambda path, name: ncz.open(path)[name][:].tolist(),
        "json": lambda path: json.loads(Path(path).read_text()),
    }


def _try(guess: str, run: Run, names: dict[str, Any]) -> str:
    """Run a guess; return what it says if it fails."""
    if not guess.startswith("ncz "):
        try:
            exec(guess, names)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""
    words = shlex.split(guess)[1:]
    done = run(*(path for word in words for path in sorted(glob(word)) or [word]))
    names["out"] = done.text
    names["said"] = done.stderr
    return done.stderr if done.code else ""


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["guess"][:60])
def test_first_guess(task, here, run):
    names = _names(run)
    failed = _try(task["guess"], run, names)
    works = not failed and bool(eval(task["expected"], names))
    if "answer" in task:
        assert not works, "this works now: remove the answer"
        assert task["answer"] in (failed or names["said"])
    else:
        assert works, failed or names.get("out")


def test_most_guesses_work():
    assert len(TASKS) == 60
    assert sum("answer" not in task for task in TASKS) >= 55
