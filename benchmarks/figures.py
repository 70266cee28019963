"""The ratios of the last run, which the next one is compared with.

They are a report and not a test: a ratio can change because another program ran.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from benchmarks.row import Result

FILE = Path(__file__).with_name("figures.json")

_NOTABLE = 1.25
"""A ratio that has changed by this factor is pointed out."""


def key(result: Result) -> str:
    """Return the name of a row in the file."""
    return f"{result.row.work} / {result.row.peer}"


def load(scale: str) -> dict[str, float]:
    """Return the ratios of the last run at a scale, "full" or "quick"."""
    if not FILE.exists():
        return {}
    figures: dict[str, dict[str, float]] = json.loads(FILE.read_text(encoding="utf-8"))
    return figures.get(scale, {})


def save(scale: str, results: Iterable[Result]) -> None:
    """Keep the ratios of this run; rows that it left out keep theirs."""
    figures: dict[str, dict[str, float]] = {}
    if FILE.exists():
        figures = json.loads(FILE.read_text(encoding="utf-8"))
    ratios = {key(each): round(each.ratio, 2) for each in results if each.ratio is not None}
    figures[scale] = figures.get(scale, {}) | ratios
    FILE.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def change(before: dict[str, float], result: Result) -> str:
    """Return the text about the ratio of the last run, or an empty string without such a run."""
    last = before.get(key(result))
    if last is None or not result.ratio:
        return ""
    if result.ratio * _NOTABLE < last:
        return f"{last:.2f} (slower now)"
    if result.ratio > last * _NOTABLE:
        return f"{last:.2f} (faster now)"
    return f"{last:.2f}"
