"""Find out which tests reach the mutants, and how long these tests take."""

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

from tools.mutants import tracer
from tools.mutants.sample import ROOT, SOURCE, Mutant

NOT_RUN = [
    "benchmarks", "tests/browser", "tests/fuzz", "tests/interop", "tests/peers",
    "tests/test_cookbook.py", "tests/test_design.py", "tests/test_man_pages.py",
    "tests/test_release.py", "tests/test_startup.py", "tests/test_words.py",
]  # fmt: skip
"""Tests of other things than what the code does, and those that take the longest."""

SECONDS = 3600
"""How long the tests may run, traced."""


class Coverage(NamedTuple):
    """The tests that execute each line of interest, and the seconds that each test takes."""

    tests: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def reaching(self, mutant: Mutant) -> list[str]:
        """Return the tests that execute a line of the mutant and pass without it, best first.

        Those whose files are named after the module or its folders are likely to notice first.
        """
        file = mutant.path.relative_to(SOURCE)
        lines = self.tests.get(str(file), {})
        found = {test for line in mutant.mistake.lines for test in lines.get(line, ())}
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
        targets: defaultdict[str, set[int]] = defaultdict(set)
        for mutant in mutants:
            file = folder / mutant.path.relative_to(SOURCE.parent)
            targets[str(file)].update(mutant.mistake.lines)
        (folder / "notes").touch()
        text = json.dumps({file: sorted(lines) for file, lines in targets.items()})
        (folder / "targets.json").write_text(text, encoding="utf-8")
        shutil.copy(tracer.__file__, folder / "sitecustomize.py")
        seconds = _run(folder, arguments, jobs)
        tests: defaultdict[str, defaultdict[int, list[str]]]
        tests = defaultdict(lambda: defaultdict(list))
        for line in (folder / "notes").read_text(encoding="utf-8").splitlines():
            if not line.endswith("]"):  # empty, or cut by a test that limits the size of files
                continue
            test, file, number = json.loads(line)
            tests[str(Path(file).relative_to(folder / SOURCE.name))][number].append(test)
    return Coverage({file: dict(lines) for file, lines in tests.items()}, seconds)


def _run(folder: Path, arguments: Sequence[str], jobs: int) -> dict[str, float]:
    """Run tests with the source in a folder, and return the seconds of those that pass."""
    result = folder / "seconds.json"
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        tracer.NOTES: str(folder),
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
