"""The tables of ``make reliability`` count what goes wrong, and are kept row by row."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.reliability import bombs
from tests.reliability.__main__ import FORMS
from tests.reliability.page import PAGE, Form, Row, Table, rows_in, table
from tests.reliability.rows import is_right, row_of
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
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- t: begin -->\n<!-- t: end -->\nafter\n")
    first = Table("t", Form(("name", "tried")), is_kept=True, page=page)
    for row in (("a", "1"), ("b", "2"), ("gone", "3")):
        first.add(row)
    first.finish()
    second = Table("t", Form(("name", "tried")), is_kept=True, page=page)
    second.add(("b", "4"))
    text = page.read_text()
    assert [line for line in text.splitlines() if line.startswith("| ")][2:] == [
        "| b | 4 |", "| a | 1 |", "| gone | 3 |",
    ]  # fmt: skip
    second.add(("a", "5"))
    second.finish("Each 5th request was tried.")
    text = page.read_text()
    assert "gone" not in text
    assert "Each 5th" in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")


def test_the_page_has_nothing_wrong():
    """The figures of faults that stand in docs/development/reliability.md, and of bombs."""
    for name in ("writers", "readers", "servers", "signals"):
        assert [row for row in _rows(name) if not is_right(row)] == [], name
    assert [row for row in _rows("bombs") if not bombs.is_right(row)] == []


@pytest.mark.parametrize("name", FORMS)
def test_joined_rows_are_split_and_joined_again(name):
    text, form = _table(name), FORMS[name]
    assert f"\n\n{table(form.heads, form.join(rows_in(text, form)))}\n" == text


def test_a_bomb_that_a_row_hides_is_wrong():
    fine = ("a", "1", "refused, 3 MiB", "crashed", "refused, 0 MiB")
    for wrong in ("refused, 64 MiB", "read, 3 MiB"):
        rows = [fine, ("b", "2", wrong, *fine[3:])]
        split = list(bombs.FORM.split(bombs.FORM.join(rows)))
        assert not all(map(bombs.is_right, split))
    assert all(map(bombs.is_right, bombs.FORM.split(bombs.FORM.join([fine, fine]))))


def _table(name: str) -> str:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"<!-- {name}: begin -->")
    return rest.partition(f"<!-- {name}: end -->")[0]


def _rows(name: str) -> list[Row]:
    rows = list(rows_in(_table(name), FORMS[name]))
    assert len(rows) > 10, name
    return rows
