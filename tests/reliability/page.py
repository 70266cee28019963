"""The record of `make reliability`, and the tables of docs/development/reliability.md."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from ncz.record import record

PAGE = Path(__file__).resolve().parents[2] / "docs" / "development" / "reliability.md"

RECORD = Path(__file__).with_name("record.json")
"""The measured rows of each table, and a note; the page has them joined."""

Row = tuple[str, ...]


@record
class Form:
    """The printed form of the rows of a table.

    Attributes
    ----------
    heads
        The columns of the page.
    join
        Joins rows of equal outcome.
    """

    heads: Row
    join: Callable[[Iterable[Row]], Iterable[Row]] = list

    def printed(self, rows: Iterable[Row], note: str = "") -> str:
        """Return the table that stands on the page."""
        return table(self.heads, self.join(rows)) + f"\n{note}\n" * bool(note)


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
    """A table that is recorded row by row; rows that are not yet done are kept unchanged.

    Parameters
    ----------
    name
        The name in the record, and in the marks of the page.
    is_kept
        Whether the table is recorded, and written to the page; otherwise it is printed at the end.
    """

    def __init__(
        self, name: str, form: Form, *, is_kept: bool, kept: Path = RECORD, page: Path = PAGE
    ) -> None:
        self._name = name
        self._form = form
        self._is_kept, self._kept, self._page = is_kept, kept, page
        self._old = {row[0]: row for row in recorded(name, kept)[0]} if is_kept else {}
        self._new: dict[str, Row] = {}

    def add(self, row: Row) -> None:
        """Record a row."""
        self._new[row[0]] = row
        if self._is_kept:
            self._write({**self._old, **self._new}, "")

    def finish(self, note: str = "") -> None:
        """Leave out removed rows, and add a line to the table."""
        if self._is_kept:
            self._write(self._new, note)
        else:
            sys.stdout.write(self._form.printed(self._new.values(), note))

    def _write(self, rows: dict[str, Row], note: str) -> None:
        tables = json.loads(self._kept.read_text(encoding="utf-8"))
        tables[self._name] = {"note": note, "rows": list(rows.values())}
        self._kept.write_text(json.dumps(tables, indent=1) + "\n", encoding="utf-8")
        before, _, after = parts_of(self._page, self._name)
        printed = self._form.printed(rows.values(), note)
        self._page.write_text(f"{before}\n\n{printed}\n{after}", encoding="utf-8")


def recorded(name: str, kept: Path = RECORD) -> tuple[list[Row], str]:
    """Return the rows of a table, and its note."""
    found = json.loads(kept.read_text(encoding="utf-8"))[name]
    return [tuple(row) for row in found["rows"]], found["note"]


def parts_of(page: Path, name: str) -> tuple[str, str, str]:
    """Return the text before a table of the page with its mark, the table, and the rest."""
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = text.partition(begin)
    shown, ended, after = rest.partition(end)
    assert found, f"{page} has no mark {begin}"
    assert ended, f"{page} has no mark {end}"
    return before + begin, shown, end + after
