"""Filters for the names of files, as aws, rclone and rsync have them."""

from __future__ import annotations

import pytest

from ncz.cli.programs.name_filters import Filters, filter_names, without_filters

NAMES = ["a.nc", "b.nc", "b.txt"]


@pytest.mark.parametrize(
    ("line", "words", "filters"),
    [
        ("a b", ["a", "b"], []),
        ("--include *.nc a", ["a"], [(True, "*.nc")]),
        ("a --exclude=*", ["a"], [(False, "*")]),
        ("--include b* --exclude *.txt", [], [(True, "b*"), (False, "*.txt")]),
        ("a --include", ["a", "--include"], []),
        ("--filter merge", ["--filter", "merge"], []),
    ],
)
def test_filters_are_taken_from_the_words(line: str, words: list[str], filters: Filters):
    assert without_filters(line.split()) == (words, filters)


@pytest.mark.parametrize(("rule", "filters"), [("+ *.nc", (True, "*.nc")), ("- *", (False, "*"))])
def test_rules_of_rsync(rule: str, filters: tuple[bool, str]):
    assert without_filters(["--filter", rule, "a"]) == (["a"], [filters])
    assert without_filters([f"--filter={rule}"]) == ([], [filters])


@pytest.mark.parametrize(
    ("filters", "first", "last"),
    [
        ([], NAMES, NAMES),
        ([(True, "*.nc")], NAMES[:2], NAMES[:2]),
        ([(False, "b*")], NAMES[:1], NAMES[:1]),
        ([(False, "*"), (True, "*.nc")], [], NAMES[:2]),
        ([(True, "*.nc"), (False, "*")], NAMES[:2], []),
        ([(True, "*.NC")], [], []),
    ],
)
def test_the_first_or_the_last_filter_decides(filters: Filters, first: list[str], last: list[str]):
    assert filter_names(NAMES, filters, first_wins=True) == first
    assert filter_names(NAMES, filters, first_wins=False) == last
