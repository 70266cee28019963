"""The tables of docs/development/reliability.md."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from ncz.record import record

PAGE = Path(__file__).resolve().parents[2] / "docs" / "development" / "reliability.md"

Row = tuple[str, ...]


@record
class Form:
    """How the rows of a table are printed.

    Attributes
    ----------
    heads
        The columns of the page.
    join
        Joins rows of equal outcome.
    split
        Returns the rows from what `join` returned, so that a run can replace some of them. A figure
        of all of them stands for each.
    """

    heads: Row
    join: Callable[[Iterable[Row]], Iterable[Row]] = list
    split: Callable[[Iterable[Row]], Iterable[Row]] = list


def grouped(rows: Iterable[Row], key: Callable[[Row], Row]) -> dict[Row, list[Row]]:
    """Return the rows by their key, in order."""
    groups: dict[Row, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


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

    def __init__(self, name: str, form: Form, *, is_kept: bool, page: Path = PAGE) -> None:
        self._begin, self._end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        self._form = form
        self._page = page if is_kept else None
        self._old = {row[0]: row for row in rows_in(self._text()[1], form)} if is_kept else {}
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
            sys.stdout.write(self._printed(self._new, note))

    def _text(self) -> tuple[str, str, str]:
        assert self._page
        before, begin, rest = self._page.read_text(encoding="utf-8").partition(self._begin)
        text, end, after = rest.partition(self._end)
        assert begin, f"{self._page} has no mark {self._begin}"
        assert end, f"{self._page} has no mark {self._end}"
        return before, text, after

    def _write(self, page: Path, rows: dict[str, Row], note: str) -> None:
        before, _, after = self._text()
        new = f"{before}{self._begin}\n\n{self._printed(rows, note)}\n{self._end}{after}"
        page.write_text(new, encoding="utf-8")

    def _printed(self, rows: dict[str, Row], note: str) -> str:
        joined = self._form.join(rows.values())
        return table(self._form.heads, joined) + f"\n{note}\n" * bool(note)


def rows_in(text: str, form: Form) -> Iterable[Row]:
    """Return the rows of a printed table, as they were before they were joined."""
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    found = [tuple(cell.strip() for cell in line.strip("| ").split("|")) for line in lines]
    return form.split(found)


def _without(rows: dict[str, Row], others: dict[str, Row]) -> dict[str, Row]:
    return {name: row for name, row in rows.items() if name not in others}
