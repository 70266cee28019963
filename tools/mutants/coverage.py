"""Find the tests that reach the mutants, and their times."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.mutants import notes
from tools.mutants.mistakes import noting
from tools.mutants.sample import ROOT, SOURCE, Mutant

NOT_RUN = [
    "benchmarks", "tests/browser", "tests/fuzz", "tests/interop",
    "tests/test_start.py", "tests/test_design.py", "tests/test_man_pages.py",
    "tests/test_release.py", "tests/test_startup.py", "tests/test_words.py",
]  # fmt: skip
"""Tests of other subjects than the behaviour of the code, and the slowest tests."""

SECONDS = 3600
"""How long the tests may run."""


class Coverage(NamedTuple):
    """The tests that reach each place of a mutant, and the seconds that each test takes."""

    tests: dict[str, list[str]]
    seconds: dict[str, float]

    def reaching(self, mutant: Mutant) -> list[str]:
        """Return the tests that reach the mutant and pass without it, best first.

        Those whose files are named after the module or its folders are likely to notice first.
        """
        file = mutant.path.relative_to(SOURCE)
        found = set(self.tests.get(mutant.place, ()))
        words = {file.stem, *file.parent.parts}

        def order(test: str) -> tuple[int, float]:
            path = Path(test.partition("::")[0])
            return -len(words & {path.stem.removeprefix("test_"), *path.parts}), self.seconds[test]

        return sorted((test for test in found if test in self.seconds), key=order)


def copied(folder: Path) -> Path:
    """Copy the source, with its compiled modules, into a folder, and return that."""
    shutil.copytree(SOURCE, folder / SOURCE.name)
    return folder


def measure(mutants: Iterable[Mutant], arguments: Sequence[str], jobs: int) -> Coverage:
    """Run tests once, and return which of them reach the mutants."""
    with tempfile.TemporaryDirectory() as name:
        folder = copied(Path(name))
        targets: defaultdict[Path, dict[int, str]] = defaultdict(dict)
        for mutant in mutants:
            targets[mutant.path][mutant.mistake.number] = mutant.place
        for path, names in targets.items():
            text = noting(path.read_text(encoding="utf-8"), names)
            (folder / path.relative_to(SOURCE.parent)).write_text(text, encoding="utf-8")
        (folder / "notes").touch()
        shutil.copy(notes.__file__, folder / "sitecustomize.py")
        seconds = _run(folder, arguments, jobs)
        tests: defaultdict[str, list[str]] = defaultdict(list)
        for line in (folder / "notes").read_text(encoding="utf-8").split("\n"):
            if line.endswith("\f"):  # others are empty, or cut by a test that limits a file
                place, _, test = line[:-1].partition(" ")
                tests[place].append(test)
    return Coverage(dict(tests), seconds)


def _run(folder: Path, arguments: Sequence[str], jobs: int) -> dict[str, float]:
    """Run tests with the source in a folder, and return the seconds of the passed tests."""
    result = folder / "seconds.json"
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        notes.NOTES: str(folder / "notes"),
        "NCZ_MUTANTS_SECONDS": str(result),
    }
    ignored = [f"--ignore={path}" for path in NOT_RUN]
    words = ["-q", "-m", "not long", "-n", str(jobs), "-p", "tools.mutants.seconds", *ignored]
    subprocess.run(
        [sys.executable, "-m", "pytest", *words, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,  # tests that fail are not in the result
    )
    seconds: dict[str, float] = json.loads(result.read_text(encoding="utf-8"))
    return seconds
