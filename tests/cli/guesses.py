"""First guesses of people: commands of ncz and lines of Python, and the names they may use."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import warnings
from collections.abc import Iterable, Mapping
from glob import glob
from pathlib import Path
from typing import Any

import pytest

import ncz
from tests.conftest import Ran, Run


def contents() -> dict[str, bytes]:
    """Return the bytes of each file."""
    found = {}
    for folder, _, names in os.walk("."):
        for path in (os.path.join(folder, name)[2:] for name in names):
            with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:  # a broken link
                found[path] = file.read()
    return found


def names_of(run: Run) -> dict[str, Any]:
    """Return the names that guesses in Python and expectations may use."""
    import xarray

    def of(line: str) -> Ran:
        return run(*line.split())

    def to_file(line: str, path: str) -> str:
        Path(path).write_text(text := of(line).text)
        return text

    return {
        "ncz": ncz,
        "xarray": xarray,
        "has": os.path.exists,
        "glob": glob,
        "header": lambda path: run("dump", "-h", path).text,
        "json": lambda path: json.loads(Path(path).read_text()),
        "values": lambda path, name: ncz.open(path)[name][:].tolist(),
        "same": lambda a, b: not ncz.diff(a, b),
        "opens": _opens,
        "ncz_of": lambda line: of(line).text,
        "ncz_to": to_file,
        "run_of": lambda line: of(line).stderr,
    }


def _opens(path: str) -> bool:
    try:
        ncz.open(path)
    except ncz.NczError:
        return False
    return True


def enter(files: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the files to a new folder, work there, and return the folder."""
    shutil.copytree(files, folder)
    monkeypatch.chdir(folder)
    return folder


def tried(guess: str, run: Run, names: dict[str, Any]) -> str:
    """Run a guess; return its message if it fails."""
    names["out"] = names["said"] = ""
    if not guess.startswith("ncz "):
        with warnings.catch_warnings(record=True) as warned:
            try:
                exec(guess, names)
            except Exception as error:
                return f"{type(error).__name__}: {error}"
        names["said"] = "\n".join(str(each.message) for each in warned)
        return ""
    words = shlex.split(guess)[1:]
    done = run(*(path for word in words for path in sorted(glob(word)) or [word]))
    names["out"], names["said"] = done.text, done.stderr
    return done.stderr if done.code else ""


def assert_task(task: Mapping[str, Any], run: Run, names: dict[str, Any]) -> None:
    """Assert that a guess does the task, or names a line that does it, and damages no file."""
    before = contents()
    says = tried(task["guess"], run, names)
    names |= {"failed": bool(says), "said": says or names["said"]}
    if "then" in task:
        assert task["then"] in names["said"]
        assert tried(task["typed"], run, names) == ""
    elif "elsewhere" in task:
        assert says
        assert task["elsewhere"] in says
    is_met = not {"misled", "unmet"} & {*task}
    assert _holds(task["expected"], names) is is_met, (says, names["out"])
    assert_kept(before, task)


def _holds(expected: str, names: dict[str, Any]) -> bool:
    """Return whether an expectation is met; one about a missing file is not."""
    try:
        return bool(eval(expected, names))
    except (NameError, OSError, ncz.NczError):
        return False


def assert_kept(before: Mapping[str, bytes], task: Mapping[str, Any]) -> None:
    """Assert that existing files are the same, except for the ones that a task changes."""
    after = contents()
    changed = {path for path, data in before.items() if after.get(path) != data}
    allowed = task.get("changes", "-")
    starts = (allowed,) if isinstance(allowed, str) else tuple(allowed)
    assert all(path.startswith(starts) for path in changed)


def done_at_first(tasks: Iterable[Mapping[str, Any]], number: int) -> tuple[int, int]:
    """Return the number of tasks of a round that worked at first, and within one more step."""
    first = [task.get("first") for task in tasks if task.get("round", 1) == number]
    return first.count(None), first.count(None) + first.count("one step")
