"""Run every fault at every operation, and hostile files; write docs/development/reliability.md.

``python -m tests.reliability [--write] [--only TABLE ...] [--jobs N] [--step N]``. Each row is
written as soon as it is complete, so that a run that is interrupted keeps its rows.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator

from tests.reliability import bombs, damage, page, rows
from tests.reliability.page import Form, Row
from tests.reliability.work import Part, Result, run_parts

Told = Iterator[tuple[Part, Result]]

FAULTS: dict[str, Callable[[int], Iterable[Part]]] = {
    "writers": rows.writers,
    "readers": rows.readers,
    "servers": rows.servers,
    "signals": rows.signals,
}
"""The tables of faults, and the parts of each."""

READ: dict[str, Callable[[int], Iterable[Row]]] = {
    "bombs": bombs.rows,
    "chunks": damage.chunk_rows,
    "files": damage.file_rows,
}
"""The tables of input that is read, by ncz and its peers."""


FORMS: dict[str, Form] = {
    **dict.fromkeys(FAULTS, rows.FORM),
    **dict.fromkeys(READ, damage.FORM),
    "bombs": bombs.FORM,
}
RIGHT: dict[str, Callable[[Row], bool]] = {
    **dict.fromkeys(FAULTS, rows.is_right),
    "bombs": bombs.is_right,
}
"""Tells whether a row is right. Of damaged input, readers may read wrong values."""

STEPPED = ("servers", "signals")
"""The tables that have requests to servers."""


def main() -> int:
    """Run everything; return 1 if something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability", description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="write docs/development/reliability.md"
    )
    parser.add_argument("--only", nargs="+", metavar="TABLE", choices=[*FAULTS, *READ])
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--step", type=int, default=1, help="try each N-th request to a server")
    parser.add_argument(
        "--rows", default="", metavar="TEXT", help="only rows with this name in them"
    )
    given = parser.parse_args()
    is_right = True
    for name in given.only or [*FAULTS, *READ]:
        start = time.monotonic()
        table = page.Table(name, FORMS[name], is_kept=given.write)
        for row in _rows(name, given.jobs, given.step, given.rows):
            table.add(row)
            is_right &= RIGHT.get(name, lambda _: True)(row)
        note = f"Each {given.step}th request was tried." if given.step > 1 else ""
        if not given.rows:
            table.finish(note if name in STEPPED else "")
        sys.stderr.write(f"{name}: {(time.monotonic() - start) / 60:.1f} min\n")
    return 0 if is_right else 1


def _rows(name: str, jobs: int, step: int, text: str) -> Iterable[Row]:
    if name in READ:
        return READ[name](jobs)
    parts = [part for part in FAULTS[name](step) if text in part.row]
    return rows.rows_of(_telling(run_parts(parts, jobs)))


def _telling(results: Told) -> Told:
    """Pass results on, and print errors."""
    for part, result in results:
        told = f"{part.row}, {part.fault}: {result.tried} tried, {len(result.wrong)} wrong"
        sys.stderr.write(f"{told}, {result.memory >> 20} MiB\n")
        for where, texts in result.wrong.items():
            sys.stderr.write(f"    {where}: {texts}\n")
        sys.stderr.flush()
        yield part, result


if __name__ == "__main__":
    raise SystemExit(main())
