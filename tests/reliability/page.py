"""The tables of docs/reliability.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"

Row = tuple[str, ...]


def table(heads: Row, rows: Iterable[Row]) -> str:
    """Return a table in Markdown."""
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def write(name: str, text: str, page: Path = PAGE) -> None:
    """Replace what is between the marks of a table."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    old = page.read_text(encoding="utf-8")
    pattern = f"{re.escape(begin)}.*{re.escape(end)}"
    new, count = re.subn(pattern, lambda _: f"{begin}\n\n{text}\n{end}", old, flags=re.DOTALL)
    assert count == 1, f"{page} has no marks for the table {name}"
    page.write_text(new, encoding="utf-8")
