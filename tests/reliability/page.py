"""The tables of docs/development/reliability.md."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "development" / "reliability.md"

Row = tuple[str, ...]


def table(heads: Row, rows: Iterable[Row]) -> str:
    """Return a table in Markdown."""
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


class Table:
    """A table that is written row by row; rows that are not yet done are kept as they were.

    Parameters
    ----------
    name
        The name in the marks of the page.
    is_kept
        Whether the table is written to the page; otherwise it is printed at the end.
    """

    def __init__(self, name: str, heads: Row, *, is_kept: bool, page: Path = PAGE) -> None:
        self._begin, self._end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        self._heads = heads
        self._page = page if is_kept else None
        self._old = _rows_in(self._text()[1]) if is_kept else {}
        self._new: dict[str, Row] = {}

    def add(self, row: Row) -> None:
        """Write a row."""
        self._new[row[0]] = row
        if self._page:
            self._write(self._page, {**self._new, **_without(self._old, self._new)}, "")

    def finish(self, note: str = "") -> None:
        """Leave out the rows that are no more, and add a line to the table."""
        if self._page:
            self._write(self._page, self._new, note)
        else:
            sys.stdout.write(table(self._heads, self._new.values()) + f"\n{note}\n" * bool(note))

    def _text(self) -> tuple[str, str, str]:
        assert self._page
        before, begin, rest = self._page.read_text(encoding="utf-8").partition(self._begin)
        text, end, after = rest.partition(self._end)
        assert begin, f"{self._page} has no mark {self._begin}"
        assert end, f"{self._page} has no mark {self._end}"
        return before, text, after

    def _write(self, page: Path, rows: dict[str, Row], note: str) -> None:
        before, _, after = self._text()
        text = table(self._heads, rows.values()) + f"\n{note}\n" * bool(note)
        new = f"{before}{self._begin}\n\n{text}\n{self._end}{after}"
        page.write_text(new, encoding="utf-8")


def _rows_in(text: str) -> dict[str, Row]:
    """Return the rows of a table by their first column."""
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    found = [tuple(cell.strip() for cell in line.strip("| ").split("|")) for line in lines]
    return {row[0]: row for row in found}


def _without(rows: dict[str, Row], others: dict[str, Row]) -> dict[str, Row]:
    return {name: row for name, row in rows.items() if name not in others}
