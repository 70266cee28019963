"""The record of the last run: the outcome of every cell that is not equal.

``record.json`` maps a reader to its cells: ``{"packed-int16-v3": {"nczarr-v2": "silent"}}``; cells
of xarray have the reason too. All other cells are equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.interop.cells import Cell
from tests.interop.matrix import Place

RECORD = Path(__file__).with_name("record.json")
REASONED = "xarray"
"""The reader whose reasons are recorded."""

_LONGEST = 150

Outcomes = Mapping[str, Mapping[Place, tuple[str, str]]]
"""Reader -> place -> outcome and reason."""


def read_record() -> Outcomes:
    """Return the outcomes of the last run that was recorded."""
    if not RECORD.exists():
        return {}
    told = json.loads(RECORD.read_text(encoding="utf-8"))
    return {
        reader: {
            _place(source, target): (cell, "") if isinstance(cell, str) else (cell[0], cell[1])
            for source, targets in sources.items()
            for target, cell in targets.items()
        }
        for reader, sources in told.items()
    }


def _place(source: str, target: str) -> Place:
    kind, _, version = source.rpartition("-v")
    return Place(kind, 2 if version == "2" else 3, target)


def write_record(outcomes: Outcomes) -> None:
    """Write the outcomes that are not equal."""
    told: dict[str, Any] = {}
    for reader, found in outcomes.items():
        sources: dict[str, dict[str, Any]] = {}
        for place, (outcome, reason) in found.items():
            if outcome != "equal":
                cell = [outcome, shorten(reason)] if reader == REASONED else outcome
                sources.setdefault(place.source, {})[place.target] = cell
        told[reader] = sources
    lines = []
    for reader, sources in told.items():
        rows = [f"  {_line(source)}: {_line(cells)}" for source, cells in sorted(sources.items())]
        lines.append(f" {_line(reader)}: {{\n" + ",\n".join(rows) + "\n }")
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def changes(cells: Mapping[Place, Cell], recorded: Mapping[Place, tuple[str, str]]) -> list[str]:
    """Return the cells of a reader that differ from the record.

    Reasons are compared where they are recorded, except the reasons of "unread", which the reader
    writes.
    """
    lines = []
    for place, cell in cells.items():
        before, why = recorded.get(place, ("equal", ""))
        reason = shorten(cell.reason)
        name = f"{place.source} > {place.target}"
        if before != cell.outcome:
            lines.append(f"{name}: was {before}, is {cell.outcome}: {reason}")
        elif why and why != reason and cell.outcome != "unread":
            lines.append(f"{name}: {cell.outcome}: was {why}, is {reason}")
    return lines


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def shorten(reason: str) -> str:
    """The reason without folders of this machine, shortened if it is long."""
    plain = re.sub(r"(/[\w.+-]+)+/(?=[\w-]+-v[23]\.(zarr|zip))", "", reason)
    plain = re.sub(r"\s+", " ", plain)
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 3]}..."
