"""The tables of ``make reliability`` count errors, and are kept row by row."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.reliability import bombs
from tests.reliability.__main__ import FORMS
from tests.reliability.page import PAGE, Form, Row, Table, parts_of, recorded
from tests.reliability.rows import FORM, is_right, row_of
from tests.reliability.work import Part, Result, run_part

MIB = 1 << 20


def fine(folder: Path) -> tuple[int, dict[str, list[str]]]:
    assert folder.is_dir()
    return 3, {"2 open": ["lost in silence"]}


def killed(folder: Path) -> tuple[int, dict[str, list[str]]]:
    os.kill(os.getpid(), signal.SIGSEGV)
    return 1, {}


def test_a_part_runs_in_a_process_that_may_crash():
    result = run_part(Part("gen", "error", fine))
    assert (result.tried, result.wrong) == (3, {"2 open": ["lost in silence"]})
    assert run_part(Part("gen", "error", killed)).wrong == {
        "the process": ["crashed: exit code -11"]
    }


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("lost in silence: resumed as a mixture", "lost"),
        ("the old store is lost", "lost"),
        ("half of a store opens", "wrong"),
        ("left behind: ['.ncz-1.claim']", "left behind"),
        ("cannot be repeated: ncz: x", "left behind"),
        ("exit code 3", "crashed"),
        ("internal error", "crashed"),
        ("hung", "hung"),
        ("2 lines of error", "other"),
    ],
)
def test_each_fault_is_of_a_kind(text, kind):
    parts = [
        (Part("gen", "error", fine), Result(5, {"1 open": [text]}, 3 * MIB)),
        (Part("gen", "full", fine), Result(7, {}, 2 * MIB)),
    ]
    row = row_of("gen", parts)
    assert (row[:3], row[-1]) == (("gen", "error, full", "12"), "3 MiB")
    assert row[3] == f"1 {kind}"
    assert not is_right(row)
    assert is_right(row_of("gen", parts[1:]))


def test_a_run_that_is_interrupted_keeps_its_rows(tmp_path):
    page, kept = tmp_path / "page.md", tmp_path / "record.json"
    page.write_text("before\n<!-- t: begin -->\n<!-- t: end -->\nafter\n")
    kept.write_text('{"other": {"note": "", "rows": []}, "t": {"note": "", "rows": []}}')

    def begin() -> Table:
        return Table("t", Form(("name", "tried")), is_kept=True, kept=kept, page=page)

    first = begin()
    for row in (("a", "1"), ("b", "2"), ("gone", "3")):
        first.add(row)
    first.finish()
    second = begin()
    second.add(("b", "4"))
    rows = [("a", "1"), ("b", "4"), ("gone", "3")]
    assert recorded("t", kept) == (rows, "")
    assert [line for line in page.read_text().splitlines() if line.startswith("| ")][2:] == [
        f"| {name} | {tried} |" for name, tried in rows
    ]
    second.add(("a", "5"))
    second.finish("Each 5th request was tried.")
    assert recorded("t", kept) == ([("b", "4"), ("a", "5")], "Each 5th request was tried.")
    assert recorded("other", kept) == ([], "")
    text = page.read_text()
    assert "gone" not in text
    assert "Each 5th" in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")


def test_the_record_has_nothing_wrong():
    """The figures of faults that stand in docs/development/reliability.md, and of bombs."""
    for name in ("writers", "readers", "servers", "signals"):
        assert [row for row in _rows(name) if not is_right(row)] == [], name
    assert [row for row in _rows("bombs") if not bombs.is_right(row)] == []


@pytest.mark.parametrize("name", FORMS)
def test_the_page_shows_the_record(name):
    rows, note = recorded(name)
    assert parts_of(PAGE, name)[1] == f"\n\n{FORMS[name].printed(rows, note)}\n"


def test_commands_are_counted_if_nothing_was_wrong_and_named_otherwise():
    rows = [
        ("gen, one request", "503, slow", "10", "0", "3 MiB"),
        ("copy, one request", "503, slow", "1200", "0", "5 MiB"),
        ("edit, one request", "503, slow", "7", "2 lost", "1 MiB"),
        ("gen, from one request on", "hang", "4", "0", "1 MiB"),
    ]
    assert list(FORM.join(rows)) == [
        ("one request: 503, slow", "2", "1,210", "0", "5 MiB"),
        ("one request: 503, slow", "edit", "7", "2 lost", "1 MiB"),
        ("from one request on: hang", "1", "4", "0", "1 MiB"),
    ]


def test_a_joined_row_of_bombs_hides_nothing_wrong():
    fine = ("a", "1", "refused, 3 MiB", "crashed", "refused, 0 MiB")
    large, read = ("b", "2", "refused, 64 MiB", *fine[3:]), ("b", "2", "read, 3 MiB", *fine[3:])
    assert list(bombs.FORM.join([fine, large])) == [("a; b", "refused, 3 to 64 MiB", *fine[3:])]
    assert len(list(bombs.FORM.join([fine, read]))) == 2
    assert [bombs.is_right(row) for row in (fine, large, read)] == [True, False, False]


def _rows(name: str) -> list[Row]:
    rows, _ = recorded(name)
    assert len(rows) > 10, name
    return rows
