"""A plugin of pytest that writes the seconds of each test that passes into a file."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

_seconds: Counter[str] = Counter()
_failed: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add the seconds of one phase of a test."""
    _seconds[report.nodeid] += report.duration  # type: ignore[assignment]
    if report.outcome != "passed":
        _failed.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the file, in the process that collects the reports of all others."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        passed = {test: took for test, took in _seconds.items() if test not in _failed}
        Path(os.environ["NCZ_MUTANTS_SECONDS"]).write_text(json.dumps(passed), encoding="utf-8")
