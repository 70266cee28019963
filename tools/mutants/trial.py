"""Run tests with a mutant, in separate processes with a time limit."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tools.mutants.coverage import Coverage, copied
from tools.mutants.mistakes import mutated
from tools.mutants.sample import ROOT, SOURCE, Mutant

FIRST = 5.0
"""The seconds that the first round of tests takes without the mutant."""

BUDGET = 60.0
"""The seconds that the tests for one mutant take without it, at most. Others are not tried."""

LIMIT = 120
"""Processor time that a mutant may add to one process of tests, in seconds."""

WAIT = 600
"""How long the tests for one mutant may take, in seconds."""

_NOT_RUN = "the tests could not be imported, or did not end"

_PASSED = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}

_RUN = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}

_WORDS = ["-q", "--tb=no", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]
"""How pytest runs: without explanations, which can take minutes for long texts."""


class Outcome(NamedTuple):
    """The result of a mutant: the test that failed, or nothing if it survives."""

    mutant: Mutant
    killer: str | None


def rounds(coverage: Coverage, mutant: Mutant) -> list[list[str]]:
    """Return the tests to run for a mutant: first the tests that are likely to fail, then others.

    Most mutants are killed in the first round, which need not import as many files of tests.
    """
    spent = 0.0
    found: list[list[str]] = [[], []]
    for test in coverage.reaching(mutant):
        took = coverage.seconds[test] + 0.01
        if spent + took <= BUDGET:
            spent += took
            found[spent > FIRST].append(test)
    return [tests for tests in found if tests]


class _Selection:
    """Selects tests, in the given order, and writes the first that fails into a file."""

    def __init__(self, tests: Sequence[str], failed: Path) -> None:
        # Tests of a file run together: its fixtures may be set up once only.
        files = {test.partition("::")[0]: -number for number, test in enumerate(reversed(tests))}
        ranked = sorted(tests, key=lambda test: files[test.partition("::")[0]])
        self._order = {test: number for number, test in enumerate(ranked)}
        self._failed = failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Keep hypothesis from shrinking failures, which can take minutes."""
        from hypothesis import Phase, settings

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutants", settings(), phases=phases, database=None)
        settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the selected tests."""
        selected = [item for item in items if item.nodeid in self._order]
        items[:] = sorted(selected, key=lambda item: self._order[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the name of a test that failed."""
        if report.failed:
            with self._failed.open("a", encoding="utf-8") as file:
                file.write(report.nodeid + "\n")


class Place:
    """A copy of the source for one mutant after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = copied(folder)
        self._failed = folder / "failed"
        self._time = 1_000_000_000
        self._original: tuple[Path, str, os.stat_result] | None = None

    def mutate(self, mutant: Mutant) -> None:
        """Make a mutant in this copy."""
        self.restore()
        path = self._folder / mutant.path.relative_to(SOURCE.parent)
        text = path.read_text(encoding="utf-8")
        self._original = path, text, path.stat()
        path.write_text(mutated(text, mutant.mistake.number), encoding="utf-8")
        self._time += 1  # no two have the same time: compiled modules are found by it
        os.utime(path, (self._time, self._time))

    def restore(self) -> None:
        """Restore the file with the mistake."""
        if self._original is not None:
            path, text, status = self._original
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            self._original = None

    def start(self, tests: Sequence[str], *, all_of_them: bool = False) -> int:
        """Start to run tests in a process, and return its number."""
        self._failed.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            code = int(pytest.ExitCode.INTERNAL_ERROR)
            try:
                code = self._run(tests, [] if all_of_them else ["-x"])
            finally:
                os._exit(code)
        return child

    def failed(self) -> list[str]:
        """Return the tests that failed."""
        if not self._failed.exists():
            return []
        return self._failed.read_text(encoding="utf-8").splitlines()

    def _run(self, tests: Sequence[str], words: list[str]) -> int:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT + int(BUDGET), LIMIT + int(BUDGET)))
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        sys.path.insert(0, str(self._folder))
        os.environ["PYTHONPATH"] = str(self._folder)
        files = sorted({f"{ROOT}/{test.partition('::')[0]}" for test in tests})
        with tempfile.TemporaryDirectory() as folder:
            words += [*_WORDS, f"--basetemp={folder}/t"]
            return int(pytest.main([*words, *files], plugins=[_Selection(tests, self._failed)]))


def trials(mutants: Sequence[Mutant], coverage: Coverage, jobs: int) -> Iterator[Outcome]:
    """Yield the result of each mutant, while a number of processes run."""
    left = [(mutant, rounds(coverage, mutant)) for mutant in reversed(mutants)]
    running: dict[int, _Trial] = {}
    with tempfile.TemporaryDirectory() as folder:
        free = [Place(Path(folder) / str(number)) for number in range(jobs)]
        while left or running:
            while left and free:
                mutant, tests = left.pop()
                if not tests:  # no test reaches it
                    yield Outcome(mutant, None)
                    continue
                trial = _Trial(free.pop(), mutant, tests[0], tests[1:], time.monotonic() + WAIT)
                trial.place.mutate(mutant)
                running[trial.place.start(tests[0])] = trial
            for child, trial in list(running.items()):
                killer = _killer(child, trial)
                if killer is None:
                    continue
                del running[child]
                if killer == _NOT_RUN and failing(trial.tests) == set(trial.tests):
                    killer = ""  # they cannot be run without the mutant either
                if not killer and trial.rounds:
                    rest = trial._replace(tests=trial.rounds[0], rounds=trial.rounds[1:])
                    running[trial.place.start(trial.rounds[0])] = rest
                else:
                    free.append(trial.place)
                    yield Outcome(trial.mutant, killer or None)
            time.sleep(0.02)


class _Trial(NamedTuple):
    place: Place
    mutant: Mutant
    tests: list[str]
    """The tests that run."""
    rounds: list[list[str]]
    """The tests that run next."""
    end: float
    """The end of the time limit."""


def _killer(child: int, trial: _Trial) -> str | None:
    """Return the test that failed in a process, "" if all passed, and None while it runs."""
    done, status = os.waitpid(child, os.WNOHANG)
    if not done and time.monotonic() < trial.end:
        return None
    _end(child, running=not done)
    code = os.waitstatus_to_exitcode(status)
    if done and code in _PASSED:
        return ""
    return (trial.place.failed() or [_NOT_RUN])[0]


def failing(tests: Sequence[str]) -> set[str]:
    """Return the tests that fail without a mistake, run as with one: all if none can run."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        child = place.start(tests, all_of_them=True)
        end = time.monotonic() + WAIT
        done = status = 0
        while not done and time.monotonic() < end:
            time.sleep(0.1)
            done, status = os.waitpid(child, os.WNOHANG)
        _end(child, running=not done)
        if not done or os.waitstatus_to_exitcode(status) not in _RUN:
            return set(tests)
        return set(place.failed())


def _end(child: int, *, running: bool) -> None:
    """End a process and its child processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if running:
        os.waitpid(child, 0)
